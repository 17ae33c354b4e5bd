// Markdown blocks, as plain values. Each keeps its source, so that a page that
// shows a growing answer draws only the blocks that changed.
/** @import {Inline} from './inline.mjs' */

import { parseInline } from './inline.mjs';

/**
 * @typedef {{src: string} & (
 *     {type: 'code', lang: string, text: string}
 *   | {type: 'heading', level: number, children: Inline[]}
 *   | {type: 'paragraph', children: Inline[]}
 *   | {type: 'list', ordered: boolean, start: number, items: Block[][]}
 *   | {type: 'quote', blocks: Block[]}
 *   | {type: 'table', head: Inline[][], rows: Inline[][][]}
 *   | {type: 'rule'})} Block
 */

const maxDepth = 6;
const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const item = /^( {0,3})([-*+]|\d{1,9}[.)])(?:\s+(.*))?$/;
const quote = /^ {0,3}> ?(.*)$/;
const divider = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/**
 * @param {string} src
 * @param {number} [depth]
 * @returns {Block[]}
 */
export function parseMarkdown(src, depth = 0) {
  const lines = src.replaceAll('\r\n', '\n').split('\n');
  /** @type {Block[]} */
  const blocks = [];
  for (let i = 0; i < lines.length;) {
    if (!lines[i].trim()) {
      i++;
      continue;
    }
    const { block, to } = readBlock(lines, i, depth);
    blocks.push(/** @type {Block} */ ({ ...block, src: lines.slice(i, to).join('\n') }));
    i = to;
  }
  return blocks;
}

/** @param {string[]} lines @param {number} i @param {number} depth */
function readBlock(lines, i, depth) {
  const line = lines[i];
  let m;
  if ((m = fence.exec(line))) return readFence(lines, i, m);
  if ((m = heading.exec(line))) return { block: { type: 'heading', level: m[1].length, children: parseInline(m[2]) }, to: i + 1 };
  if (rule.test(line)) return { block: { type: 'rule' }, to: i + 1 };
  if (depth < maxDepth) {
    if (quote.test(line)) return readQuote(lines, i, depth);
    if (item.test(line)) return readList(lines, i, depth);
    if (isTable(lines, i)) return readTable(lines, i);
  }
  let to = i + 1;
  while (to < lines.length && lines[to].trim() && (depth >= maxDepth || !starts(lines, to))) to++;
  return { block: { type: 'paragraph', children: parseInline(lines.slice(i, to).map((l) => l.trim()).join('\n')) }, to };
}

/** Whether a line ends the paragraph before it. @param {string[]} lines @param {number} i */
function starts(lines, i) {
  const l = lines[i];
  return fence.test(l) || heading.test(l) || rule.test(l) || quote.test(l) || item.test(l) || isTable(lines, i);
}

/** @param {string[]} lines @param {number} i @param {RegExpExecArray} m */
function readFence(lines, i, m) {
  const end = new RegExp(`^ {0,3}${m[1][0]}{${m[1].length},}\\s*$`);
  let to = i + 1;
  while (to < lines.length && !end.test(lines[to])) to++;
  // Without its end it is still being written, or was cut: all of it is code.
  return { block: { type: 'code', lang: m[2], text: lines.slice(i + 1, to).join('\n') }, to: Math.min(to + 1, lines.length) };
}

/** @param {string[]} lines @param {number} i @param {number} depth */
function readQuote(lines, i, depth) {
  const inner = [];
  let to = i;
  for (let m; to < lines.length && (m = quote.exec(lines[to])); to++) inner.push(m[1]);
  return { block: { type: 'quote', blocks: parseMarkdown(inner.join('\n'), depth + 1) }, to };
}

/** @param {string[]} lines @param {number} i @param {number} depth */
function readList(lines, i, depth) {
  const first = /** @type {RegExpExecArray} */ (item.exec(lines[i]));
  const ordered = /\d/.test(first[2]);
  /** @type {Block[][]} */
  const items = [];
  let to = i;
  while (to < lines.length) {
    const m = item.exec(lines[to]);
    if (!m || /\d/.test(m[2]) !== ordered || rule.test(lines[to])) break;
    const indent = m[1].length + m[2].length + 1;
    const inner = [m[3] ?? ''];
    for (to++; to < lines.length; to++) {
      const blank = !lines[to].trim();
      const inside = leading(lines[to]) >= Math.min(indent, 2);
      if (blank && !(leading(lines[to + 1] ?? '') >= 2 && lines[to + 1]?.trim())) break;
      if (!blank && !inside && starts(lines, to)) break;
      inner.push(lines[to].slice(Math.min(leading(lines[to]), indent)));
    }
    items.push(parseMarkdown(inner.join('\n'), depth + 1));
    if (to + 1 < lines.length && !lines[to].trim() && item.test(lines[to + 1])) to++; // a loose list
  }
  return { block: { type: 'list', ordered, start: ordered ? parseInt(first[2], 10) : 1, items }, to };
}

/** @param {string} l */
const leading = (l) => l.length - l.trimStart().length;

/** @param {string[]} lines @param {number} i */
const isTable = (lines, i) => lines[i].includes('|') && divider.test(lines[i + 1] ?? '') && lines[i + 1].includes('-')
  && lines[i + 1].includes('|');

/** @param {string[]} lines @param {number} i */
function readTable(lines, i) {
  const head = cells(lines[i]);
  const rows = [];
  let to = i + 2;
  for (; to < lines.length && lines[to].includes('|') && lines[to].trim(); to++) {
    const row = cells(lines[to]).slice(0, head.length);
    while (row.length < head.length) row.push([]);
    rows.push(row);
  }
  return { block: { type: 'table', head, rows }, to };
}

/** @param {string} line @returns {Inline[][]} */
function cells(line) {
  return line.trim().replace(/^\||(?<!\\)\|$/g, '').split(/(?<!\\)\|/).map((c) => parseInline(c.trim().replaceAll('\\|', '|')));
}
