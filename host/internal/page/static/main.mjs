// The page: what is shown, and what a click does.
/** @import * as chat from '../../../../proto/schema/chat.js' */
/** @import {View} from './view.mjs' */

import { ApiError, connect } from './api.mjs';
import { h, sentence, setChildren, setText } from './dom.mjs';
import { follow } from './follow.mjs';
import { speak, textOf } from './language.mjs';
import { Outbox } from './outbox.mjs';
import { takeToken } from './token.mjs';
import { Allowed } from './ui/allowed.mjs';
import { Composer } from './ui/composer.mjs';
import { Models } from './ui/models.mjs';
import { PlanBar } from './ui/plan.mjs';
import { Sidebar } from './ui/sidebar.mjs';
import { Transcript } from './ui/transcript.mjs';
import { Waiting } from './ui/waiting.mjs';
import { empty, reduce, said, topic, viewOf, waiting as asking } from './view.mjs';
import { words } from './words.mjs';

document.documentElement.lang = await speak(navigator.languages);

/** How often the host is asked how things stand, in ms: while a waiting message gets its turn, while something is under way, and else. */
const atOnce = 200;
const soon = 1500;
const later = 5000;

/** How many messages' pictures are kept, to be sent once more. */
const maxSent = 8;

const api = connect(takeToken(location, sessionStorage, history));
const outbox = new Outbox(api);

const kept = sessionStorage.getItem('strata.chat');

/** @typedef {{text: string, pictures: chat.Attachment[]}} Draft what is written and not sent */

const state = {
  current: kept || newId(),
  /** @type {Map<string, View>} */
  views: new Map(),
  /** @type {Map<string, Draft>} */
  drafts: new Map(),
  /** @type {chat.ChatSummary[]} */
  chats: [],
  /** @type {Set<string>} */
  asking: new Set(),
  /** @type {chat.AgentStatus | null} */
  status: null,
  /** @type {{text: string, details: string} | null} what keeps the page from working */
  trouble: null,
  /** @type {Map<string, string>} the model that was picked, by chat; under '' the newest pick */
  picked: new Map(),
  thinking: sessionStorage.getItem('strata.thinking') ?? '',
  /** @type {Map<string, chat.Attachment[]>} what went with the newest messages of this page, by request */
  sent: new Map(),
  loading: false,
  stopping: false,
};

/** @type {AbortController} lets go of what is shown now */
let shown = new AbortController();

const view = () => state.views.get(state.current) ?? empty;
const row = () => state.chats.find((c) => c.chatId === state.current);
const waits = () => outbox.list(state.current, row()?.waiting);
const modeKey = () => `strata.mode.${state.current}`;
/** The chat's own model stays its own when it is gone; what was picked last is for new chats. */
const model = () => state.picked.get(state.current) || view().model || (view().entries.length ? '' : state.picked.get('') ?? '');
const mode = () => sessionStorage.getItem(modeKey()) || 'manual';

/** Not randomUUID: that one is missing where the page is served without TLS to another machine. */
function newId() {
  return `c-${[...crypto.getRandomValues(new Uint8Array(12))].map((b) => b.toString(16).padStart(2, '0')).join('')}`;
}

const banner = h('div', { class: 'banner', hidden: true });
const title = h('h1', {}, words.title);
const announcer = h('div', { class: 'unseen', 'aria-live': 'polite' });
const menu = h('button', { type: 'button', class: 'menu', 'aria-label': words.chats, 'aria-controls': 'sidebar', 'aria-expanded': 'false', click: () => toggleMenu() }, '☰');
const allowed = new Allowed(api);
const models = new Models(api, () => poll());
const sidebar = new Sidebar({
  open: (id) => { toggleMenu(false); open(id); },
  create: () => { toggleMenu(false); open(newId(), true); },
  allowed: () => { toggleMenu(false); allowed.open(); },
  models: () => { toggleMenu(false); models.open(); },
});
const transcript = new Transcript({
  answer, retry: () => retry(), summarize, shorten, asText: () => retry({ asText: true }), create: () => open(newId(), true), chooseModel: () => composer.chooseModel(),
}, (text) => { composer.value = text; composer.focus(); });
const plan = new PlanBar(answerPlan);
const waiting = new Waiting({ now: sendNow, takeBack });
const composer = new Composer({
  send: (text, pictures, now) => send(text, pictures, { now }),
  stop,
  mode: (m) => { sessionStorage.setItem(modeKey(), m); render(); },
  model: (m) => {
    state.picked.set(state.current, m).set('', m);
    render();
  },
  thinking: (level) => {
    state.thinking = level;
    sessionStorage.setItem('strata.thinking', level);
  },
});

