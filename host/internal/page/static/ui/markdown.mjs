// Markdown values as elements.
/** @import {Block} from '../markdown.mjs' */
/** @import {Inline} from '../inline.mjs' */

import { h, setChildren } from '../dom.mjs';
import { parseMarkdown } from '../markdown.mjs';
import { words } from '../words.mjs';

/** A growing Markdown text: only the blocks that changed are made anew. */
export class MarkdownView {
  el = h('div', { class: 'markdown' });
  /** @type {{src: string, el: HTMLElement}[]} */
  #blocks = [];

  /** @param {string} text */
  update(text) {
    this.#blocks = parseMarkdown(text).map((b, i) => {
      const old = this.#blocks[i];
      return old?.src === b.src ? old : { src: b.src, el: block(b) };
    });
    setChildren(this.el, this.#blocks.map((b) => b.el));
  }
}

/** @param {Block} b @returns {HTMLElement} */
function block(b) {
  switch (b.type) {
    case 'code': return code(b.lang, b.text);
    case 'heading': return h(/** @type {'h3'} */ (`h${Math.min(b.level + 2, 6)}`), {}, ...inline(b.children));
    case 'paragraph': return h('p', {}, ...inline(b.children));
    case 'quote': return h('blockquote', {}, ...b.blocks.map(block));
    case 'rule': return h('hr');
    case 'list': {
      const items = b.items.map((blocks) => h('li', {}, ...item(blocks)));
      return b.ordered ? h('ol', { start: b.start }, ...items) : h('ul', {}, ...items);
    }
    case 'table':
      return h('div', { class: 'scroll', tabindex: 0 }, h('table', {},
        h('thead', {}, h('tr', {}, ...b.head.map((c) => h('th', { scope: 'col' }, ...inline(c))))),
        h('tbody', {}, ...b.rows.map((r) => h('tr', {}, ...r.map((c) => h('td', {}, ...inline(c))))))));
  }
}

/** A list item of one paragraph needs no paragraph. @param {Block[]} blocks */
const item = (blocks) => blocks.flatMap((b, i) => (i === 0 && b.type === 'paragraph' ? inline(b.children) : [block(b)]));

/** @param {Inline[]} nodes @returns {Node[]} */
function inline(nodes) {
  return nodes.map((n) => {
    switch (n.type) {
      case 'text': return document.createTextNode(n.text);
      case 'code': return h('code', {}, n.text);
      case 'break': return h('br');
      case 'link':
        return h('a', { href: n.href, title: n.href, target: '_blank', rel: 'noopener noreferrer nofollow' }, ...inline(n.children));
      default: return h(n.type, {}, ...inline(n.children));
    }
  });
}

/** @param {string} lang @param {string} text */
function code(lang, text) {
  const copy = h('button', { type: 'button', class: 'quiet', click: async () => {
    await navigator.clipboard.writeText(text);
    copy.textContent = words.copied;
    setTimeout(() => { copy.textContent = words.copy; }, 1500);
  } }, words.copy);
  return h('figure', { class: 'code' },
    h('figcaption', {}, h('span', {}, lang), navigator.clipboard ? copy : null),
    h('pre', { tabindex: 0 }, h('code', {}, text)));
}
