package httpapi

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/proto/chat"
)

// fill puts a text into every place of v that can hold one, and makes all that v can
// point at.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text)
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, text)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("a"), value)
	case reflect.String:
		v.SetString(text)
	case reflect.Float64:
		v.SetFloat(7)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic("a status has a " + v.Kind().String())
	}
}

// TestStatusHasNoSecret: whatever text of a status holds one, by its value or by its
// shape, it is not told; and nothing else is lost.
func TestStatusHasNoSecret(t *testing.T) {
	const known = "a-secret-of-this-process-0123456789"
	generated := strings.Repeat("aB3dE5gH", 6)
	for name, secret := range map[string]string{
		"known":       known,
		"an API key":  "sk-" + generated,
		"a bearer":    "Authorization: Bearer " + generated,
		"a password":  "password=" + generated,
		"in a URL":    "https://user:" + generated + "@example.com/",
		"a token":     "http://127.0.0.1:1/?token=" + generated,
		"a JSON text": `{"apiKey":"` + generated + `"}`,
	} {
		var filled chat.AgentStatus
		fill(reflect.ValueOf(&filled).Elem(), "before "+secret+" after")
		s := New(Options{Agent: &agent{status: filled}, Redact: redact.New(known), DataDir: "/data/" + secret, LogFile: "/data/log", About: func(a *chat.AgentStatus) {
			a.Host.System = secret
		}})
		raw, err := json.Marshal(s.agentStatus(context.Background()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), generated) || strings.Contains(string(raw), known) {
			t.Errorf("%s: %s", name, raw)
		}
		if n := strings.Count(string(raw), "before "); n < 40 {
			t.Errorf("%s: only %d texts are told: %s", name, n, raw)
		}
	}
	var filled chat.AgentStatus
	fill(reflect.ValueOf(&filled).Elem(), "plain")
	s := New(Options{Agent: &agent{status: filled}, DataDir: "plain", LogFile: "plain"})
	if d := cmp.Diff(filled, s.agentStatus(context.Background())); d != "" {
		t.Errorf("without a secret (-want +got):\n%s", d)
	}
}