/** @param {boolean} [on] */
function toggleMenu(on = !document.body.classList.contains('menu-open')) {
  document.body.classList.toggle('menu-open', on);
  menu.setAttribute('aria-expanded', String(on));
}

let drawing = false;
function render() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    draw();
  });
}

function draw() {
  const v = view();
  const known = row();
  const name = known?.title || topic(v);
  setText(title, name || words.title);
  document.title = `${state.asking.size ? '● ' : ''}${title.textContent}`;
  sidebar.update(known || !v.entries.length ? state.chats
    : [{ chatId: state.current, title: name, updatedAt: 0, run: v.run }, ...state.chats], state.current, state.asking);
  transcript.update(state.current, v, state.loading);
  plan.update(v.phase === 'idle' ? v.plan : null);
  waiting.update(waits());
  composer.update(v, mode(), model(), state.status?.routes ?? [], state.stopping, state.thinking);
  const s = state.status;
  const say = state.trouble ?? (s && s.state !== 'ready' ? { text: textOf(s), details: s.detail ?? '' } : null);
  banner.hidden = !say?.text;
  banner.dataset.kind = state.trouble ? 'trouble' : s?.state ?? '';
  const drawn = say ? `${say.text}\n${say.details}` : '';
  if (banner.dataset.drawn !== drawn) {
    banner.dataset.drawn = drawn;
    setChildren(banner, say ? [sentence(say.text, say.details, words.details)] : []);
  }
}

/** @param {string} id @param {View} v */
function setView(id, v) {
  const before = asking(state.views.get(id) ?? empty).length;
  state.views.set(id, v);
  if (id !== state.current) return;
  const now = asking(v);
  if (now.length) state.asking.add(id);
  else state.asking.delete(id);
  if (now.length > before) setText(announcer, `${words.askTitle}: ${now.at(-1)?.title}`);
  render();
}

/** @param {unknown} err */
function trouble(err) {
  if (!(err instanceof ApiError)) throw err;
  state.trouble = { text: err.message, details: err.details };
  render();
}

/** Shows a chat and follows its run. @param {string} id @param {boolean} [fresh] the host has nothing of it */
async function open(id, fresh = false) {
  shown.abort();
  state.drafts.set(state.current, { text: composer.value, pictures: composer.pictures });
  if (id !== state.current) {
    const draft = state.drafts.get(id);
    composer.value = draft?.text ?? '';
    composer.pictures = draft?.pictures ?? [];
  }
  Object.assign(state, { current: id, stopping: false, loading: !fresh });
  outbox.begin();
  sessionStorage.setItem('strata.chat', id);
  composer.say('');
  composer.focus();
  render();
  if (!fresh) await load(id);
}

/** Shows the current chat as the host has it, and follows its run. @param {string} id */
async function load(id) {
  shown.abort();
  const mine = shown = new AbortController();
  state.loading = true;
  outbox.begin();
  try {
    const c = await api.chat(id);
    if (mine.signal.aborted) return;
    setView(id, { ...viewOf(c), context: view().context });
    if (c.run) run(mine, {});
  } catch (err) {
    if (mine.signal.aborted) return;
    // A chat of which nothing was sent yet is unknown to the host.
    if (err instanceof ApiError && err.code === 'unknown-chat') state.views.delete(id);
    else trouble(err);
  } finally {
    if (!mine.signal.aborted) state.loading = false;
    render();
  }
}

/**
 * Follows the run of the shown chat, a new one where there is a request.
 * @param {AbortController} mine
 * @param {{request?: chat.StreamRequest}} o
 */
