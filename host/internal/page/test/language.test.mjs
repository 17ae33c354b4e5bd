// In a process of its own: speak changes the page's words for good.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { ApiError } from '../static/api.mjs';
import { choose, known, speak, tags, textOf } from '../static/language.mjs';
import { entriesOf, empty, reduce } from '../static/view.mjs';
import { expiries, helperStates, modes, states, suggestions, translateWords, words } from '../static/words.mjs';
/** @import * as chat from '../../../../proto/schema/chat.js' */

const own = new URL('../languages/', import.meta.url);
const hosts = new URL('../../say/languages/', import.meta.url);

/** @param {URL} folder @param {string} tag @returns {Record<string, string>} */
const read = (folder, tag) => JSON.parse(readFileSync(new URL(`${tag}.json`, folder), 'utf8'));

/** @param {string} tag */
const load = async (tag) => ({ sentences: read(hosts, tag), words: read(own, tag) });

/** Every word of the page's, in English. */
const english = /** @type {string[]} */ ([]);
translateWords((w) => {
  english.push(w);
  return w;
});

/** Names, which are the same everywhere. */
const names = ['Strata', 'Anthropic', 'DeepSeek', 'OpenRouter'];

/** Words that are the same in a language as in English. @type {Record<string, string[]>} */
const equal = {
  de: ['Details', 'Name', 'Chats', 'Plan', 'Bypass'], es: ['{count} tokens', 'Chats', 'Manual', 'Plan', 'Bypass'], fr: ['Mode', 'Service', 'Assistant', 'Plan', 'Bypass'],
  it: ['Bypass'], ja: [], 'pt-BR': ['{count} tokens', 'Manual', 'Bypass'], 'zh-CN': [],
};

/** @param {string} text */
const placesOf = (text) => (text.match(/\{[a-z]+\}/g) ?? []).sort();

test('every language is there, on both sides', () => {
  for (const folder of [own, hosts]) assert.deepEqual(readdirSync(folder).sort(), tags.map((t) => `${t}.json`).sort());
  assert.deepEqual(Object.keys(equal).sort(), [...tags].sort());
  assert.ok(english.length > 80);
});

for (const tag of tags) {
  test(`${tag} says every word of the page, and no other`, () => {
    const sentences = read(hosts, tag); // some words are sentences of the host too
    const catalog = read(own, tag);
    const needed = new Set(english.filter((w) => !names.includes(w) && !(w in sentences)));
    assert.deepEqual(Object.keys(catalog).sort(), [...needed].sort());
    for (const [key, text] of Object.entries(catalog)) {
      assert.ok(text.trim() === text && text, `${key} is empty, or has space around it`);
      assert.deepEqual(placesOf(text), placesOf(key), key);
      assert.equal(text === key, equal[tag].includes(key), `${key}: ${text}`);
    }
  });
}

test('the language is the first that is wanted and there', () => {
  const cases = /** @type {[string[], string][]} */ ([
    [['de-AT', 'en'], 'de'], [['en-GB', 'de'], 'en'], [['pl', 'fr-CA', 'en'], 'fr'], [['pt-PT'], 'pt-BR'], [['PT-br'], 'pt-BR'],
    [['zh'], 'zh-CN'], [['zh-Hans-SG'], 'zh-CN'], [['zh-TW', 'ja'], 'ja'], [['zh-Hant-HK'], 'en'], [['xx', ''], 'en'], [[], 'en'],
  ]);
  for (const [wanted, want] of cases) assert.equal(choose(wanted), want, wanted.join());
});

test('English stays where the catalog cannot be had', async () => {
  assert.equal(await speak(['en-US'], async () => assert.fail('English needs none')), 'en');
  assert.equal(await speak(['de'], async () => { throw new Error('gone'); }), 'en');
  assert.equal(words.approve, 'Approve');
  assert.equal(textOf({ text: 'Use x.', key: 'Use {a}.', args: { a: 'x' } }), 'Use x.');
});

/** @param {Partial<chat.Frame>[]} frames */
const play = (frames) => frames.reduce((v, f, i) => reduce(v, /** @type {chat.Frame} */ ({ run: 'r', seq: i + 1, ...f })), empty);

