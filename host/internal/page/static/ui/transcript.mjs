// The messages of the shown chat, drawn anew only where they changed.
/** @import {Entry, Part, View} from '../view.mjs' */
/** @import {Context, PartView} from './parts.mjs' */

import { h, setChildren, setText } from '../dom.mjs';
import { suggestions, words } from '../words.mjs';
import { partView } from './parts.mjs';

/** How near the end, in px, counts as reading the newest. */
const near = 60;

class EntryView {
  #body = h('div', { class: 'body' });
  /** @type {{kind: string, part: Part | null, live: boolean, view: PartView}[]} */
  #parts = [];

  /** @param {Entry['role']} role @param {Context} context */
  constructor(role, context) {
    this.role = role;
    this.context = context;
    this.el = h('section', { class: `entry ${role}`, 'aria-label': role === 'user' ? words.you : words.assistant }, this.#body);
  }

  /** @param {Entry} entry @param {boolean} live whether its run still goes on */
  update(entry, live) {
    this.#parts = entry.parts.map((part, i) => {
      const old = this.#parts[i];
      const own = part.kind === 'text' && part.own ? 'own' : '';
      const slot = old?.kind === part.kind + own ? old : { kind: part.kind + own, part: null, live: false, view: partView(part, this.role, this.context) };
      const partLive = live && (part.kind !== 'reasoning' || i === entry.parts.length - 1);
      if (slot.part !== part || slot.live !== partLive) {
        slot.view.update(part, partLive);
        slot.part = part;
        slot.live = partLive;
      }
      return slot;
    });
    setChildren(this.#body, this.#parts.map((p) => p.view.el));
  }
}

export class Transcript {
  #status = h('div', { class: 'status', hidden: true }, h('span', { class: 'mark', 'aria-hidden': 'true' }), h('span', { class: 'text' }));
  #welcome;
  #list = h('div', { class: 'list' });
  #jump = h('button', { type: 'button', class: 'jump', hidden: true, click: () => this.toEnd() }, `↓ ${words.latest}`);
  el = h('main', { id: 'transcript', tabindex: -1 }, this.#list);
  /** @type {EntryView[]} */
  #entries = [];
  #shown = '';
  #follows = true;
  #size = '';

  /** @param {Context} context @param {(text: string) => void} suggest */
  constructor(context, suggest) {
    this.context = context;
    this.#welcome = h('div', { class: 'welcome' }, h('h2', {}, words.welcome), h('p', {}, words.welcomeMore),
      h('div', { class: 'suggestions' }, ...suggestions.map((s) => h('button', { type: 'button', click: () => suggest(s) }, s))));
    this.el.addEventListener('scroll', () => {
      if (this.#size !== this.#sizeNow()) return; // the window moved it, not the person
      this.#follows = this.#atEnd();
      this.#jump.hidden = this.#follows;
    }, { passive: true });
    this.el.append(this.#jump);
    // A narrower window or a taller message box moves the end: who read the newest still does.
    new ResizeObserver(() => {
      this.#size = this.#sizeNow();
      if (this.#follows) this.toEnd();
    }).observe(this.el);
  }

  /** @param {string} chatId @param {View} view @param {boolean} loading */
  update(chatId, view, loading) {
    if (chatId !== this.#shown) {
      this.#shown = chatId;
      this.#entries = [];
      this.#follows = true;
    }
    const last = view.entries.length - 1;
    this.#entries = view.entries.map((entry, i) => {
      const old = this.#entries[i];
      const slot = old?.role === entry.role ? old : new EntryView(entry.role, this.context);
      slot.update(entry, view.phase !== 'idle' && i === last);
      return slot;
    });
    const status = statusOf(view);
    this.#status.hidden = !status;
    setText(/** @type {HTMLElement} */ (this.#status.lastChild), status);
    const first = view.entries.length || loading ? [] : [this.#welcome];
    setChildren(this.#list, [...first, ...this.#entries.map((e) => e.el), this.#status]);
    if (this.#follows) this.toEnd();
    else this.#jump.hidden = this.#atEnd();
  }

  toEnd() {
    this.el.scrollTop = this.el.scrollHeight;
    this.#follows = true;
    this.#jump.hidden = true;
  }

  #sizeNow() {
    return `${this.el.clientWidth} ${this.el.clientHeight}`;
  }

  #atEnd() {
    return this.el.scrollHeight - this.el.scrollTop - this.el.clientHeight < near;
  }
}

/** The line below a run under way. @param {View} view */
function statusOf(view) {
  if (view.phase === 'idle') return '';
  if (view.status) return view.status;
  if (view.phase === 'queued') return words.queued;
  const part = view.entries.at(-1)?.parts.at(-1);
  if (part?.kind === 'tool' && part.tool.state === 'proposed') return '';
  return part?.kind === 'text' && !part.own && view.entries.at(-1)?.role === 'assistant' ? '' : words.working;
}
