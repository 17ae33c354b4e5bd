// The model connections: which there are, what is missing, and how they are added,
// tried, changed and removed.
/** @import * as chat from '../../../../../proto/schema/chat.js' */
/** @import {Api} from '../api.mjs' */

import { ApiError } from '../api.mjs';
import { h, sentence, setChildren } from '../dom.mjs';
import { fill, textOf } from '../language.mjs';
import { keyPlaces, kinds, origins, words } from '../words.mjs';
import { ConnectionForm } from './connection.mjs';

export class Models {
  #problem = h('div', { class: 'problem', role: 'alert' });
  #told = h('div', { class: 'told', role: 'status' });
  #keys = h('p', { class: 'none' });
  #list = h('ul', { class: 'rows' });
  #add = h('button', { type: 'button', class: 'add', click: () => this.#edit() }, words.addConnection);
  #form;
  #shown = '';
  el;

  /** @param {Api} api @param {() => void} changed called after every change */
  constructor(api, changed) {
    this.api = api;
    this.changed = changed;
    this.#form = new ConnectionForm(api, { done: () => this.#done(), cancel: () => this.#edit(null) });
    this.el = h('dialog', { class: 'allowed models', 'aria-label': words.models },
      h('header', {}, h('h2', {}, words.models), h('button', { type: 'button', class: 'close', click: () => this.el.close() }, words.close)),
      this.#problem, this.#told, this.#list, this.#add, this.#form.el, this.#keys);
  }

  async open() {
    this.el.showModal();
    setChildren(this.#told, []);
    this.#edit(null);
    await this.#load();
  }

  /** Shows what has come and gone since, where nothing is being written. */
  async refresh() {
    if (this.el.open && this.#form.el.hidden) await this.#load();
  }

  async #load() {
    await this.#try(async () => {
      const all = await this.api.models();
      const now = JSON.stringify(all);
      if (now === this.#shown) return; // a button keeps its focus
      this.#shown = now;
      const rows = all.connections ?? [];
      setChildren(this.#list, rows.length ? rows.map((c) => this.#row(c, all.default ?? ''))
        : [h('li', { class: 'none' }, words.noConnection)]);
      this.#keys.textContent = fill(all.keysIn === 'keyring' ? words.keysInKeyring : words.keysInFile, { path: all.keyFile });
    });
  }

  /** Shows the form for a connection, or a new one; null hides it. @param {chat.ModelConnection | null} [c] */
  #edit(c) {
    this.#add.hidden = c !== null;
    if (c === null) this.#form.hide();
    else this.#form.show(c);
  }

  async #done() {
    this.#edit(null);
    await this.#load();
    this.changed();
  }

  /** @param {chat.ModelConnection} c @param {string} byDefault */
  #row(c, byDefault) {
    const about = [kinds[c.kind] ?? c.kind, c.baseUrl, origins[c.origin] ?? '', keyPlaces[c.keyIn ?? ''] ?? ''].filter((t) => t);
    const text = textOf(c);
    const own = c.origin === 'saved';
    return h('li', { 'data-connection': c.id, 'data-ready': c.ready },
      h('div', {}, h('strong', {}, c.name), h('small', {}, about.join(' · ')),
        text && sentence(text, c.details ?? '', words.details),
        h('ul', { class: 'of' }, ...(c.models ?? []).map((m) => this.#model(m, byDefault)))),
      h('div', { class: 'acts' },
        h('button', { type: 'button', 'aria-label': `${words.test}: ${c.name}`, click: (e) => this.#act(e, () => this.#test(c)) }, words.test),
        own && h('button', { type: 'button', 'aria-label': `${words.change}: ${c.name}`, click: () => this.#edit(c) }, words.change),
        own && h('button', { type: 'button', 'aria-label': `${words.remove}: ${c.name}`, click: (e) => this.#act(e, () => this.#remove(c)) }, words.remove)));
  }

  /** @param {chat.ModelInfo} m @param {string} byDefault */
  #model(m, byDefault) {
    const about = [m.contextWindow ? fill(words.tokens, { count: m.contextWindow.toLocaleString() }) : '', m.images ? words.readsPictures : ''].filter((t) => t);
    const isDefault = !!m.route && m.route === byDefault;
    return h('li', { 'data-model': m.id, 'data-route': m.route ?? '' }, h('code', {}, m.name), h('small', {}, about.join(' · ')),
      isDefault && h('small', {}, words.isDefault),
      !isDefault && m.route && h('button', { type: 'button', 'aria-label': `${words.makeDefault}: ${m.name}`, click: (e) => this.#act(e, async () => {
        await this.api.setDefaultModel(m.route ?? '');
        await this.#done();
      }) }, words.makeDefault));
  }

  /** @param {chat.ModelConnection} c */
  async #test(c) {
    const t = await this.api.testModel(c.id);
    await this.#load();
    setChildren(this.#told, [sentence(`${c.name}: ${textOf(t)}`, t.details ?? '', words.details)]);
  }

  /** @param {chat.ModelConnection} c */
  async #remove(c) {
    await this.api.removeModel(c.id);
    await this.#done();
  }

  /** @param {Event} e @param {() => Promise<void>} act */
  async #act(e, act) {
    const button = /** @type {HTMLButtonElement} */ (e.currentTarget);
    button.disabled = true;
    setChildren(this.#told, []);
    await this.#try(act);
    button.disabled = false;
  }

  /** @param {() => Promise<unknown>} act */
  async #try(act) {
    try {
      await act();
      setChildren(this.#problem, []);
    } catch (err) {
      if (!(err instanceof ApiError)) throw err;
      setChildren(this.#problem, [sentence(err.message, err.details, words.details)]);
    }
  }
}
