package readable

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var at, _ = url.Parse("https://site.example/docs/page?x=1")

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"paragraphs", "<p>One  two\n three.<p>Four<br>five.", "One two three.\n\nFour\nfive."},
		{"headings", "<h1>A <b>big</b> title</h1><h3>Small</h3>text", "# A big title\n\n### Small\n\ntext"},
		{"links", `<a href="/a">root</a>, <a href="b(c)">rel</a>, <a href="//other.example">other</a>, <a href="#x">here</a>, <a href="javascript:x">no</a>, <a href="mailto:a@b">mail</a>`,
			"[root](https://site.example/a), [rel](https://site.example/docs/b%28c%29), [other](https://other.example), here, no, mail"},
		{"base", `<base href="/elsewhere/"><a href="x">x</a>`, "[x](https://site.example/elsewhere/x)"},
		{"lists", "<ul><li>a<li><p>b</p><ul><li>c<li>d</ul><li>e</ul><ol start=3><li>x<li>y</ol>", "- a\n- b\n  - c\n  - d\n- e\n\n3. x\n4. y"},
		{"quote", "<blockquote><p>a<p>b</blockquote>c", "> a\n>\n> b\n\nc"},
		{"code", "Use <code>a`b</code> and <kbd>Ctrl</kbd>.<pre><code class='hl language-go'>func x() {\n\treturn\n}\n</code></pre>", "Use ``a`b`` and `Ctrl`.\n\n```go\nfunc x() {\n\treturn\n}\n```"},
		{"fence in code", "<pre>```\nx</pre>", "````\n```\nx\n````"},
		{"table", "<table><tr><th>A<th>B|C<tr><td>1<td><a href=/x>x</a><tr><td>2</table>", "| A | B\\|C |\n| --- | --- |\n| 1 | [x](https://site.example/x) |\n| 2 |  |"},
		{"layout table", "<table><tr><td><table><tr><td>a<td>b</table><td>c</table>", "| a | b |\n| --- | --- |\n\nc"},
		{"image", `<img alt="A duck" src="d.png"><img src=x><img alt=dot src="data:image/png;base64,xx">`, "![A duck](https://site.example/docs/d.png)dot"},
		{"not seen", `<p hidden>a</p><div style="color:red; display : none">b</div><i aria-hidden=true>c</i><script>d</script><style>e</style><noscript>f</noscript><template>g</template>h`, "ch"},
		{"navigation", "<nav>n</nav><article>a</article><footer>f</footer>", "a"},
		{"main", "<header>h</header><main><aside>s</aside>m</main>x", "s\n\nm"},
		{"entities", "&lt;script&gt; &amp;amp; caf&eacute;", `\<script> &amp; café`},
		{"injection", `<p>[x](http://evil.example) *b* snake_case _it_<p># no<p>- no<p>1. no<p>&gt; no<p><a href="/a">a](http://evil.example)<br>- b</a>`,
			`\[x\](http://evil.example) \*b\* snake_case \_it\_` + "\n\n\\# no\n\n\\- no\n\n1\\. no\n\n\\> no\n\n" + `[a\](http://evil.example) - b](https://site.example/a)`},
		{"definition", "<dl><dt>a<dd>b</dl>", "a\n\n: b"},
		{"card", `<a href=/x><div>Title</div><p>Text</p></a>`, "Title\n\nText"},
		{"refresh is not followed", `<meta http-equiv=refresh content="0;url=http://127.0.0.1/">text`, "text"},
		{"empty", "", ""},
	} {
		if diff := cmp.Diff(c.want, Read(c.page, at).Markdown); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if got := Read("<title> A\n title </title>x", at); got.Title != "A title" {
		t.Errorf("title %q", got.Title)
	}
}

// Pages that were made to be slow are read, and what little they say is kept.
func TestHostile(t *testing.T) {
	for name, page := range map[string]string{
		"css":        "<style>" + strings.Repeat("a{b:c} ", 150_000) + "</style><p>The text.",
		"nesting":    strings.Repeat("<div>", 200_000) + "The text.",
		"some depth": strings.Repeat("<div>", 600) + "The text.",
		"lists":      strings.Repeat("<ul><li>", 100_000) + "The text.",
		"comment":    "<p>The text.<!--" + strings.Repeat("x", 1_000_000),
		"attributes": "<p>The text.<p " + strings.Repeat("a=b ", 100_000) + ">",
		"cells":      "<p>The text.<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>x", 60), 1000),
		"links":      "<p>The text." + strings.Repeat("<a href=x><i>", 50_000),
	} {
		got := Read(page, at).Markdown
		switch name {
		case "nesting", "lists": // beyond what is read of a page
		default:
			if !strings.Contains(got, "The text.") {
				t.Errorf("%s: %.80q", name, got)
			}
		}
		if len(got) > 4*maxOut {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("<p>a<ul><li>b<table><tr><td>c<pre>d</pre><a href=/x>e<img alt=f>")
	f.Add("<ol><li><blockquote><dl><dd><h1>x<code>`</code>")
	f.Fuzz(func(t *testing.T, page string) {
		got := Read(page, at)
		if strings.Contains(got.Markdown, "](javascript:") || (utf8.ValidString(page) && !utf8.ValidString(got.Markdown)) {
			t.Errorf("%q", got.Markdown)
		}
	})
}