test('a German page', async (t) => {
  assert.equal(await speak(['de-CH', 'en'], load), 'de');

  await t.test('its own words', () => {
    assert.deepEqual([words.title, words.approve, words.stopped], ['Strata', 'Erlauben', 'Angehalten. Senden Sie eine Nachricht, um fortzufahren.']);
    assert.deepEqual([modes[0].name, modes[0].id, states.denied, helperStates.running, expiries[1], suggestions[0]],
      ['Manuell', 'manual', 'Nicht erlaubt', 'läuft', ['für eine Stunde', 3_600_000], 'Liste die Dateien hier auf']);
  });

  await t.test('what the host says of a run', () => {
    const view = play([
      { type: 'status', text: 'The connection to the agent is back.', key: 'The connection to the agent is back.' },
      { type: 'notice', text: 'A {x} of tomorrow: y.', key: 'A {x} of tomorrow: {z}.', args: { z: 'y' } },
      { type: 'delta', text: 'What the model says.' },
      { type: 'delta', own: true, text: 'Stopped. Send a message to go on.', key: 'Stopped. Send a message to go on.' },
      { type: 'error', code: 'model-unavailable', text: '', key: 'The model {model} is not available. Choose another model and send the message again.', args: { model: '{model}' } },
    ]);
    assert.deepEqual(view.entries[0].parts.map((p) => 'text' in p && p.text), [
      'A {x} of tomorrow: y.', 'What the model says.', 'Angehalten. Senden Sie eine Nachricht, um fortzufahren.',
      'Das Modell {model} ist nicht verfügbar. Wählen Sie ein anderes Modell, und senden Sie die Nachricht noch einmal.',
    ]);
    assert.equal(play([{ type: 'status', text: 'x', key: 'The connection to the agent is back.' }]).status, 'Die Verbindung zum Agenten ist wieder da.');
    assert.deepEqual(entriesOf([{ role: 'assistant', time: 1, notes: [{ text: 'x', key: 'The agent is being started again. Wait a moment.' }] }])[0].parts,
      [{ kind: 'note', text: 'Der Agent wird neu gestartet. Warten Sie einen Moment.', details: '' }]);
    assert.equal(new ApiError(400, { text: 'x', key: 'The mode {mode} could not be set for this chat. Send the message again, or start a new chat.', args: { mode: 'Manual' } }).message,
      'Der Modus Manuell konnte für diesen Chat nicht eingestellt werden. Senden Sie die Nachricht noch einmal, oder beginnen Sie einen neuen Chat.');
  });

  await t.test('cards', () => {
    /** @param {Partial<chat.Tool>} more */
    const card = (more) => {
      const part = play([{ type: 'agent-tool', tool: { id: 't', name: 'bash', title: 'Run: rm a', titleKey: 'Run: {what}', titleArgs: { what: 'rm a' }, state: 'proposed', ...more } }]).entries[0].parts[0];
      assert.ok(part.kind === 'tool');
      return [part.tool.title, part.tool.reason, part.tool.result];
    };
    /** @param {string} text @param {string} [details] @param {string} [resultKey] @param {Record<string, string>} [resultArgs] */
    const gave = (text, details, resultKey = text, resultArgs = {}) => ({ result: details === undefined ? text : `${text}\n\nDetails: ${details}`, resultKey, resultArgs });
    const reason = 'This runs a program that can change things: rm.';
    const said = 'Das startet ein Programm, das etwas ändern kann: rm.';
    assert.deepEqual(card({ reason }), ['Ausführen: rm a', said, undefined], 'before its key is known');
    assert.deepEqual(card({ reason, reasonKey: 'This runs a program that can change things: {program}.', reasonArgs: { program: 'rm' } }), ['Ausführen: rm a', said, undefined]);
    assert.deepEqual(card({ state: 'denied', title: 'Use a of b', titleKey: 'Use {tool} of {server}', titleArgs: { tool: 'a', server: 'b' }, ...gave('You did not allow this. Nothing was changed.') }),
      ['a von b verwenden', undefined, 'Sie haben das nicht erlaubt. Es wurde nichts geändert.']);
    assert.deepEqual(card({ state: 'error', title: 'Update the goal', titleKey: 'Update the goal', titleArgs: undefined, ...gave('This did not work. The technical text is under Details.', 'exit 1\n\nx') }),
      ['Ziel aktualisieren', undefined, 'Das hat nicht geklappt. Der technische Text steht unter Details.\n\nDetails: exit 1\n\nx']);
    assert.deepEqual(card({ state: 'error', name: 'web_search', title: 'Search the web: a', titleKey: 'Search the web: {what}', titleArgs: { what: 'a' },
      ...gave('Exa did not accept the search key. Check the key in Settings -> Tools -> Web search.', 'Error: Exa did not', '{service} did not accept the search key. Check the key in Settings -> Tools -> Web search.', { service: 'Exa' }) }),
      ['Im Web suchen: a', undefined, 'Exa hat den Suchschlüssel nicht angenommen. Prüfen Sie ihn unter Einstellungen -> Werkzeuge -> Websuche.\n\nDetails: Error: Exa did not']);
    assert.equal(card({ state: 'done', title: 'Search the web with DuckDuckGo: a', titleKey: 'Search the web with {engine}: {what}', titleArgs: { engine: 'DuckDuckGo', what: 'a' } })[0], 'Im Web suchen mit DuckDuckGo: a');
    assert.equal(card({ title: 'Write hello.txt', titleKey: 'Write {what}', titleArgs: { what: 'hello.txt' } })[0], 'hello.txt schreiben', 'which is not the suggestion of that name');
    const echoed = 'You did not allow this. Nothing was changed.';
    assert.deepEqual(card({ state: 'done', title: 'A title\nof two lines', result: echoed })[2], echoed, 'what a tool gave stays as it is');
  });

  await t.test('a sentence in a sentence', () => {
    assert.equal(textOf({ text: 'x', key: 'This yes can only be given once: {reason} Choose once, or change the pattern.', args: { reason: 'This cannot be allowed in advance: This reaches into the home folder: ~/*.' } }),
      'Diese Zustimmung ist nur einmalig möglich: Das kann nicht im Voraus erlaubt werden: Das greift auf den persönlichen Ordner zu: ~/*. Wählen Sie „Nur dieses Mal“, oder ändern Sie das Muster.');
    for (const inherited of ['constructor', '__proto__', 'toString']) assert.equal(known(inherited), inherited);
    assert.equal(known('No sentence of ours (.*)'), 'No sentence of ours (.*)');
  });
});
