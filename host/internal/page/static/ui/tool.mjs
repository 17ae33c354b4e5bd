// A tool call's card, and on it the question while it waits for the person.
/** @import * as chat from '../../../../../proto/schema/chat.js' */

import { h, setChildren, setText } from '../dom.mjs';
import { rowsOf, visible } from '../visible.mjs';
import { states, words } from '../words.mjs';
import { Reach } from './reach.mjs';

/**
 * How long after a card appears its buttons do nothing, in ms: a click or key
 * meant for what stood there before must not be an answer.
 */
const grace = 500;

/**
 * @typedef {(tool: chat.Tool, decision: 'approve' | 'deny', note: string, reach: import('./reach.mjs').Reached) => Promise<string>} Answer
 *   gives '' or the sentence that says why it was not taken
 */

export class ToolView {
  #title = h('span', { class: 'title' });
  #state = h('span', { class: 'state' });
  #reason = h('span', { class: 'reason' });
  #input = h('div', { class: 'input' });
  #result = h('div', { class: 'result' });
  #body = h('details', {}, h('summary', {}, h('span', { class: 'mark', 'aria-hidden': 'true' }), this.#title, this.#state, this.#reason),
    this.#input, this.#result);
  #ask = h('div', { class: 'ask' });
  el = h('article', { class: 'card' }, this.#body, this.#ask);
  /** @type {chat.Tool | null} */
  #tool = null;
  #asking = '';
  /** @type {Reach | null} */
  #reach = null;

  /** @param {Answer} answer */
  constructor(answer) {
    this.answer = answer;
  }

  /** @param {chat.Tool} tool @param {boolean} live whether the run still goes on */
  update(tool, live) {
    const asks = tool.state === 'proposed' && live;
    if (tool !== this.#tool) {
      this.el.dataset.state = tool.state;
      this.el.dataset.tool = tool.id;
      setText(this.#title, visible(tool.title || tool.name));
      setText(this.#state, stateText(tool));
      const line = lineOf(tool);
      setText(this.#reason, visible(line));
      this.#reason.hidden = !line;
      if (tool.input !== this.#tool?.input) setChildren(this.#input, rows(tool.input ?? ''));
      if (tool.result !== this.#tool?.result || tool.details !== this.#tool?.details) setChildren(this.#result, outcome(tool));
      if (tool.state !== this.#tool?.state) this.#body.open = tool.state === 'proposed';
      this.#tool = tool;
    }
    // The same card asks anew where its digest changed: nothing typed or clicked
    // for the old one counts.
    const asking = asks ? `${tool.id} ${tool.digest ?? ''}` : '';
    if (asking !== this.#asking) {
      this.#asking = asking;
      // Where the focus would be lost with the question, writing goes on.
      const focused = this.#ask.contains(document.activeElement) || document.activeElement === document.body;
      setChildren(this.#ask, asks ? this.#question(tool) : []);
      if (focused && !asks) document.getElementById('message')?.focus();
    }
    if (asks) this.#reach?.update(tool.save);
    this.el.classList.toggle('asks', asks);
  }

  /** @param {chat.Tool} tool */
  #question(tool) {
    const since = performance.now();
    const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
    const note = h('input', { type: 'text', class: 'note', placeholder: words.note, 'aria-label': words.note, maxlength: 2000, autocomplete: 'off' });
    const reach = this.#reach = new Reach();
    /** @param {'approve' | 'deny'} decision */
    const send = async (decision) => {
      if (performance.now() - since < grace) return;
      lock(true);
      const why = await this.answer(tool, decision, note.value.trim(), decision === 'approve' ? reach.value : {});
      setText(problem, why);
      problem.hidden = !why;
      if (why) lock(false);
    };
    const approve = h('button', { type: 'button', class: 'approve', click: () => send('approve') }, words.approve);
    const deny = h('button', { type: 'button', class: 'deny', click: () => send('deny') }, words.deny);
    note.addEventListener('keydown', (e) => {
      if (e.key === 'Enter') e.preventDefault(); // neither yes nor no
    });
    /** @param {boolean} on */
    const lock = (on) => {
      for (const el of [approve, deny, note]) el.disabled = on;
      reach.lock(on);
      setText(approve, on ? words.answering : words.approve);
    };
    return [note, reach.el, h('div', { class: 'buttons', role: 'group', 'aria-label': words.askTitle }, approve, deny), problem];
  }
}

/** The line below the title: why it asks, or why it did not run. @param {chat.Tool} tool */
function lineOf(tool) {
  if (tool.state === 'proposed') return tool.reason ?? '';
  if (tool.state !== 'denied' && tool.state !== 'error') return '';
  const first = (tool.result ?? '').trim().split('\n')[0];
  return first && first.length < 160 ? first : tool.reason ?? '';
}

/** @param {chat.Tool} tool */
function stateText(tool) {
  const took = tool.durationMs && tool.state !== 'proposed' ? ` · ${duration(tool.durationMs)}` : '';
  return (states[tool.state] ?? tool.state) + took;
}

/** @param {number} ms */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** @param {string} input */
const rows = (input) => (input && input !== '{}' ? rowsOf(input).map((r) => h('div', { class: 'row' },
  r.name && h('span', { class: 'name' }, r.name), h('pre', { tabindex: 0 }, r.text))) : []);

/** @param {chat.Tool} tool */
const outcome = (tool) => [
  tool.result ? h('div', { class: 'row' }, h('span', { class: 'name' }, words.result), h('pre', { tabindex: 0 }, tool.result)) : null,
  tool.details ? h('div', { class: 'row' }, h('span', { class: 'name' }, words.details), h('pre', { tabindex: 0 }, tool.details)) : null,
].filter((n) => n !== null);
