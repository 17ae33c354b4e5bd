package place

import (
	"testing"

	"strata.dev/bridge/plugins/gate/reason"
)

// What Windows takes for another name than it looks like cannot be judged by its
// words.
func TestWindowsNames(t *testing.T) {
	p := Place{Windows: true, CWD: `C:\Users\u\repo`, Workspace: `c:\users\U\repo`, Secrets: []string{`C:\Users\u\repo\Data`}}
	tests := map[string]string{
		`src\a.cs`: "", `SRC\A.CS`: "", `.\src\..\a.txt`: "", `C:\USERS\U\REPO\x`: "", "a~b.txt": "", "backup~": "", "console.log": "", "common": "", "com.txt": "",
		"com10x": "", "lpt": "", "null": "", "aux_.c": "", ".gitignore": "", "a.b.c": "", "longername~1.txt": "",
		`.ENV`: reason.Secret, `x\.Env.Local`: reason.Secret, `ID_RSA`: reason.Secret, `DATA\token`: reason.Secret, `.SSH\x`: reason.Secret,
		`..\x`: reason.Outside, `C:\Users\u\repository`: reason.Outside, `D:\repo\x`: reason.Outside,
		`.env.`: reason.Unknown, `.env `: reason.Unknown, `.ssh.\id`: reason.Unknown, "a./b": reason.Unknown, "a...": reason.Unknown, "...": reason.Unknown,
		"a.txt:s": reason.Unknown, "a.txt::$DATA": reason.Unknown, `C:\Users\u\repo\a:b`: reason.Unknown, "C:x": reason.Unknown, `\x`: reason.Unknown, "/x": reason.Unknown,
		"NUL": reason.Unknown, "nul.txt": reason.Unknown, `src\con`: reason.Unknown, "COM1": reason.Unknown, "lpt9.log": reason.Unknown, "com²": reason.Unknown, "aux .c": reason.Unknown,
		"conin$": reason.Unknown, "ENV~1": reason.Unknown, "PROGRA~1\\x": reason.Unknown, "ID_RSA~2.PUB": reason.Unknown, "a<b": reason.Unknown, `a"b`: reason.Unknown, "a|b": reason.Unknown,
		`\\server\share\x`: reason.Outside, `\\?\C:\Users\u\repo\x`: reason.Unknown, `\\.\pipe\x`: reason.Outside, "//./C:/Users/u/repo/x": reason.Unknown,
	}
	for word, want := range tests {
		if got := p.Judge(word, false); got.Key != want {
			t.Errorf("%q: %q, want %q", word, got.Key, want)
		}
	}
}

// Another letter that only a wider folding takes for the same is another name.
func TestFolding(t *testing.T) {
	p := Place{Windows: true, CWD: `C:\k`, Workspace: `C:\k`}
	for word, want := range map[string]string{"C:\\K\\x": "", "C:\\\u212a\\x": reason.Outside} {
		if got := p.Judge(word, false); got.Key != want {
			t.Errorf("%q: %q, want %q", word, got.Key, want)
		}
	}
}

func TestInvisibleCharactersInANameAreNotJudged(t *testing.T) {
	p := Place{CWD: "/w", Workspace: "/w"}
	for word, want := range map[string]string{".e\u200cnv": reason.Unknown, ".e\u00adnv": reason.Unknown, "größe": "", "日本": ""} {
		if got := p.Judge(word, false); got.Key != want {
			t.Errorf("%q: %q, want %q", word, got.Key, want)
		}
	}
}
