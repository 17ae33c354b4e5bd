package e2e

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/proto/chat"
)

// A marker is in every secret of a kind, so that a search for it needs no secret. It looks
// like a part of one.
type marker string

const (
	ofKey     marker = "p1anted7" // keys that the host was given
	ofEnviron marker = "env1ron8" // what the host's environment held when it was started
	ofChat    marker = "t0ldin1t" // what a person wrote, or a tool brought
	ofServer  marker = "m5pserv6" // variables of MCP servers that are programs, which the Harness has to hold
)

// thisRun ends secrets that are looked for in all processes, of which some may be another
// run's.
var thisRun = fmt.Sprintf("x%dx", os.Getpid())

// shapes are how the keys of forty services begin, and how long they are.
var shapes = []struct {
	begin string
	rest  int
}{
	{"sk-", 48}, {"sk-proj-", 70}, {"sk-svcacct-", 60}, {"sk-ant-api03-", 93}, {"sk-or-v1-", 64}, {"sk_live_", 24}, {"rk_test_", 24}, {"whsec_", 32},
	{"AKIA", 16}, {"ASIA", 16}, {"ghp_", 36}, {"gho_", 36}, {"github_pat_", 82}, {"glpat-", 20}, {"glrt-", 20}, {"xoxb-", 40}, {"xapp-1-", 50}, {"AIza", 35},
	{"ya29.", 60}, {"GOCSPX-", 28}, {"hf_", 34}, {"npm_", 36}, {"pypi-", 80}, {"SG.", 66}, {"gsk_", 52}, {"xai-", 80}, {"pplx-", 48}, {"r8_", 37}, {"tvly-", 32},
	{"dop_v1_", 64}, {"shpat_", 32}, {"dapi", 32}, {"hvs.", 90}, {"glsa_", 41}, {"dckr_pat_", 27}, {"lin_api_", 40}, {"ntn_", 46}, {"sbp_", 40}, {"NRAK-", 27}, {"", 64},
}

// secrets makes one of each shape.
func (m marker) secrets() []string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	var out []string
	for i, s := range shapes {
		rest := []byte(m)
		for n := i*7 + int(m[0]); len(rest) < max(s.rest, len(m)+8); n = n*31 + 17 {
			rest = append(rest, letters[(n>>3)&0x7fffffff%len(letters)])
		}
		out = append(out, s.begin+string(rest))
	}
	return out
}

// forms are the marker as texts may have it: base64 has it in one of three ways.
func (m marker) forms() []string {
	out := []string{string(m), hex.EncodeToString([]byte(m))}
	for before := range 3 {
		text := append(make([]byte, before), m...)
		out = append(out, base64.RawStdEncoding.EncodeToString(text)[(before*8+5)/6:len(text)*8/6])
	}
	return out
}

var (
	inJSON = regexp.MustCompile(`\\u00([0-9A-Fa-f]{2})`)
	inURL  = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
)

// in gives what stands around the marker in a text, however it is written; "" where it is
// not there.
func (m marker) in(text string) string {
	plain := inJSON.ReplaceAllStringFunc(text, func(s string) string {
		n, _ := strconv.ParseUint(s[4:], 16, 8)
		return string(rune(n))
	})
	plain = inURL.ReplaceAllStringFunc(plain, func(s string) string {
		out, _ := url.PathUnescape(s)
		return out
	})
	for i, form := range m.forms() {
		for _, t := range []string{text, plain} {
			if i < 2 { // these two in any letters
				t, form = strings.ToLower(t), strings.ToLower(form)
			}
			if at := strings.Index(t, form); at >= 0 {
				return fmt.Sprintf("…%q", t[max(0, at-150):min(len(t), at+100)])
			}
		}
	}
	return ""
}

