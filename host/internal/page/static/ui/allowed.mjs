// What was allowed in advance, to look at and take back, and what was decided.
/** @import * as chat from '../../../../../proto/schema/chat.js' */
/** @import {Api} from '../api.mjs' */

import { ApiError } from '../api.mjs';
import { h, sentence, setChildren } from '../dom.mjs';
import { fill } from '../language.mjs';
import { visible } from '../visible.mjs';
import { deciders, scopes, words } from '../words.mjs';

/** How many decisions are asked for at once. */
const page = 50;

export class Allowed {
  #permissions = h('ul', { class: 'rows' });
  #decisions = h('ol', { class: 'rows' });
  #problem = h('div', { class: 'problem', role: 'alert' });
  #more = h('button', { type: 'button', click: () => this.#older() }, words.older);
  #before = 0;
  el = h('dialog', { class: 'allowed', 'aria-label': words.allowed },
    h('header', {}, h('h2', {}, words.allowed), h('button', { type: 'button', class: 'close', click: () => this.el.close() }, words.close)),
    this.#problem, h('h3', {}, words.inAdvance), this.#permissions, h('h3', {}, words.decided), this.#decisions, this.#more);

  /** @param {Api} api */
  constructor(api) {
    this.api = api;
  }

  async open() {
    this.el.showModal();
    this.#before = 0;
    setChildren(this.#decisions, []);
    await this.#list();
    await this.#older();
  }

  async #list() {
    await this.#try(async () => {
      const rows = (await this.api.permissions()).permissions ?? [];
      setChildren(this.#permissions, rows.length ? rows.map((p) => this.#permission(p)) : [h('li', { class: 'none' }, words.nothingAllowed)]);
    });
  }

  /** @param {chat.Permission} p */
  #permission(p) {
    const until = p.expiresAt ? fill(words.until, { when: new Date(p.expiresAt).toLocaleString() }) : words.forGood;
    const revoke = h('button', {
      type: 'button', 'aria-label': `${words.revoke}: ${p.tool} ${p.pattern}`,
      click: async () => {
        revoke.disabled = true;
        await this.#try(() => this.api.revoke(p.id));
        await this.#list();
      },
    }, words.revoke);
    const reach = p.scope === 'chat' ? scopes.chat : `${scopes.always}: ${p.folder}`;
    return h('li', {}, h('div', {}, h('code', {}, `${p.tool} ${visible(p.pattern)}`), h('small', {}, `${reach} · ${until}`)), revoke);
  }

  async #older() {
    await this.#try(async () => {
      const { decisions, before } = await this.api.decisions(page, this.#before);
      this.#decisions.append(...(decisions ?? []).map(decision));
      if (!this.#decisions.childElementCount) this.#decisions.append(h('li', { class: 'none' }, words.nothingDecided));
      this.#before = before ?? 0;
      this.#more.hidden = !before;
    });
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

/** @param {chat.Decision} d */
function decision(d) {
  const by = deciders[d.by] ?? d.by;
  return h('li', { 'data-decision': d.decision }, h('div', {},
    h('code', {}, `${d.tool} ${visible(d.what ?? '')}`.trim()),
    h('small', {}, `${d.decision === 'allow' ? words.yes : words.no} · ${by} · ${new Date(d.time).toLocaleString()}`)));
}
