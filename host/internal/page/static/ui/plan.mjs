// The plan that waits for an answer, above the message box.
/** @import * as chat from '../../../../../proto/schema/chat.js' */

import { h, setChildren, setText } from '../dom.mjs';
import { textOf } from '../language.mjs';
import { modes, words } from '../words.mjs';

export class PlanBar {
  #caution = h('p', { class: 'caution' });
  #mode = h('select', { 'aria-label': words.planMode },
    ...modes.filter((m) => m.id !== 'plan').map((m) => h('option', { value: m.id, title: m.about }, `${m.name}: ${m.about}`)));
  #yes = h('button', { type: 'button', class: 'approve', click: () => this.#send('approve') }, words.carryOut);
  #no = h('button', { type: 'button', class: 'deny', click: () => this.#send('deny') }, words.notNow);
  #problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  el = h('section', { class: 'plan', 'aria-label': words.planReady, hidden: true },
    h('strong', {}, words.planReady), this.#caution, h('div', { class: 'buttons' }, this.#mode, this.#yes, this.#no), this.#problem);
  /** @type {chat.Plan | null} */
  #plan = null;

  /** @param {(decision: 'approve' | 'deny', mode: string) => Promise<string>} answer gives '' or why it was not taken */
  constructor(answer) {
    this.answer = answer;
  }

  /** @param {'approve' | 'deny'} decision */
  async #send(decision) {
    this.#lock(true);
    const why = await this.answer(decision, this.#mode.value);
    setText(this.#problem, why);
    this.#problem.hidden = !why;
    this.#lock(false);
  }

  /** @param {boolean} on */
  #lock(on) {
    for (const el of [this.#mode, this.#yes, this.#no]) el.disabled = on;
  }

  /** @param {chat.Plan | null} plan */
  update(plan) {
    this.el.hidden = !plan;
    if (plan === this.#plan) return;
    this.#plan = plan;
    this.#mode.value = 'manual'; // what was picked for another plan says nothing of this one
    const caution = plan?.caution ? textOf({ text: plan.caution, key: plan.cautionKey, args: plan.cautionArgs }) : '';
    setText(this.#caution, caution);
    this.#caution.hidden = !caution;
    setChildren(this.#problem, []);
    this.#problem.hidden = true;
  }
}
