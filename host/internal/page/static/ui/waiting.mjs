// The messages behind the running turn, above the box in which they were written.
/** @import * as chat from '../../../../../proto/schema/chat.js' */

import { h, setChildren, setText } from '../dom.mjs';
import { words } from '../words.mjs';

/**
 * A message that waits, as the host lists it, or one that the host does not have yet.
 * @typedef {chat.Waiting | {requestId: string, text: string, pictures?: chat.Picture[], run?: undefined, sending: true}} Waits
 */

/** Pictures by name, behind the text. @param {Waits} w */
const textOf = (w) => [w.text.trim(), ...(w.pictures ?? []).map((p) => `🖼 ${p.name || p.mediaType}`)].filter(Boolean).join(' ');

/** Of a row, as a part of its elements' ids. */
let rows = 0;

class Row {
  #id = `waits-${++rows}`;
  #text = h('span', { class: 'text', id: this.#id });
  #state = h('span', { class: 'state' });
  #now = h('button', { type: 'button', class: 'now', id: `${this.#id}-now`, 'aria-labelledby': `${this.#id}-now ${this.#id}` }, words.tellNow);
  #back = h('button', { type: 'button', class: 'back', id: `${this.#id}-back`, 'aria-labelledby': `${this.#id}-back ${this.#id}` }, words.takeBack);
  el = h('li', {}, this.#text, this.#state, this.#now, this.#back);
  #run = '';

  /** @param {Waiting['on']} on */
  constructor(on) {
    this.#now.addEventListener('click', () => this.#once(on.now));
    this.#back.addEventListener('click', () => this.#once(on.takeBack));
  }

  /** A second click while the first one is on its way is none. @param {(run: string) => Promise<void>} act */
  async #once(act) {
    this.#lock(true);
    await act(this.#run);
    this.#lock(false);
  }

  /** @param {boolean} on */
  #lock(on) {
    this.#now.disabled = this.#back.disabled = on;
  }

  /** @param {Waits} w */
  update(w) {
    this.#run = w.run ?? '';
    const text = textOf(w);
    setText(this.#text, text);
    this.#text.title = text;
    setText(this.#state, 'sending' in w ? words.onItsWay : w.run ? words.goesAfter : words.goesIn);
    this.#back.hidden = !w.run;
    this.#now.hidden = !w.run || !w.steers;
  }
}

export class Waiting {
  #list = h('ul', {});
  el = h('section', { class: 'waiting', 'aria-label': words.waiting, hidden: true }, this.#list);
  /** @type {Map<string, Row>} */
  #rows = new Map();

  /**
   * @param {object} on
   * @param {(run: string) => Promise<void>} on.now tells the assistant now
   * @param {(run: string) => Promise<void>} on.takeBack
   */
  constructor(on) {
    this.on = on;
  }

  /** @param {Waits[]} list in the order of their turns */
  update(list) {
    this.el.hidden = !list.length;
    this.#rows = new Map(list.map((w) => [w.requestId, this.#rows.get(w.requestId) ?? new Row(this.on)]));
    for (const w of list) this.#rows.get(w.requestId)?.update(w);
    setChildren(this.#list, [...this.#rows.values()].map((r) => r.el));
  }
}
