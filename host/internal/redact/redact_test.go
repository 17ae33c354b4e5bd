package redact

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// body gives n characters that look generated. Test secrets are put together
// here, so that no scanner takes this file for a leak.
func body(alphabet string, n int) string {
	var b strings.Builder
	x := uint32(2463534242)
	for range n {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b.WriteByte(alphabet[int(x)%len(alphabet)])
	}
	return b.String()
}

const (
	hexa  = "0123456789abcdef"
	alnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b32   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

// shaped are secrets by kind; around them stands what must stay.
var shaped = []struct{ name, before, secret, after string }{
	{"OpenAI", "key ", "sk-" + body(alnum, 48), " end"},
	{"OpenAI project", "", "sk-proj-" + body(alnum, 40) + "_" + body(alnum, 30), ""},
	{"OpenAI service account", "'", "sk-svcacct-" + body(alnum, 60), "'"},
	{"Anthropic", "x=", "sk-ant-api03-" + body(alnum, 90) + "-AA", ";"},
	{"OpenRouter", "(", "sk-or-v1-" + body(hexa, 64), ")"},
	{"DeepSeek", "", "sk-" + body(hexa, 32), "\n"},
	{"Stripe", "", "sk_live_" + body(alnum, 24), ""},
	{"Stripe restricted", "", "rk_test_" + body(alnum, 24), ""},
	{"Stripe webhook", "", "whsec_" + body(alnum, 32), ""},
	{"AWS key id", "id ", "AKIA" + body(b32, 16), "."},
	{"AWS session key id", "id ", "ASIA" + body(b32, 16), "."},
	{"AWS secret", "aws_secret_access_key = ", body(alnum, 40), "\n"},
	{"GitHub", "", "ghp_" + body(alnum, 36), ""},
	{"GitHub OAuth", "", "gho_" + body(alnum, 36), ""},
	{"GitHub app", "", "ghs_" + body(alnum, 36), ""},
	{"GitHub fine-grained", "", "github_pat_" + body(alnum, 22) + "_" + body(alnum, 59), ""},
	{"GitLab", "", "glpat-" + body(alnum, 20), ""},
	{"GitLab runner", "", "glrt-" + body(alnum, 20), ""},
	{"Slack bot", "", "xoxb-" + body("0123456789", 12) + "-" + body(alnum, 24), ""},
	{"Slack app", "", "xapp-1-" + body(upper, 11) + "-" + body(hexa, 40), ""},
	{"Slack hook", "https://hooks.slack.com/services/", "T" + body(upper, 8) + "/B" + body(upper, 8) + "/" + body(alnum, 24), ""},
	{"Google API", "?q=", "AIza" + body(alnum, 35), "&x=1"},
	{"Google OAuth", "", "ya29." + body(alnum, 60), ""},
	{"Google client", "", "GOCSPX-" + body(alnum, 28), ""},
	{"Hugging Face", "", "hf_" + body(alnum, 34), ""},
	{"npm", "", "npm_" + body(alnum, 36), ""},
	{"PyPI", "", "pypi-" + body(alnum, 80), ""},
	{"SendGrid", "", "SG." + body(alnum, 22) + "." + body(alnum, 43), ""},
	{"Groq", "", "gsk_" + body(alnum, 52), ""},
	{"xAI", "", "xai-" + body(alnum, 80), ""},
	{"Perplexity", "", "pplx-" + body(alnum, 48), ""},
	{"Replicate", "", "r8_" + body(alnum, 37), ""},
	{"Tavily", "", "tvly-dev-" + body(alnum, 32), ""},
	{"DigitalOcean", "", "dop_v1_" + body(hexa, 64), ""},
	{"Shopify", "", "shpat_" + body(hexa, 32), ""},
	{"Databricks", "", "dapi" + body(hexa, 32), ""},
	{"Vault", "", "hvs." + body(alnum, 90), ""},
	{"Grafana", "", "glsa_" + body(alnum, 32) + "_" + body(hexa, 8), ""},
	{"Docker", "", "dckr_pat_" + body(alnum, 27), ""},
	{"Linear", "", "lin_api_" + body(alnum, 40), ""},
	{"Notion", "", "ntn_" + body(alnum, 46), ""},
	{"Supabase", "", "sbp_" + body(hexa, 40), ""},
	{"Postman", "", "PMAK-" + body(hexa, 24) + "-" + body(hexa, 34), ""},
	{"New Relic", "", "NRAK-" + body(upper, 27), ""},
	{"Telegram", "bot", " " + body("123456789", 10) + ":AA" + body(alnum, 33), ""},
	{"Discord", "", "M" + body(alnum, 23) + "." + body(alnum, 6) + "." + body(alnum, 38), ""},
	{"JWT", "", "eyJ" + body(alnum, 30) + ".eyJ" + body(alnum, 60) + "." + body(alnum, 43), ""},
	{"age", "", "AGE-SECRET-KEY-1" + body(upper, 58), ""},
	{"private key", "a\n", "-----BEGIN PRIVATE KEY-----\n" + body(alnum, 64) + "\n-----END PRIVATE KEY-----", "\nb"},
	{"OpenSSH key", "", "-----BEGIN OPENSSH PRIVATE KEY-----\n" + body(alnum, 64) + "\n-----END OPENSSH PRIVATE KEY-----", ""},
	{"PGP key", "", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n" + body(alnum, 64) + "\n-----END PGP PRIVATE KEY BLOCK-----", ""},
	{"cut private key", "a ", "-----BEGIN RSA PRIVATE KEY-----\n" + body(alnum, 64), ""},
	{"escaped private key", `{"k":"`, `-----BEGIN EC PRIVATE KEY-----\n` + body(alnum, 64) + `\n-----END EC PRIVATE KEY-----`, `"}`},
	{"bearer", "Authorization: Bearer ", body(hexa, 64), "\r\n"},
	{"bearer in JSON", `{"authorization":"Bearer `, body(alnum, 30), `"}`},
	{"bearer of letters", "bearer ", body(alnum[:52], 40), ""},
	{"basic", "Authorization: Basic ", body(alnum, 20) + "==", ""},
	{"cookie", "Cookie: ", "session=" + body(alnum, 32) + "; theme=dark", "\r\nHost: x"},
	{"set-cookie", "Set-Cookie: ", "sid=" + body(alnum, 32) + "; HttpOnly", ""},
	{"URL password", "postgres://app:", "s3cretpw", "@db:5432/x"},
	{"URL token", "https://x-access-token:", body(alnum, 30), "@example.com/a.git"},
	{"Azure", "AccountKey=", body(alnum, 86) + "==", ";"},
	{"variable", "export OPENAI_API_KEY=", body(alnum, 32), "\n"},
	{"YAML", "api_key: ", body(alnum, 32), "\n"},
	{"JSON", `"apiKey": "`, body(alnum, 32), `",`},
	{"header", "x-api-key: ", body(alnum, 32), "\n"},
	{"parameter", "GET /v1?access_token=", body(alnum, 32), "&page=2"},
	{"fragment", "http://127.0.0.1:8080/#token=", body(hexa, 64), ""},
	{"client secret", "client_secret=", body(alnum, 32), ""},
	{"refresh token", `refreshToken := "`, body(alnum, 32), `"`},
	{"our launch secret", "launchSecret=", body(hexa, 64), ""},
	{"our route key", "STRATA_ROUTE_KEY=", body(hexa, 64), " node"},
	{"password", "password=", "hunter2secret", ""},
	{"quoted password", `"passwd": "`, "tr0ub4dor", `"`},
}

func TestShapesAreTakenOut(t *testing.T) {
	if len(shaped) < 40 {
		t.Fatalf("%d shapes, want at least 40", len(shaped))
	}
	r := New()
	for _, tt := range shaped {
		t.Run(tt.name, func(t *testing.T) {
			secret := strings.TrimLeft(tt.secret, " ")
			lead := tt.before + tt.secret[:len(tt.secret)-len(secret)]
			want := lead + Mark + tt.after
			if d := cmp.Diff(want, r.Text(lead+secret+tt.after)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	if r.Count() < int64(len(shaped)) {
		t.Errorf("counted %d, want at least %d", r.Count(), len(shaped))
	}
}

func TestValuesAreTakenOut(t *testing.T) {
	r := New("correct horse & battery", "short", "the \"quoted\" value")
	r.Add("later-value", "later-value", "redacted")
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "is correct horse & battery!", "is [redacted]!"},
		{"in a URL", "?p=correct+horse+%26+battery&x", "?p=[redacted]&x"},
		{"in JSON", `{"a":"correct horse \u0026 battery"}`, `{"a":"[redacted]"}`},
		{"quotes in JSON", `{"a":"the \"quoted\" value"}`, `{"a":"[redacted]"}`},
		{"twice", "later-value later-value", "[redacted] [redacted]"},
		{"too short to be one", "short", "short"},
		{"part of the mark", "redacted", "redacted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := r.Text(tt.in); got != tt.want {
				t.Errorf("Text = %q, want %q", got, tt.want)
			}
			if got := string(r.Values([]byte(tt.in))); got != tt.want {
				t.Errorf("Values = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestValuesLeavesShapes(t *testing.T) {
	in := "sk-" + body(alnum, 48)
	if got := string(New("some-other-value").Values([]byte(in))); got != in {
		t.Errorf("got %q", got)
	}
}

func TestOrdinaryTextStays(t *testing.T) {
	r := New()
	for _, s := range []string{
		"", "const apiKey = process.env.OPENAI_API_KEY;", "apiKey: config.models.apiKey2,", "password: string;",
		"token := r.Header.Get(\"Authorization\")", "if (password === confirmPassword) {", "api_key = os.environ['KEY']",
		"sha256:" + body(hexa, 64), "commit " + body(hexa, 40), "integrity: sha512-" + body(alnum, 86) + "==",
		"h1:" + body(alnum, 43) + "=", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "data:image/png;base64," + body(alnum, 400),
		"class=\"sk-folding-cube-animation sk-cube-grid-layout\"", "the task-force-2024-committee-agenda",
		"Bearer authentication is described in section five", "send Authorization: Bearer <token>", "Bearer ${token}",
		"max_tokens: 1234567890123", "promptTokens=123456789012", "https://example.com:8080/path@v1.2.3",
		"postgres://$USER:$PASSWORD@localhost/db", "https://user:${TOKEN}@host/", "key: " + body(hexa, 64),
		"public_key = " + body(alnum, 44), "glob-pattern-for-the-filename-2", "import x from 'hf_transfer_client_library'",
		"/* cookie: a small file */", "git@github.com:owner/repo.git", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + body(alnum, 43),
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
		"secret: ./path/to/secret_file.txt", "token = lexer.next_token2()", "password = getpass.getpass()",
	} {
		if d := cmp.Diff(s, r.Text(s)); d != "" {
			t.Errorf("changed (-want +got):\n%s", d)
		}
	}
	if r.Count() != 0 {
		t.Errorf("counted %d", r.Count())
	}
}

// allowance are the lines of the corpus that may change, each looked at.
var allowance = map[string]bool{}

// TestCorpusStays reads real code and lock files: Go's own packages that deal
// with keys and tokens, and every lock file of this project.
func TestCorpusStays(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, dir := range []string{"net/http", "net/url", "crypto/tls", "crypto/x509", "go/token", "go/scanner", "encoding/json", "encoding/base64", "cmd/go/internal/auth"} {
		err := filepath.WalkDir(filepath.Join(strings.TrimSpace(string(goroot)), "src", dir), func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go") {
				files = append(files, p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Join("..", "..", "..")
	for _, p := range []string{"host/go.sum", "wasm/go.sum", "e2e/go.sum", "e2e/harness/pnpm-lock.yaml", "proto/abi/*.go", "proto/dsh/*.go", "proto/chat/*.go", "host/internal/httpapi/*.go"} {
		m, err := filepath.Glob(filepath.Join(root, p))
		if err != nil || len(m) == 0 {
			t.Fatalf("%s: no file (%v)", p, err)
		}
		for _, f := range m {
			if !strings.HasSuffix(f, "_test.go") { // tests of redaction hold what looks like secrets
				files = append(files, f)
			}
		}
	}
	r, lines := New(), 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range strings.Split(string(b), "\n") {
			lines++
			if got := r.Text(l); got != l && !allowance[strings.TrimSpace(l)] {
				t.Errorf("%s:%d\n  %s\n  %s", f, i+1, l, got)
			}
		}
	}
	if lines < 50_000 {
		t.Errorf("the corpus has %d lines only", lines)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range shaped {
		f.Add(s.before+s.secret+s.after, s.secret)
	}
	f.Add("]xxxxxxx]xxxxxxxxxxxxxx", "]xxxxxxx")
	f.Add("aaaaaaaaaaaaaaaa", "aaaaaaaa")
	f.Fuzz(func(t *testing.T, text, value string) {
		r := New(value)
		once := r.Text(text)
		if twice := r.Text(once); twice != once {
			t.Errorf("not idempotent:\n%q\n%q", once, twice)
		}
		if len(value) >= MinValue && !strings.Contains(Mark, value) && strings.Contains(once, value) {
			t.Errorf("%q is left in %q", value, once)
		}
	})
}

func BenchmarkText(b *testing.B) {
	line := `{"level":"info","msg":"listening","addr":"127.0.0.1:4321","session":"3f2504e0-4f89-11d3-9a0c-0305e82c3301"}`
	r := New(body(hexa, 64), body(alnum, 40))
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		r.Text(line)
	}
}