// found lists the places whose texts hold the marker.
func (m marker) found(places map[string]string) []string {
	var out []string
	for _, place := range slices.Sorted(maps.Keys(places)) {
		if at := m.in(places[place]); at != "" {
			out = append(out, place+": "+at)
		}
	}
	return out
}

// told gives a run's frames as one text, and the words of its pieces joined.
func told(frames []chat.Frame) (string, error) {
	data, err := json.Marshal(frames)
	var words [2]strings.Builder
	for _, f := range frames {
		switch f.Type {
		case chat.Delta:
			words[0].WriteString(f.Text)
		case chat.Reasoning:
			words[1].WriteString(f.Text)
		}
	}
	return string(data) + "\n" + words[0].String() + "\n" + words[1].String(), err
}

// unpacked gives what is in a folder's files, the Harness's compressed logs too, by path.
func unpacked(t *testing.T, dir string) map[string]string {
	t.Helper()
	out, packed := map[string]string{}, []string{}
	must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		if strings.HasSuffix(path, ".zstd") {
			packed = append(packed, path)
			return nil
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	}))
	const script = `const fs = require('fs'), zlib = require('zlib')
process.stdout.write(JSON.stringify(process.argv.slice(1).map(file => zlib.zstdDecompressSync(fs.readFileSync(file)).toString())))`
	if len(packed) > 0 {
		text, err := exec.Command(kit.Node(t), append([]string{"-e", script}, packed...)...).Output()
		must(t, err)
		var logs []string
		must(t, json.Unmarshal(text, &logs))
		for i, log := range logs {
			out[packed[i]] = log
		}
	}
	return out
}

// TestTheScanFinds: a host that leaked would be found, wherever and however it did.
func TestTheScanFinds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, secret := range ofKey.secrets() {
		quoted := ""
		for _, b := range []byte(secret) {
			quoted += fmt.Sprintf(`\u%04x`, b)
		}
		byLetter := ""
		for _, b := range []byte(secret) {
			byLetter += fmt.Sprintf("%%%02X", b)
		}
		for how, text := range map[string]string{
			"as it is": secret, "in JSON": quoted, "in a URL": url.QueryEscape(secret), "in a URL, all": byLetter, "hex": hex.EncodeToString([]byte(secret)),
			"HEX": fmt.Sprintf("%X", secret), "small": strings.ToLower(secret), "large": strings.ToUpper(secret),
			"base64":        base64.StdEncoding.EncodeToString([]byte(secret)),
			"a header":      base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
			"base64 behind": base64.RawURLEncoding.EncodeToString([]byte("ab" + secret + "yz")),
		} {
			if ofKey.in("before "+text+" after") == "" {
				t.Errorf("shape %d, %s is not found: %s", i, how, text)
			}
		}
	}
	secret := ofKey.secrets()[0]
	var frames []chat.Frame
	for _, piece := range []string{secret[:5], secret[5:9], secret[9:]} {
		frames = append(frames, chat.Frame{Type: chat.Delta, Sentence: chat.Sentence{Text: piece}}, chat.Frame{Type: chat.Status})
	}
	pieces, err := told(frames)
	must(t, err)
	pack := exec.Command(kit.Node(t), "-e", `require('fs').writeFileSync(process.argv[1], require('zlib').zstdCompressSync(process.argv[2]))`,
		filepath.Join(dir, "session.jsonl.zstd"), `{"text":"`+secret+`"}`)
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	must(t, os.WriteFile(filepath.Join(dir, "host.log"), []byte("a line\nkey="+secret+"\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "clean"), []byte(ofChat.secrets()[0]), 0o600))
	places := unpacked(t, dir)
	places["frames"] = pieces
	var in []string
	for _, f := range ofKey.found(places) {
		place, _, _ := strings.Cut(f, ": ")
		in = append(in, filepath.Base(place))
	}
	slices.Sort(in)
	if got := strings.Join(in, " "); got != "frames host.log session.jsonl.zstd" {
		t.Errorf("found in %s", got)
	}
}
