package script

import (
	"strings"
	"testing"
)

func TestJQ(t *testing.T) {
	both(t, JQ, []string{
		".", ".name", ".a.b.c", ".[]", ".[0]", ".[1:3]", ".[-1]", `.["a b"]`, `."x"`, ".a?", "..", ".. | .name? // empty", "keys", ".scripts | keys[]",
		".dependencies | to_entries[] | \"\\(.key)=\\(.value)\"", ".[] | select(.a == 1 and .b != \"x\") | {id, title: .name, (.k): 1, \"q\": 2, $v}",
		"map(.a) | add", "length", "if .a then .b elif .c then 1 else empty end", ".a as $x | .b | map(. + $x)", "[.[] | .x] | sort | unique | length",
		"with_entries(select(.value | test(\"^a\")))", "@tsv", "@base64d", ".env", `.["env"]`, "{env}", "{env: .x}", "{if: 1}", "try .a catch .", "not", "paths", "type",
		".a |= 1", "del(.x)", "recurse", "recurse | numbers", "first(.[])", "limit(3; .[])", ".[] | [.a, .b] | @csv", "{a: (if .x then 1, 2 else 3 end), b}", "$x", "",
		"\"a\\nb\\\"c\\\\\"", ".foo[\"bar\"].baz", "1 + 2.5", "input", "[inputs]",
		".a * 100", "1 + 3 * .b", ".. | .name?", "3 * .b", "map(.price * 2) | add", "def name: .a.b; map(name)", "def f: .x | ascii_downcase; def g: f | length; .[] | g", "def f: \"a;b\"; f",
		"reduce .[] as $x (0; . + $x)", "reduce .[] as $x ({}; .[$x.k] += 1)", "reduce .a[] as $i (0; . + $i.n)", "gsub(\"a\"; \"b\")" + strings.Repeat(" | gsub(\"a;\"; \"\")", 9), "reduce inputs as $l (0; . + ($l|length))", "reduce .[] as $x ([]; . + [$x.a])",
		"[.[] | {a: .a, b: .b, c: (.c | tostring)}] | sort_by(.a) | .[0:5]", "to_entries | map(\"\\(.key)=\\(.value)\") | join(\",\")",
	}, []string{
		"env", "$ENV", "$ENV.PATH", "env.PATH", ".. | env", "{a: env}", "{(env): 1}", "{a: if 1 then 2, env else 3 end}", "{a: [1, env]}", "{\"\\(env)\": 1}", "\"\\(env)\"",
		"\"\\($ENV)\"", "\"\\( \"\\(env)\" )\"", "import \"a\" as a; .", "include \"a\"; .", "a::b", "def f: f; f", "def env: 1; env", "def f(x): x; f(.)", "def f: env; f", "def f: 1; def f: f; f", "def f: 1; f(2)", "def f: 1", "def f: .; $ENV",
		"\"x\" * 999999 * 999999", "\"x\"*999999*999999", ".a * .b", "\"x\" * (9 * 9)", "\"x\" * $n", "[.,.]" + strings.Repeat("|[.,.]", 25), ". + ." + strings.Repeat(" | . + .", 25),
		"{a:(.a+.a)}" + strings.Repeat("|{a:(.a+.a)}", 25), "def d: .+.; d" + strings.Repeat("|d", 25), "tojson" + strings.Repeat("|tojson", 25), "@base64" + strings.Repeat("|@base64", 25), "\"x\" *", "gsub(\"\"; \"xxxxxxxx\")" + strings.Repeat("|gsub(\"\"; \"xxxxxxxx\")", 7), "def map: map(.); map", "test(\"x{999}{999}\")", "\"x\" * 3 * infinite", "\"x\" * 3 * .n", ".n / 3 * .a", "[..]" + strings.Repeat("|[..]", 9), "[paths]" + strings.Repeat("|[paths]", 9), "reduce .[env.A] as $x (0; .)", "reduce [env] as $x (0; .)",
		"reduce .[] as $x (\"a\"; . + .)", "reduce .[] as $x (\"\"; tojson)", "reduce .[] as $x (\"a\"; . * 2)", "reduce .[] as $x (0; env)", "reduce .[] as $x (0; $ENV)", "reduce env as $x (0; .)", "reduce .[] as $x (env; .)",
		"reduce .[] as $x (\"a\"; .a = .)", "reduce .[] as $x (\"a\"; \"\\(.)\\(.)\")", "reduce .[] as $x (0; . + $x", "reduce .[] as $x (0; . as $y | $y + $y)", "reduce .[] as $x (0; [..])", "reduce range(9) as $x (0; .)", "range(9)", "while(true; .)", "until(false; .)",
		"repeat(.)", "recurse(.)", "recurse (.)", "foreach .[] as $x (0; .)", "label $out | 1", "$__prog_args", "$__loc__", "modulemeta",
		"get_search_list", "halt", "builtins", "combinations", "input | env", ". # x", "1e9", "12345678", ".a | frob", "(", ")", "[)", "{a b}", "{env x}", "\"a", "\\", "'a'", "`a`", "a;b",
		"getpath(env)", "if env then 1 else 2 end", "ltrimstr(env)", "@sh \"\\(env)\"", ".a as {b: $c} | env", "{a:1} | env", "{a:1,env:env}", "splits(\"a\"; env)", "$", "@", "{,env}|env",
	})
}

func FuzzJQ(f *testing.F) {
	for _, s := range []string{".a | {b, c: \"\\(.d)\"}", "{a: if 1 then 2, env else 3 end}", "\"\\(env)\"", ".[] | select(.a)", "def f: .a; reduce .[] as $x (0; . + $x)", "gsub(\"a\"; \"b\") * 3", "reduce . as $x (", "def f", "gsub(;\"", "..*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if JQ(src) && (JQ(src+" | env") || JQ(src+", env") || JQ("env | "+src)) {
			t.Errorf("%q: shows the environment when more is piped", src)
		}
	})
}
