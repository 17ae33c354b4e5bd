// The list of chats.
/** @import * as chat from '../../../../../proto/schema/chat.js' */

import { h, setChildren } from '../dom.mjs';
import { words } from '../words.mjs';

export class Sidebar {
  #list = h('ul', { class: 'chats' });
  el = h('nav', { id: 'sidebar', 'aria-label': words.chats });
  #drawn = '';

  /** @param {{open: (id: string) => void, create: () => void, allowed: () => void, models: () => void}} on */
  constructor(on) {
    this.on = on;
    this.el.append(h('button', { type: 'button', class: 'new', click: on.create }, `+ ${words.newChat}`), this.#list,
      h('button', { type: 'button', class: 'models', click: on.models }, words.models),
      h('button', { type: 'button', class: 'permissions', click: on.allowed }, words.allowed));
  }

  /** @param {chat.ChatSummary[]} chats @param {string} current @param {Set<string>} asking chats with a card that waits */
  update(chats, current, asking) {
    const rows = chats.map((c) => {
      const state = asking.has(c.chatId) ? 'asks' : c.run ? 'runs' : '';
      return { id: c.chatId, title: c.title || words.untitled, state, current: c.chatId === current };
    });
    const drawn = JSON.stringify(rows);
    if (drawn === this.#drawn) return; // keeps the focus where it is
    this.#drawn = drawn;
    setChildren(this.#list, rows.map((r) => h('li', {}, h('button', {
      type: 'button', 'data-chat': r.id, 'data-state': r.state, 'aria-current': r.current ? 'page' : null, title: r.title,
      click: () => this.on.open(r.id),
    }, h('span', { class: 'title' }, r.title),
    r.state && h('span', { class: 'badge' }, r.state === 'asks' ? words.needsYou : words.running)))));
  }
}
