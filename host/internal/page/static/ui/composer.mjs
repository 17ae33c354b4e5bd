// Where the person writes: text, mode, model, and how it is sent. While a turn runs a
// message waits for it, or is told the assistant at once.
/** @import * as chat from '../../../../../proto/schema/chat.js' */
/** @import {View} from '../view.mjs' */

import { h, sentence, setChildren, setText } from '../dom.mjs';
import { fill } from '../language.mjs';
import { levels, modes, words } from '../words.mjs';
import { pictureOf } from './pictures.mjs';

/** The most lines that the box grows to. */
const maxRows = 10;

export class Composer {
  #problem = h('div', { class: 'problem', role: 'alert', hidden: true });
  #text = h('textarea', { id: 'message', rows: 1, placeholder: words.placeholder, 'aria-label': words.placeholder, enterkeyhint: 'send' });
  #mode = h('select', { 'aria-label': words.mode, 'aria-describedby': 'mode-about', id: 'mode' }, ...modes.map((m) => h('option', { value: m.id, title: m.about }, m.name)));
  #about = h('span', { class: 'about', id: 'mode-about' });
  #model = h('select', { 'aria-label': words.model, id: 'model', hidden: true });
  #thinking = h('select', { 'aria-label': words.thinkingLevel, id: 'thinking', hidden: true });
  /** @type {chat.Route | undefined} that the next message goes to */
  #route;
  #send = h('button', { type: 'submit', class: 'send', 'aria-keyshortcuts': 'Enter', title: 'Enter' }, words.send);
  #now = h('button', { type: 'button', class: 'now', 'aria-keyshortcuts': 'Control+Enter', title: 'Ctrl+Enter', hidden: true }, words.tellNow);
  #stop = h('button', { type: 'button', class: 'stop', hidden: true }, words.stop);
  #meter = h('meter', { min: 0, max: 100, high: 85, 'aria-label': words.fullness });
  #full = h('label', { class: 'full', hidden: true }, this.#meter, h('span'));
  #strip = h('div', { class: 'pictures', hidden: true });
  /** @type {chat.Attachment[]} */
  #pictures = [];
  el = h('form', { class: 'composer' }, this.#problem, this.#strip, this.#text,
    h('div', { class: 'tools' }, this.#mode, this.#about, this.#model, this.#thinking, this.#full, h('span', { class: 'gap' }), this.#stop, this.#now, this.#send));
  #busy = false;
  #takes = false; // the running turn a message, in between

  /**
   * @param {object} on
   * @param {(text: string, pictures: chat.Attachment[], now: boolean) => void} on.send now: not behind the running turn
   * @param {() => void} on.stop
   * @param {(mode: string) => void} on.mode
   * @param {(model: string) => void} on.model
   * @param {(level: string) => void} on.thinking '' is the model's own
   */
  constructor(on) {
    const submit = (now = false) => {
      const text = this.#text.value.trim();
      const pictures = this.#pictures;
      if (!text && !pictures.length) return;
      now &&= !this.#now.hidden;
      this.value = '';
      this.pictures = [];
      on.send(text, pictures, now);
      this.focus();
    };
    this.el.addEventListener('submit', (e) => {
      e.preventDefault();
      submit();
    });
    this.#now.addEventListener('click', () => submit(true));
    this.#text.addEventListener('keydown', (e) => {
      // The Enter that ends a composition (229: as some browsers say it) is not ours.
      if (e.key !== 'Enter' || e.shiftKey || e.isComposing || e.keyCode === 229) return;
      e.preventDefault();
      submit(e.ctrlKey || e.metaKey);
    });
    this.#text.addEventListener('input', () => this.#changed());
    this.#text.addEventListener('paste', (e) => {
      const files = [...e.clipboardData?.files ?? []].filter((f) => f.type.startsWith('image/'));
      if (!files.length) return;
      e.preventDefault();
      this.#attach(files);
    });
    this.#stop.addEventListener('click', on.stop);
    this.#mode.addEventListener('change', () => on.mode(this.#mode.value));
    this.#model.addEventListener('change', () => on.model(this.#model.value));
    this.#thinking.addEventListener('change', () => on.thinking(this.#thinking.value));
  }

  get value() {
    return this.#text.value;
  }

  set value(text) {
    this.#text.value = text;
    this.#changed();
  }

  /** What goes with the message. */
  get pictures() {
    return this.#pictures;
  }

  set pictures(list) {
    this.#pictures = list;
    this.#offer();
    this.#strip.hidden = !list.length;
    setChildren(this.#strip, list.map((p) => h('button', {
      type: 'button', title: words.remove, click: () => { this.pictures = this.#pictures.filter((x) => x !== p); },
    }, `🖼 ${p.name} ✕`)));
  }

  /** The model and thinking level that the next message asks for. */
  get choice() {
    return { model: this.#model.value || undefined, thinking: (!this.#thinking.hidden && this.#thinking.value) || undefined };
  }

  /** @param {File[]} files */
  async #attach(files) {
    if (this.#route && !this.#route.images) {
      this.say(fill(words.noPictures, { model: this.#route.name }));
      return;
    }
    const all = await Promise.allSettled(files.map(pictureOf));
    const bad = files.filter((_, i) => all[i].status === 'rejected');
    this.pictures = [...this.#pictures, ...all.flatMap((r) => (r.status === 'fulfilled' ? [r.value] : []))];
    this.say(bad.length ? fill(words.noPicture, { name: bad.map((f) => f.name).join(', ') }) : '');
  }

  focus() {
    this.#text.focus();
  }

  /** Puts the keyboard on the models, where there are several. */
  chooseModel() {
    (this.#model.hidden ? this.#text : this.#model).focus();
  }

  /** Says why a message was not taken; '' is nothing. @param {string} text @param {string} [details] */
  say(text, details = '') {
    this.#problem.hidden = !text;
    setChildren(this.#problem, text ? [sentence(text, details, words.details)] : []);
  }

  /**
   * @param {View} view @param {string} mode @param {string} model
   * @param {chat.Route[]} routes @param {boolean} stopping @param {string} thinking
   */
  update(view, mode, model, routes, stopping, thinking) {
    this.#busy = view.phase !== 'idle';
    const route = model || routes.find((r) => r.default)?.id;
    this.#takes = !!view.sessionId && [mode, ''].includes(view.mode) && (!view.model || !route || view.model === route);
    this.#stop.hidden = !this.#busy;
    this.#offer();
    this.#stop.disabled = stopping;
    setText(this.#stop, stopping ? words.stopping : words.stop);
    this.#mode.value = mode;
    this.el.dataset.mode = mode;
    setText(this.#about, modes.find((m) => m.id === mode)?.about ?? '');
    this.#models(routes, model, thinking);
    this.#full.hidden = !view.context;
    if (view.context) {
      this.#meter.value = view.context.percent;
      setText(/** @type {HTMLElement} */ (this.#full.lastChild), fill(words.full, { percent: view.context.percent, window: Math.round(view.context.window / 1000) }));
    }
  }

  /** A model that is gone stays chosen: the next message says so, and goes to no other. @param {chat.Route[]} routes @param {string} model @param {string} thinking */
  #models(routes, model, thinking) {
    const gone = model && !routes.some((r) => r.id === model) ? [{ id: model, name: model, connection: '' }] : [];
    const shown = [...gone, ...routes];
    this.#model.hidden = shown.length < 2;
    const known = [...this.#model.options].map((o) => `${o.value} ${o.text}`).join();
    const named = shown.map((r) => ({ id: r.id, name: shown.some((o) => o !== r && o.name === r.name) && r.connection ? `${r.name} (${r.connection})` : r.name || r.id }));
    if (known !== named.map((r) => `${r.id} ${r.name}`).join()) setChildren(this.#model, named.map((r) => h('option', { value: r.id }, r.name)));
    this.#model.value = model || routes.find((r) => r.default)?.id || '';
    this.#route = routes.find((r) => r.id === this.#model.value);
    const can = this.#route?.thinking ?? [];
    this.#thinking.hidden = !can.length;
    if ([...this.#thinking.options].map((o) => o.value).join() !== ['', ...can].join()) {
      setChildren(this.#thinking, ['', ...can].map((l) => h('option', { value: l }, l ? levels[l] ?? l : words.thinkingLevel)));
    }
    this.#thinking.value = can.includes(thinking) ? thinking : '';
  }

  #changed() {
    this.#text.rows = Math.min(maxRows, this.#text.value.split('\n').length);
    this.#offer();
  }

  /** While a turn runs there is something to send only once something is written. Pictures and commands wait for it, and what is for another mode or model. */
  #offer() {
    const text = this.#text.value.trim();
    this.#send.hidden = this.#busy && !text && !this.#pictures.length;
    this.#now.hidden = !this.#busy || !this.#takes || !text || text.startsWith('/') || this.#pictures.length > 0;
    setText(this.#send, this.#busy ? words.sendAfter : words.send);
  }
}
