// One view per part of an answer: an element, and how it follows its part.
/** @import {Part} from '../view.mjs' */
/** @import {Answer} from './tool.mjs' */

import { h, sentence, setText } from '../dom.mjs';
import { fill, known } from '../language.mjs';
import { helperStates, words } from '../words.mjs';
import { MarkdownView } from './markdown.mjs';
import { duration, ToolView } from './tool.mjs';

/**
 * @typedef {object} Context what parts need of the page
 * @property {Answer} answer
 * @property {() => void} retry
 * @property {() => void} create a new chat
 * @property {() => void} chooseModel
 * @property {() => void} summarize
 * @property {() => void} asText sends a line with a slash as it is
 * @property {(as: 'file' | 'preview') => void} shorten sends a message that is too long in another form
 *
 * @typedef {{el: HTMLElement, update: (part: any, live: boolean) => void}} PartView
 */

/** @param {Part} part @param {'user' | 'assistant'} role @param {Context} context @returns {PartView} */
export function partView(part, role, context) {
  switch (part.kind) {
    case 'text': return role === 'user' ? plainView() : textView(part.own);
    case 'reasoning': return reasoningView();
    case 'tool': {
      const view = new ToolView(context.answer);
      return { el: view.el, update: (p, live) => view.update(p.tool, live) };
    }
    case 'draft': return draftView();
    case 'helper': return helperView();
    case 'note': return fixed(h('div', { class: 'notice' }, sentence(part.text, part.details, words.details)));
    case 'error': return fixed(h('div', { class: 'failure', role: 'alert' }, sentence(part.text, part.details, words.details), ...buttons(part.actions, context)));
  }
}

/** What a failure offers; one that offers nothing known can be sent again. @param {string[]} actions @param {Context} context */
function buttons(actions, context) {
  /** @type {Record<string, [string, () => void]>} */
  const offers = {
    retry: [words.retry, context.retry], 'new-chat': [words.startNew, context.create],
    'choose-model': [words.chooseModel, context.chooseModel], summarize: [words.summarize, context.summarize],
    'send-as-text': [words.asText, context.asText],
    'attach-as-file': [words.attachFile, () => context.shorten('file')], 'send-preview': [words.sendPreview, () => context.shorten('preview')],
  };
  const names = actions.filter((name) => offers[name]);
  // Once another model is chosen the message is to be sent to it.
  if (!names.length || names.includes('choose-model') && !names.includes('retry')) names.unshift('retry');
  return names.map((name) => h('button', { type: 'button', click: offers[name][1] }, offers[name][0]));
}

/** @param {HTMLElement} el @returns {PartView} */
const fixed = (el) => ({ el, update: () => {} });

/** What the person wrote, as they wrote it. @returns {PartView} */
function plainView() {
  const el = h('div', {});
  return { el, update: (p) => setText(el, p.text) };
}

/** @param {boolean} own @returns {PartView} */
function textView(own) {
  const view = new MarkdownView();
  view.el.classList.toggle('own', own);
  return { el: view.el, update: (p) => view.update(p.text) };
}

/** @returns {PartView} */
function reasoningView() {
  const text = h('div', { class: 'text' });
  const label = h('summary', {});
  const el = h('details', { class: 'reasoning' }, label, text);
  return {
    el,
    update: (p, live) => {
      setText(text, p.text);
      setText(label, live ? words.thinking : words.reasoning);
      el.classList.toggle('live', live);
    },
  };
}

/** @returns {PartView} */
function draftView() {
  const title = h('span', { class: 'title' });
  const tail = h('pre', { tabindex: 0 });
  const el = h('article', { class: 'card', 'data-state': 'running' },
    h('div', { class: 'line' }, h('span', { class: 'mark', 'aria-hidden': 'true' }), title), tail);
  return {
    el,
    update: (p) => {
      setText(title, fill(words.draft, { name: p.name, lines: p.lines, size: (p.size / 1024).toFixed(1) }));
      setText(tail, p.tail);
    },
  };
}

/** @returns {PartView} */
function helperView() {
  const title = h('span', { class: 'title' });
  const state = h('span', { class: 'state' });
  const el = h('div', { class: 'helper' }, h('span', { class: 'mark', 'aria-hidden': 'true' }), title, state);
  return {
    el,
    update: ({ helper }) => {
      el.dataset.state = helper.status;
      setText(title, `${words.helper}: ${known(helper.description) || helper.name}`);
      setText(state, [helperStates[helper.status] ?? helper.status, helper.durationMs ? duration(helper.durationMs) : ''].filter(Boolean).join(' · '));
    },
  };
}
