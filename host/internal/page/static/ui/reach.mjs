// How far a yes reaches: this time, this chat, or always, and what it then covers.
/** @import * as chat from '../../../../../proto/schema/chat.js' */

import { h, setChildren } from '../dom.mjs';
import { expiries, scopes, words } from '../words.mjs';

/** What an answer says of its reach. @typedef {{scope?: string, pattern?: string, expiresAt?: number}} Reached */

export class Reach {
  #scope = h('select', { class: 'scope', 'aria-label': words.reach, change: () => this.#show() });
  #pattern = h('textarea', { class: 'pattern', rows: 1, 'aria-label': words.pattern, title: words.patternHelp, spellcheck: false, maxlength: 4000 });
  #expiry = h('select', { class: 'expiry', 'aria-label': words.expiry }, ...expiries.map(([name, ms]) => h('option', { value: ms }, String(name))));
  el = h('div', { class: 'reach', hidden: true }, this.#scope, this.#expiry, this.#pattern);
  /** @type {chat.SaveOffer | undefined} */
  #offer;

  /** Takes in what can be saved, once; before, a yes says nothing of its reach. @param {chat.SaveOffer | undefined} offer */
  update(offer) {
    if (!offer || this.#offer) return;
    this.#offer = offer;
    const more = offer.scopes ?? [];
    if (more.length === 0) return;
    setChildren(this.#scope, Object.entries(scopes).filter(([id]) => id === 'once' || more.includes(id))
      .map(([id, name]) => h('option', { value: id, selected: id === (offer.scope || 'once') }, name)));
    this.#pattern.value = offer.pattern ?? '';
    this.#pattern.rows = Math.min(6, this.#pattern.value.split('\n').length);
    this.el.hidden = false;
    this.#show();
  }

  /** @returns {Reached} */
  get value() {
    if (this.el.hidden) return {};
    const scope = this.#scope.value;
    const ms = scope === 'once' ? 0 : Number(this.#expiry.value);
    return {
      scope,
      ...(this.#pattern.hidden ? {} : { pattern: this.#pattern.value }),
      ...(ms ? { expiresAt: Date.now() + ms } : {}),
    };
  }

  /** @param {boolean} on */
  lock(on) {
    this.#scope.disabled = this.#expiry.disabled = this.#pattern.disabled = on;
  }

  /** The pattern is there to be looked at and changed where one is saved; a lone star says nothing. */
  #show() {
    this.#expiry.hidden = this.#scope.value === 'once';
    this.#pattern.hidden = this.#expiry.hidden || this.#offer?.pattern === '*';
  }
}
