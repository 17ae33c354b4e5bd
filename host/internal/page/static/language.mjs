// The page's language: the first that the browser asks for and there is. What the
// host says is translated by its English, which comes with it as key and args.
/** @import * as chat from '../../../../proto/schema/chat.js' */

import { translateWords, words } from './words.mjs';

/** The languages there are beside English (BCP 47). */
export const tags = ['de', 'es', 'fr', 'it', 'ja', 'pt-BR', 'zh-CN'];

/** What Chinese in the other script, which ours is not, is marked with. */
const traditional = ['hant', 'tw', 'hk', 'mo'];

/**
 * What is said in a language, by its English; empty is English.
 * @typedef {{sentences: Record<string, string>, words: Record<string, string>}} Catalog
 * @type {Catalog}
 */
let catalog = { sentences: {}, words: {} };

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
 * @param {(tag: string) => Promise<Catalog>} [load]
 * @returns {Promise<string>} the tag
 */
export async function speak(wanted, load = fetched) {
  const tag = choose(wanted);
  if (tag === 'en') return tag;
  try {
    const { sentences, words: own } = await load(tag);
    catalog = { sentences: bare(sentences), words: bare(own) };
  } catch {
    return 'en';
  }
  templates = Object.keys(catalog.sentences).filter((key) => place.test(key)).map(template)
    .sort((a, b) => b.key.replace(places, '').length - a.key.replace(places, '').length);
  translateWords(word);
  return tag;
}

/** Without what every object has: "constructor" is no sentence. @param {Record<string, string>} o @returns {Record<string, string>} */
const bare = (o) => Object.assign(Object.create(null), o);

/** @param {string} english */
const word = (english) => catalog.words[english] ?? catalog.sentences[english] ?? english;

/** @param {string} tag @returns {Promise<Catalog>} */
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

/** Places that hold a sentence or a word of ours, not of the world. @param {[string, string]} arg @returns {[string, string]} */
const inOurs = ([name, value]) => [name, name === 'reason' ? known(value) : name === 'mode' ? word(value) : value];

/**
 * A sentence of the host's in the page's language; its English where there is no other.
 * @param {chat.Sentence} s
 */
export function textOf({ text = '', key, args = {} }) {
  const found = key && catalog.sentences[key];
  if (!found) return text;
  return fill(found, Object.fromEntries(Object.entries(args).map(inOurs)));
}

/**
 * The same for English that came without its key: it is found by how it looks.
 * What is no sentence of ours stays as it is.
 * @param {string} text
 * @returns {string}
 */
export function known(text) {
  if (catalog.sentences[text]) return catalog.sentences[text];
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
  const title = textOf({ text: tool.title, key: tool.titleKey, args: tool.titleArgs });
  return { ...tool, title, reason, result: tool.resultKey ? outcome(tool) : tool.result };
}

/** The sentence that a result begins with where a call did not do its work. @param {chat.Tool} tool */
function outcome({ result = '', resultKey, resultArgs }) {
  const [, text = '', details] = /^(.*?)(?:\n\nDetails: (.*))?$/s.exec(result) ?? [];
  const said = textOf({ text, key: resultKey, args: resultArgs });
  return details === undefined ? said : `${said}\n\n${words.details}: ${details}`;
}
