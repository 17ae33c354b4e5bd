import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseInline } from '../static/inline.mjs';
import { parseMarkdown } from '../static/markdown.mjs';

/** @param {string} text */
const t = (text) => ({ type: 'text', text });

/** @type {[string, string, unknown][]} */
const inline = [
  ['plain', 'a b', [t('a b')]],
  ['markup stays text', '<img src=x onerror=alert(1)> &amp;', [t('<img src=x onerror=alert(1)> &amp;')]],
  ['bold', 'a **b c** d', [t('a '), { type: 'strong', children: [t('b c')] }, t(' d')]],
  ['bold in italic', '*a **b** c*', [{ type: 'em', children: [t('a '), { type: 'strong', children: [t('b')] }, t(' c')] }]],
  ['italic', '_a_ and *b*', [{ type: 'em', children: [t('a')] }, t(' and '), { type: 'em', children: [t('b')] }]],
  ['snake case', 'some_long_name and __init__.py', [t('some_long_name and '), { type: 'strong', children: [t('init')] }, t('.py')]],
  ['struck', '~~no~~', [{ type: 'del', children: [t('no')] }]],
  ['stars of arithmetic', '2 * 3 * 4', [t('2 * 3 * 4')]],
  ['unfinished bold', 'so **it go', [t('so **it go')]],
  ['code', 'run `ls -l` now', [t('run '), { type: 'code', text: 'ls -l' }, t(' now')]],
  ['code with a backtick', '`` a`b ``', [{ type: 'code', text: 'a`b' }]],
  ['unfinished code', 'run `ls', [t('run `ls')]],
  ['marks in code', '`**a**`', [{ type: 'code', text: '**a**' }]],
  ['escape', '\\*a\\* \\d', [t('*a* \\d')]],
  ['line break', 'a\nb', [t('a'), { type: 'break' }, t('b')]],
  ['link', '[Go](https://go.dev/x)', [{ type: 'link', href: 'https://go.dev/x', children: [t('Go')] }]],
  ['link with brackets', '[a](https://e.org/b_(c))', [{ type: 'link', href: 'https://e.org/b_(c)', children: [t('a')] }]],
  ['link that runs', '[a](javascript:alert(1))', [t('[a](javascript:alert(1))')]],
  ['link that holds data', '[a](data:text/html,x)', [t('[a](data:text/html,x)')]],
  ['relative link', '[a](src/main.go)', [t('[a](src/main.go)')]],
  ['link that pretends', '[https://good.org](https://evil.org/)',
    [{ type: 'link', href: 'https://evil.org/', children: [t('https://good.org'), t(' (evil.org)')] }]],
  ['picture', '![alt](https://e.org/p.png)', [{ type: 'link', href: 'https://e.org/p.png', children: [t('alt')] }]],
  ['address', 'see https://e.org/a?b=1. Then', [t('see '), { type: 'link', href: 'https://e.org/a?b=1', children: [t('https://e.org/a?b=1')] }, t('. Then')]],
  ['address in a word', 'xhttps://e.org', [t('xhttps://e.org')]],
];

for (const [name, src, want] of inline) {
  test(`inline: ${name}`, () => assert.deepEqual(parseInline(src), want));
}

/** @param {string} src */
const shape = (src) => JSON.parse(JSON.stringify(parseMarkdown(src), (k, v) => (k === 'src' ? undefined : v)));
/** @param {string} text */
const p = (text) => ({ type: 'paragraph', children: [t(text)] });

/** @type {[string, string, unknown][]} */
const blocks = [
  ['paragraphs', 'a\n\nb', [p('a'), p('b')]],
  ['heading', '## Title ##\ntext', [{ type: 'heading', level: 2, children: [t('Title')] }, p('text')]],
  ['no heading', '#hash', [p('#hash')]],
  ['rule', 'a\n\n---\nb', [p('a'), { type: 'rule' }, p('b')]],
  ['fence', '```go\nx := 1\n\n# no\n```\nafter', [{ type: 'code', lang: 'go', text: 'x := 1\n\n# no' }, p('after')]],
  ['fence in a fence', '````\n```\n````', [{ type: 'code', lang: '', text: '```' }]],
  ['unfinished fence', '```\na\n', [{ type: 'code', lang: '', text: 'a\n' }]],
  ['list', '- a\n- b', [{ type: 'list', ordered: false, start: 1, items: [[p('a')], [p('b')]] }]],
  ['numbers', '3. a\n4) b', [{ type: 'list', ordered: true, start: 3, items: [[p('a')], [p('b')]] }]],
  ['list after text', 'x:\n- a', [p('x:'), { type: 'list', ordered: false, start: 1, items: [[p('a')]] }]],
  ['loose list', '- a\n\n- b', [{ type: 'list', ordered: false, start: 1, items: [[p('a')], [p('b')]] }]],
  ['nested list', '- a\n  - b\n- c', [{
    type: 'list', ordered: false, start: 1,
    items: [[p('a'), { type: 'list', ordered: false, start: 1, items: [[p('b')]] }], [p('c')]],
  }]],
  ['code in a list', '1. a\n\n   ```\n   x\n   ```\n2. b', [{
    type: 'list', ordered: true, start: 1, items: [[p('a'), { type: 'code', lang: '', text: 'x' }], [p('b')]],
  }]],
  ['quote', '> a\n> > b', [{ type: 'quote', blocks: [p('a'), { type: 'quote', blocks: [p('b')] }] }]],
  ['table', '| a | b |\n|---|:-:|\n| 1 | x\\|y |\n| 2 |', [{
    type: 'table', head: [[t('a')], [t('b')]], rows: [[[t('1')], [t('x|y')]], [[t('2')], []]],
  }]],
  ['a line with a bar', 'a | b\nc', [{ type: 'paragraph', children: [t('a | b'), { type: 'break' }, t('c')] }]],
];

for (const [name, src, want] of blocks) {
  test(`block: ${name}`, () => assert.deepEqual(shape(src), want));
}

test('blocks keep their source, so that a growing answer redraws its end only', () => {
  const before = parseMarkdown('# T\n\nfirst\n\n- a\n- b');
  const after = parseMarkdown('# T\n\nfirst\n\n- a\n- bc');
  assert.deepEqual(before.map((b) => b.src), ['# T', 'first', '- a\n- b']);
  assert.deepEqual(after.map((b) => b.src), ['# T', 'first', '- a\n- bc']);
});

test('any prefix of any text is parsed, and no text gets lost', () => {
  const src = 'Hi **bold** `code` [l](https://e.org)\n\n```js\na\n```\n- x\n  1. y\n> q\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\nend_of_it *so* ~~d~~';
  for (let n = 0; n <= src.length; n++) {
    const text = JSON.stringify(parseMarkdown(src.slice(0, n)));
    for (const word of src.slice(0, n).match(/\b[a-z]{3,}\b/g) ?? []) assert.ok(text.includes(word), `${n}: ${word}`);
  }
});

test('hostile text takes a bounded number of steps', () => {
  // Each of these is quadratic or worse for a parser that tries again from every
  // mark; 200 KB of it would not end within the runner's limit then.
  for (const bit of ['**a ', '`', '``a` ', '[a', '![', '_a ', '~~a ', '*a **b ', '\\', '> ', '- ', '|-', '[a](http://b', 'http', '1. ', '\n> - ', '**a*b_c']) {
    parseMarkdown(bit.repeat(200_000 / bit.length));
    parseMarkdown(`${bit}\n`.repeat(20_000 / bit.length));
  }
});