async function run(mine, { request }) {
  const id = state.current;
  const { run: name, seq } = view();
  try {
    await follow({
      api, chatId: id, request, run: request ? '' : name, seq, signal: mine.signal,
      onFrame: (f) => setView(id, reduce(view(), f)),
      onCut: (err) => setView(id, { ...view(), status: err ? (err.code ? err.message : words.reconnecting) : '' }),
    });
    if (mine.signal.aborted) return;
    setText(announcer, words.done);
    if (view().phase !== 'idle') setView(id, { ...view(), phase: 'idle' });
  } catch (err) {
    if (mine.signal.aborted) return;
    const e = err instanceof ApiError ? err : new ApiError(0, { details: String(err) });
    const v = view();
    // Nothing is lost: what was not taken goes back to where it was written.
    const unsent = request && v.phase === 'queued' && v.entries.at(-1)?.role === 'user';
    setView(id, { ...v, phase: 'idle', entries: unsent ? v.entries.slice(0, -1) : v.entries });
    if (unsent) giveBack(id, [request]);
    composer.say(e.message, e.details);
  } finally {
    if (!mine.signal.aborted) state.stopping = false;
    render();
    poll();
  }
}

/**
 * Sends a message. While a turn runs it waits behind that one; with now the turn takes it, if it can.
 * @param {string} text @param {chat.Attachment[]} [attachments]
 * @param {{asText?: boolean, now?: boolean}} [o] asText: a slash at its begin is no command
 */
function send(text, attachments = [], { asText, now } = {}) {
  composer.say('');
  const requestId = newId();
  const { model: route, thinking } = composer.choice;
  if (route) state.picked.set(state.current, route); // also where nothing comes of it
  const request = { chatId: state.current, text, mode: mode(), model: route, thinking, attachments, requestId, asText, steer: now || undefined };
  if (attachments.length) {
    state.sent.set(requestId, attachments);
    const [oldest] = state.sent.keys();
    if (state.sent.size > maxSent) state.sent.delete(oldest);
  }
  if (view().phase !== 'idle' || waits().length) return queue(request);
  shown.abort();
  shown = new AbortController();
  setView(state.current, said(view(), { role: 'user', text, time: Date.now(), pictures: attachments, requestId }));
  transcript.toEnd();
  return run(shown, { request });
}

/** Has a message wait for its turn. @param {chat.StreamRequest} request */
async function queue(request) {
  const handed = outbox.hand(request, poll);
  render();
  try {
    await handed;
    const own = waits().find((w) => w.requestId === request.requestId);
    if (own) setText(announcer, own.run ? words.goesAfter : words.goesIn);
    else poll(); // it has its turn, or had it
  } catch (err) {
    if (!(err instanceof ApiError)) throw err;
    giveBack(request.chatId, [request]);
    if (request.chatId === state.current) composer.say(err.message, err.details);
  }
  render();
}

/** Puts messages that were not sent back to where they were written. @param {string} id @param {chat.StreamRequest[]} requests */
function giveBack(id, requests) {
  const here = id === state.current;
  const draft = here ? { text: composer.value, pictures: composer.pictures } : state.drafts.get(id) ?? { text: '', pictures: [] };
  const text = [draft.text, ...requests.map((r) => r.text)].filter((t) => t.trim()).join('\n\n');
  const pictures = [...draft.pictures, ...requests.flatMap((r) => r.attachments ?? [])];
  if (!here) {
    state.drafts.set(id, { text, pictures });
    return;
  }
  composer.value = text;
  composer.pictures = pictures;
  composer.focus();
}

/** Does what a button of a waiting message says. @param {(id: string) => Promise<void>} act */
async function withWaiting(act) {
  const id = state.current;
  try {
    await act(id);
  } catch (err) {
    if (!(err instanceof ApiError)) throw err;
    if (id === state.current) composer.say(err.message, err.details);
  }
  await poll();
}

/** @param {string} name of the run */
function takeBack(name) {
  return withWaiting(async (id) => giveBack(id, [await api.takeBack(id, name)]));
}

/** @param {string} name of the run */
function sendNow(name) {
  return withWaiting(async (id) => {
    await api.steerWaiting(id, name);
    composer.focus();
  });
}

/** The newest message of the person; none while something is under way. */
function newest() {
  const last = view().entries.findLast((e) => e.role === 'user');
  if (view().phase !== 'idle' || !last) return null;
  const [first] = last.parts;
  const text = first?.kind === 'text' ? first.text : '';
  const pictures = state.sent.get(last.request ?? '') ?? [];
  return text || pictures.length ? { text, pictures } : null;
}

/** Sends it once more. @param {{asText?: boolean}} [o] */
function retry(o) {
  const m = newest();
  if (m) send(m.text, m.pictures, o);
}

