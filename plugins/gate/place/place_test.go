package place

import (
	"testing"

	"strata.dev/bridge/plugins/gate/reason"
)

func TestJudge(t *testing.T) {
	linux := Place{CWD: "/home/u/repo/src", Workspace: "/home/u/repo", Secrets: []string{"/home/u/repo/data", "/srv/dsh"}}
	windows := Place{Windows: true, CWD: `C:\Users\u\repo`, Workspace: `C:\Users\u\repo`, Secrets: []string{`C:\Users\u\repo\data`}}
	tests := []struct {
		place Place
		word  string
		want  string // key of the reason
	}{
		{linux, "main.go", ""},
		{linux, "..", reason.Unknown},
		{linux, "../README.md", reason.Unknown},
		{linux, "../../repo/x", reason.Unknown},
		{linux, "/home/u/repo", ""},
		{linux, "./a/../b", reason.Unknown},
		{linux, "/home/u/repo/a/../b", reason.Unknown},
		{linux, "a..b/..c", ""},
		{linux, "../..", reason.Outside},
		{linux, "../../repo2/x", reason.Outside},
		{linux, "/home/u/repository", reason.Outside},
		{linux, "/", reason.Outside},
		{linux, "/dev/stdin", reason.Outside},
		{linux, "/dev/null", ""},
		{linux, "/dev/null/x", reason.Outside},
		{windows, "/dev/null", reason.Unknown},
		{linux, "/etc/shadow", reason.Secret},
		{linux, "/proc/self/environ", reason.Secret},
		{linux, "/proc", reason.Secret},
		{linux, "", reason.Unknown},
		{linux, "a\x00b", reason.Unknown},
		{linux, "../data", reason.Secret},
		{linux, "../data/token", reason.Secret},
		{linux, "../DATA/token", reason.Secret},
		{linux, "../database", reason.Unknown},
		{linux, "/srv/dsh/settings.yaml", reason.Secret},
		{linux, ".env", reason.Secret},
		{linux, ".ENV", reason.Secret},
		{linux, "x/.env.production", reason.Secret},
		{linux, "prod.env", reason.Secret},
		{linux, "environment.ts", ""},
		{linux, "id_rsa", reason.Secret},
		{linux, "id_rsa.pub", ""},
		{linux, "id_ed25519_work", reason.Secret},
		{linux, "certs/server.pem", reason.Secret},
		{linux, "keyboard.go", ""},
		{linux, "monkey.go", ""},
		{linux, ".ssh/config", reason.Secret},
		{linux, "a/.aws/credentials", reason.Secret},
		{linux, "credentials/index.ts", ""},
		{linux, ".npmrc", reason.Secret},
		{linux, ".git-credentials", reason.Secret},
		{linux, ".dev.vars", reason.Secret},
		{linux, ".dev.vars.production", reason.Secret},
		{linux, ".vault_pass", reason.Secret},
		{linux, ".vault-pass", reason.Secret},
		{linux, ".authinfo", reason.Secret},
		{linux, ".mylogin.cnf", reason.Secret},
		{linux, "gcp/application_default_credentials.json", reason.Secret},
		{linux, "kubeconfig", reason.Secret},
		{linux, "auth.json", reason.Secret},
		{linux, ".config/gh/hosts.yml", reason.Secret},
		{linux, "ansible/hosts.yml", ""},
		{linux, ".secrets", reason.Secret},
		{linux, ".secrets/token", reason.Secret},
		{Place{CWD: "src", Workspace: "/w"}, "a", reason.Unknown},
		{Place{Workspace: "/w"}, "a", ""},
		{Place{CWD: "/w"}, "a", reason.Outside},
		{Place{CWD: "/a", Workspace: "/"}, "b", reason.Outside},
		{windows, `src\main.go`, ""},
		{windows, "src/main.go", ""},
		{windows, `c:\users\U\repo\x`, ""},
		{windows, `C:\Users\u\other`, reason.Outside},
		{windows, `..\other`, reason.Outside},
		{windows, `src\..\main.go`, ""},
		{windows, `D:x`, reason.Unknown},
		{windows, `\\server\share\x`, reason.Outside},
		{windows, `/Users/u/repo`, reason.Unknown},
		{windows, `a:b`, reason.Unknown},
		{windows, `C:\Users\u\repo\a:b`, reason.Unknown},
		{windows, `data\token`, reason.Secret},
	}
	for _, test := range tests {
		if got := test.place.Judge(test.word, false); got.Key != test.want {
			t.Errorf("%q in %q: %q, want %q", test.word, test.place.CWD, got, test.want)
		}
	}
}

func TestADeepLookSeesWhatLiesBelow(t *testing.T) {
	p := Place{CWD: "/home/u", Workspace: "/home/u", Secrets: []string{"/home/u/.local/strata"}}
	for word, want := range map[string]string{".": reason.Secret, ".local": reason.Secret, "src": ""} {
		if got := p.Judge(word, true); got.Key != want {
			t.Errorf("%q: %q", word, got)
		}
	}
}
