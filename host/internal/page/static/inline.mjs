// Markdown inside a line, as a tree of plain values. Model text only ever becomes
// text nodes; what is not understood stays as it was written.

/**
 * @typedef {{type: 'text', text: string}
 *   | {type: 'code', text: string}
 *   | {type: 'strong' | 'em' | 'del', children: Inline[]}
 *   | {type: 'link', href: string, children: Inline[]}
 *   | {type: 'break'}} Inline
 */

const maxDepth = 6;

/** Marks and what they make, longest first. @type {[string, 'strong' | 'em' | 'del'][]} */
const marks = [['**', 'strong'], ['__', 'strong'], ['~~', 'del'], ['*', 'em'], ['_', 'em']];

/**
 * @param {string} src
 * @param {number} [depth]
 * @returns {Inline[]}
 */
export function parseInline(src, depth = 0) {
  /** @type {Inline[]} */
  const out = [];
  // Marks without an end from some place on have none later either: remembering
  // them keeps the time linear, whatever the text.
  const endless = new Set();
  let text = '';
  /** @param {Inline} node @param {number} to */
  const push = (node, to) => {
    if (text) out.push({ type: 'text', text });
    text = '';
    out.push(node);
    return to;
  };
  for (let i = 0; i < src.length;) {
    const found = src[i] === '\\' ? null
      : codeSpan(src, i, endless) ?? link(src, i, depth) ?? autolink(src, i, depth) ?? emphasis(src, i, depth, endless);
    if (found) {
      i = push(found.node, found.to);
    } else if (src[i] === '\n') {
      i = push({ type: 'break' }, i + 1);
    } else if (src[i] === '\\' && /[!-/:-@[-`{-~]/.test(src[i + 1] ?? '')) {
      text += src[i + 1];
      i += 2;
    } else {
      const run = src[i] === '`' ? backticks(src, i) : 1; // a run without an end is text as a whole
      text += src.slice(i, i + run);
      i += run;
    }
  }
  if (text) out.push({ type: 'text', text });
  return out;
}

/** @param {string} src @param {number} i */
function backticks(src, i) {
  let n = 0;
  while (src[i + n] === '`') n++;
  return n;
}

/** @param {string} src @param {number} i @param {Set<string>} endless */
function codeSpan(src, i, endless) {
  if (src[i] !== '`') return null;
  const n = backticks(src, i);
  const run = '`'.repeat(n);
  if (endless.has(run)) return null;
  for (let at = src.indexOf(run, i + n); at >= 0; at = src.indexOf(run, at)) {
    const m = backticks(src, at);
    if (m === n) {
      const inner = src.slice(i + n, at).replaceAll('\n', ' ');
      const trimmed = /^ .*[^ ].* $|^ [^ ] $/.test(inner) ? inner.slice(1, -1) : inner;
      return { node: /** @type {Inline} */ ({ type: 'code', text: trimmed }), to: at + n };
    }
    at += m;
  }
  endless.add(run);
  return null;
}

/** @param {string} src @param {number} i @param {number} depth */
function link(src, i, depth) {
  const image = src[i] === '!' && src[i + 1] === '[';
  if (src[i] !== '[' && !image) return null;
  const from = image ? i + 2 : i + 1;
  const m = /^([^[\]]{1,500})\]\(<?([^\s()<>]{1,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})?)>?(?: "[^"]{0,200}")?\)/.exec(src.slice(from, from + 3300));
  if (!m || depth >= maxDepth) return null;
  const href = safeHref(m[2]);
  if (!href) return null;
  return { node: linkNode(href, parseInline(m[1], maxDepth), m[1]), to: from + m[0].length };
}

/** @param {string} src @param {number} i @param {number} depth */
function autolink(src, i, depth) {
  if (src[i] !== 'h' || depth >= maxDepth || /[\w/]/.test(src[i - 1] ?? '')) return null;
  const m = /^https?:\/\/[^\s<>"'`]{1,2000}/.exec(src.slice(i, i + 2010));
  if (!m) return null;
  const url = m[0].replace(/[.,;:!?*_~\])}]+$/, '');
  const href = safeHref(url);
  if (!href) return null;
  return { node: /** @type {Inline} */ ({ type: 'link', href, children: [{ type: 'text', text: url }] }), to: i + url.length };
}

/** @param {string} src @param {number} i @param {number} depth @param {Set<string>} endless */
function emphasis(src, i, depth, endless) {
  const mark = marks.find(([m]) => src.startsWith(m, i));
  if (!mark || depth >= maxDepth) return null;
  const [m, type] = mark;
  const from = i + m.length;
  if (/\s/.test(src[from] ?? ' ') || endless.has(m)) return null;
  if (m[0] === '_' && /\w/.test(src[i - 1] ?? '')) return null; // snake_case
  for (let at = src.indexOf(m, from + 1); at >= 0; at = src.indexOf(m, at + 1)) {
    if (/\s/.test(src[at - 1]) || src[at - 1] === '\\') continue;
    if (m.length === 1 && (src[at + 1] === m || src[at - 1] === m)) continue;
    if (m[0] === '_' && /\w/.test(src[at + m.length] ?? '')) continue;
    return { node: /** @type {Inline} */ ({ type, children: parseInline(src.slice(from, at), depth + 1) }), to: at + m.length };
  }
  endless.add(m);
  return null;
}

/**
 * A link that may be followed: web and mail addresses only.
 * @param {string} raw
 */
function safeHref(raw) {
  try {
    const u = new URL(raw);
    return ['http:', 'https:', 'mailto:'].includes(u.protocol) ? u.href : null;
  } catch {
    return null;
  }
}

/**
 * A link whose words are an address other than where it goes says where it goes.
 * @param {string} href @param {Inline[]} children @param {string} label
 * @returns {Inline}
 */
function linkNode(href, children, label) {
  const shown = /^(?:https?:\/\/)?([\w-]+(?:\.[\w-]+)+)/i.exec(label.trim());
  const host = new URL(href).host;
  if (shown && shown[1].toLowerCase() !== host) children = [...children, { type: 'text', text: ` (${host || href})` }];
  return { type: 'link', href, children };
}
