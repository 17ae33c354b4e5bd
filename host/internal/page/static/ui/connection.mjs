// The form for one model connection. A key that was saved is never shown again.
/** @import * as chat from '../../../../../proto/schema/chat.js' */
/** @import {Api} from '../api.mjs' */

import { ApiError } from '../api.mjs';
import { h, sentence, setChildren } from '../dom.mjs';
import { textOf } from '../language.mjs';
import { kinds, words } from '../words.mjs';

/** How many models of a list are shown at once: the search finds the others. */
const most = 40;

export class ConnectionForm {
  #kind = h('select', { name: 'kind', change: () => this.#changed() }, ...Object.entries(kinds).map(([id, name]) => h('option', { value: id }, name)));
  #name = h('input', { name: 'name', maxlength: 100, autocomplete: 'off' });
  #url = h('input', { name: 'baseUrl', type: 'url', autocomplete: 'off', spellcheck: 'false' });
  #key = h('input', { name: 'key', type: 'password', autocomplete: 'off' });
  #slots = h('input', { name: 'slots', type: 'number', min: 0 });
  #search = h('input', { name: 'search', type: 'search', placeholder: words.findModel, 'aria-label': words.findModel, input: () => this.#draw() });
  #models = h('ul', { class: 'of choose' });
  #told = h('div', { role: 'status' });
  #slotsRow = label(words.slots, this.#slots);
  #keyRow = label(words.key, this.#key);
  /** @type {chat.ModelConnection | undefined} that is changed; none: a new one */
  #of;
  /** @type {chat.ModelOffer[]} */
  #offers = [];
  /** @type {Map<string, chat.ModelSpec>} */
  #chosen = new Map();
  el = h('form', { class: 'connection', hidden: true, submit: (e) => { e.preventDefault(); this.#save(); } },
    label(words.kind, this.#kind), label(words.name, this.#name), label(words.address, this.#url), this.#keyRow, this.#slotsRow,
    h('button', { type: 'button', class: 'look', click: () => this.#look() }, words.lookForModels), this.#told, this.#search, this.#models,
    h('div', { class: 'acts' }, h('button', { type: 'submit', class: 'save' }, words.save), h('button', { type: 'button', click: () => this.on.cancel() }, words.cancel)));

  /** @param {Api} api @param {{done: () => void, cancel: () => void}} on */
  constructor(api, on) {
    this.api = api;
    this.on = on;
  }

  hide() {
    this.el.hidden = true;
    this.#key.value = '';
  }

  /** @param {chat.ModelConnection} [c] */
  show(c) {
    this.#of = c;
    this.#kind.value = c?.kind ?? 'openai';
    this.#kind.disabled = !!c;
    this.#name.value = c?.name ?? '';
    this.#url.value = c?.baseUrl ?? '';
    this.#key.value = '';
    this.#key.placeholder = c?.keyIn ? words.keyStays : '';
    this.#slots.value = c?.saidSlots ? String(c.saidSlots) : '';
    this.#search.value = '';
    this.#chosen = new Map((c?.said ?? []).map((m) => [m.id, { ...m }]));
    this.#offers = (c?.models ?? []).map((m) => ({ id: m.id, name: m.name, contextWindow: m.contextWindow }));
    setChildren(this.#told, []);
    this.el.hidden = false;
    this.#changed();
    this.#kind.focus();
  }

  #changed() {
    const local = this.#kind.value === 'local';
    this.#url.required = local;
    this.#url.placeholder = local ? 'http://127.0.0.1:8080' : words.itsOwn;
    this.#slotsRow.hidden = !local;
    this.#draw();
  }

  /** What the person says, as the host takes it. @returns {chat.ConnectionSpec} */
  #spec() {
    return {
      kind: /** @type {chat.ModelKind} */ (this.#kind.value), name: this.#name.value.trim(), baseUrl: this.#url.value.trim(),
      key: this.#key.value || undefined, slots: Number(this.#slots.value) || undefined, models: [...this.#chosen.values()],
    };
  }

  /** Asks the server which models it has. */
  async #look() {
    await this.#try(async () => {
      // A saved key is with the host alone, which asks with it.
      const saved = this.#of && !this.#key.value && this.#url.value.trim() === this.#of.baseUrl;
      const found = saved && this.#of ? await this.api.offers(this.#of.id) : await this.api.tryModel({ ...this.#spec(), models: [] });
      this.#offers = found.models ?? [];
      setChildren(this.#told, textOf(found) ? [sentence(textOf(found), found.details ?? '', words.details)] : []);
      this.#draw();
    });
  }

  #draw() {
    const wanted = this.#search.value.trim();
    const found = this.#offers.filter((o) => `${o.id} ${o.name ?? ''}`.toLowerCase().includes(wanted.toLowerCase()));
    const rows = [...this.#chosen.keys()].filter((id) => !found.some((o) => o.id === id)).map((id) => ({ id }));
    const shown = [...rows, ...found.filter((o) => this.#chosen.has(o.id)), ...found.filter((o) => !this.#chosen.has(o.id)).slice(0, most)];
    // One that the list does not have can be written.
    const other = wanted && !shown.some((o) => o.id === wanted) ? [{ id: wanted }] : [];
    setChildren(this.#models, [...shown, ...other].map((o) => this.#model(o)));
  }

  /** @param {chat.ModelOffer} o */
  #model(o) {
    const said = this.#chosen.get(o.id);
    const chosen = h('input', { type: 'checkbox', name: 'model', value: o.id, checked: !!said, change: () => {
      if (chosen.checked) this.#chosen.set(o.id, { id: o.id });
      else this.#chosen.delete(o.id);
      this.#draw();
    } });
    const row = h('li', {}, h('label', {}, chosen, h('code', {}, o.id), o.name && o.name !== o.id ? h('small', {}, o.name) : null));
    if (!said) return row;
    const window = h('input', { type: 'number', name: 'window', min: 1, placeholder: o.contextWindow ? String(o.contextWindow) : '', value: said.contextWindow ?? '', 'aria-label': `${words.window}: ${o.id}`, input: () => {
      said.contextWindow = Number(window.value) || undefined;
    } });
    const pictures = h('input', { type: 'checkbox', name: 'pictures', checked: said.images !== false && o.images !== false, disabled: o.images === false, change: () => {
      said.images = pictures.checked ? undefined : false;
    } });
    row.append(h('label', {}, words.window, window), h('label', {}, pictures, words.readPictures));
    return row;
  }

  async #save() {
    await this.#try(async () => {
      await (this.#of ? this.api.changeModel(this.#of.id, this.#spec()) : this.api.addModel(this.#spec()));
      this.#key.value = '';
      this.on.done();
    });
  }

  /** @param {() => Promise<void>} act */
  async #try(act) {
    const buttons = [...this.el.querySelectorAll('button')];
    for (const b of buttons) b.disabled = true;
    try {
      await act();
    } catch (err) {
      if (!(err instanceof ApiError)) throw err;
      setChildren(this.#told, [sentence(err.message, err.details, words.details)]);
    }
    for (const b of buttons) b.disabled = false;
  }
}

/** @param {string} text @param {HTMLElement} field */
function label(text, field) {
  return h('label', {}, h('span', {}, text), field);
}
