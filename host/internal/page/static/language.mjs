// The page's language: the first that the browser asks for and there is. What the
// host says is translated by its English, which comes with it as key and args.
/** @import * as chat from '../../../../proto/schema/chat.js' */

import { translateWords, words } from './words.mjs';

/** The languages there are beside English (BCP 47). */
export const tags = ['de', 'es', 'fr', 'it', 'ja', 'pt-BR', 'zh-CN'];

/** What Chinese in the other script, which ours is not, is marked with. */
const traditional = ['hant', 'tw', 'hk', 'mo'];

/** @type {Record<string, string>} by English sentence; empty is English */
let catalog = {};

/** How an English sentence looks whose places are filled. @type {{key: string, looks: RegExp, places: string[]}[]} */
let templates = [];

/**
 * @param {readonly string[]} wanted what the browser asks for, the most wanted first
 * @returns {string} one of tags, or 'en'
 */
export function choose(wanted) {
  for (const want of wanted) {
    const [base, ...more] = want.toLowerCase().split('-');
    if (base === 'en') return 'en';
    if (base === 'zh' && more.some((m) => traditional.includes(m))) continue;
    const tag = tags.find((t) => t.toLowerCase() === want.toLowerCase()) ?? tags.find((t) => t.split('-')[0] === base);
    if (tag) return tag;
  }
  return 'en';
}

/**
 * Puts the page into its language, before anything is drawn. English stays where
 * the catalog cannot be had.
 * @param {readonly string[]} wanted
 * @param {(tag: string) => Promise<Record<string, string>>} [load]
 * @returns {Promise<string>} the tag
 */
export async function speak(wanted, load = fetched) {
  const tag = choose(wanted);
  if (tag === 'en') return tag;
  try {
    catalog = await load(tag);
  } catch {
    return 'en';
  }
  templates = Object.keys(catalog).filter((key) => place.test(key)).map(template)
    .sort((a, b) => b.key.replace(places, '').length - a.key.replace(places, '').length);
  translateWords((english) => catalog[english] ?? english);
  return tag;
}

/** @param {string} tag */
async function fetched(tag) {
  const response = await fetch(`/static/languages/${tag}.json`, { credentials: 'omit' });
  if (!response.ok) throw new Error(`no catalog: ${response.status}`);
  return response.json();
}

const place = /\{[a-z]+\}/;
const places = /\{([a-z]+)\}/g;

/** @param {string} key */
function template(key) {
  const parts = key.split(places); // words and names of places in turn
  const looks = parts.map((p, i) => (i % 2 ? '(.*)' : p.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))).join('');
  return { key, looks: new RegExp(`^${looks}$`, 's'), places: parts.filter((_, i) => i % 2) };
}

/**
 * Fills the {name} places of a text, in one pass.
 * @param {string} text @param {Record<string, string | number>} args
 */
export const fill = (text, args) => text.replace(places, (whole, name) => String(args[name] ?? whole));

/** Places that hold a sentence or a word of ours, not of the world. */
const ours = ['reason', 'mode'];

/**
 * A sentence of the host's in the page's language; its English where there is no other.
 * @param {chat.Sentence} s
 */
export function textOf({ text = '', key, args = {} }) {
  const found = key && catalog[key];
  if (!found) return text;
  return fill(found, Object.fromEntries(Object.entries(args).map(([name, v]) => [name, ours.includes(name) ? known(v) : v])));
}

/**
 * The same for English that came without its key: it is found by how it looks.
 * What is no sentence of ours stays as it is.
 * @param {string} text
 * @returns {string}
 */
export function known(text) {
  if (catalog[text]) return catalog[text];
  for (const t of templates) {
    const values = t.looks.exec(text);
    if (values) return textOf({ text, key: t.key, args: Object.fromEntries(t.places.map((p, i) => [p, values[i + 1]])) });
  }
  return text;
}

/**
 * A card in the page's language: what it does, why it asks, how it ended.
 * @param {chat.Tool} tool
 * @returns {chat.Tool}
 */
export function cardOf(tool) {
  if (templates.length === 0) return tool;
  const reason = tool.reason && (tool.reasonKey ? textOf({ text: tool.reason, key: tool.reasonKey, args: tool.reasonArgs }) : known(tool.reason));
  return { ...tool, title: known(tool.title), reason, result: tool.state === 'done' ? tool.result : outcome(tool.result) };
}

/** The sentence that a result begins with where a call did not do its work. @param {string | undefined} result */
function outcome(result) {
  const [, sentence, details] = /^(.*?)(?:\n\nDetails: (.*))?$/s.exec(result ?? '') ?? [];
  if (!sentence || !catalog[sentence]) return result;
  return details === undefined ? catalog[sentence] : `${catalog[sentence]}\n\n${words.details}: ${details}`;
}