/** Makes room in the chat, then has the agent go on with the newest message, which is in its session. */
async function summarize() {
  const id = state.current;
  if (!newest()) return;
  await send('/compact');
  const failed = view().entries.at(-1)?.parts.some((p) => p.kind === 'error');
  if (id === state.current && view().phase === 'idle' && !failed) send(words.goOn);
}

/** Sends the newest message, which is too long, as a file or shortened. @param {'file' | 'preview'} as */
async function shorten(as) {
  const m = newest();
  const id = state.current;
  if (!m) return;
  try {
    const { text } = await api.oversize({ chatId: id, text: m.text, as });
    if (id === state.current && view().phase === 'idle') send(text, m.pictures);
  } catch (err) {
    if (!(err instanceof ApiError)) throw err;
    if (id === state.current) composer.say(err.message, err.details);
  }
}

async function stop() {
  const id = state.current;
  state.stopping = true;
  render();
  try {
    const { unsent } = await api.stop({ chatId: id, sessionId: view().sessionId || undefined });
    if (unsent?.length) {
      giveBack(id, unsent);
      if (id === state.current) setText(announcer, words.backInBox);
    }
  } catch (err) {
    if (id === state.current && err instanceof ApiError) composer.say(err.message, err.details);
  }
  if (id === state.current) state.stopping = false;
  render();
  poll();
}

/** @type {import('./ui/tool.mjs').Answer} */
async function answer(tool, decision, note, reach) {
  const id = state.current;
  try {
    await api.answer({ sessionId: view().sessionId || id, toolId: tool.id, decision, digest: tool.digest, note: note || undefined, ...reach });
    return '';
  } catch (err) {
    if (!(err instanceof ApiError)) throw err;
    // What is shown is not what waits: show the chat as it is.
    if (['not-pending', 'changed', 'unknown-tool', 'unknown-session'].includes(err.code) && id === state.current) {
      await open(id);
      composer.say(err.message, err.details);
    }
    return err.message;
  }
}

/** A yes becomes the chat's next message, which the host sends. @param {'approve' | 'deny'} decision @param {string} as the mode */
async function answerPlan(decision, as) {
  const id = state.current;
  try {
    await api.plan({ sessionId: view().sessionId || id, decision, mode: as });
  } catch (err) {
    if (!(err instanceof ApiError)) throw err;
    if (err.code !== 'not-pending' || id !== state.current) return err.message;
    composer.say(err.message, err.details);
  }
  if (id !== state.current) return '';
  setView(id, { ...view(), plan: null });
  if (decision === 'approve') await load(id);
  composer.focus();
  return '';
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let polls = 0;
let newestPoll = 0;
async function poll() {
  clearTimeout(timer);
  const mine = ++polls;
  if (document.visibilityState === 'visible') {
    try {
      const [status, chats, pending] = await Promise.all([api.status(), api.chats(), api.pending()]);
      if (mine < newestPoll) return; // what was asked later is known already
      newestPoll = mine;
      Object.assign(state, { status, trouble: null, chats: (chats.chats ?? []).filter((c) => !c.archived) });
      state.asking = new Set((pending.pending ?? []).map((p) => p.chatId));
      const here = row();
      const missed = outbox.missed(waits(), view());
      // Begun elsewhere, in another tab for one, or after it has waited; what waited may be over already.
      if (view().phase === 'idle' && !state.loading && (here?.run ? here.run !== view().run : missed)) load(state.current);
      render();
      models.refresh();
    } catch (err) {
      trouble(err);
    }
  }
  clearTimeout(timer);
  const moving = view().phase === 'idle' && row()?.waiting?.some((w) => w.run);
  const busy = state.trouble || state.status?.state !== 'ready' || state.chats.some((c) => c.run);
  timer = setTimeout(poll, moving ? atOnce : busy ? soon : later);
}

document.addEventListener('visibilitychange', poll);
document.addEventListener('keydown', (e) => { if (e.key === 'Escape') toggleMenu(false); });
transcript.el.addEventListener('click', () => toggleMenu(false));
document.body.append(
  sidebar.el,
  h('div', { class: 'main' }, h('header', {}, menu, title), banner, transcript.el, plan.el, waiting.el, composer.el),
  announcer, allowed.el, models.el,
);
open(state.current, !kept);
poll();
