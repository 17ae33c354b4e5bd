// What a chat looks like, as a pure function of its frames: reduce(view, frame)
// gives the next view and changes nothing. What did not change keeps its
// identity, so that only what did is drawn again.
/** @import * as chat from '../../../../proto/schema/chat.js' */

import { cardOf, textOf } from './language.mjs';
import { words } from './words.mjs';

/**
 * One piece of an answer, in the order it came.
 * @typedef {{kind: 'text', text: string, own: boolean}
 *   | {kind: 'reasoning', text: string}
 *   | {kind: 'tool', tool: chat.Tool}
 *   | {kind: 'draft', id: string, name: string, size: number, lines: number, tail: string}
 *   | {kind: 'helper', helper: chat.Helper}
 *   | {kind: 'note', text: string, details: string}
 *   | {kind: 'error', text: string, details: string, code: string, actions: string[]}} Part
 *
 * @typedef {{role: 'user' | 'assistant', parts: Part[], time: number, request?: string}} Entry request: what sent it
 *
 * @typedef {object} View
 * @property {Entry[]} entries
 * @property {string} run the newest run, '' before the first
 * @property {number} seq of the newest frame seen of that run
 * @property {'idle' | 'queued' | 'running'} phase
 * @property {string} sessionId
 * @property {string} mode of the newest run
 * @property {string} model of the newest run
 * @property {string} status one line while it works
 * @property {chat.Plan | null} plan that waits for an answer
 * @property {{tokens: number, window: number, percent: number} | null} context
 */

/** @type {View} */
export const empty = {
  entries: [], run: '', seq: 0, phase: 'idle', sessionId: '', mode: '', model: '', status: '', plan: null, context: null,
};

/**
 * A chat's history. Consecutive messages of the assistant are one entry.
 * @param {chat.Message[] | null | undefined} messages
 * @returns {Entry[]}
 */
export function entriesOf(messages) {
  /** @type {Entry[]} */
  const entries = [];
  for (const m of messages ?? []) {
    const role = m.role === 'user' ? 'user' : 'assistant';
    const parts = partsOf(m);
    const last = entries.at(-1);
    if (role === 'assistant' && last?.role === 'assistant') last.parts.push(...parts);
    else entries.push({ role, parts, time: m.time, ...(m.requestId && { request: m.requestId }) });
  }
  return entries.map((e, i) => (i < entries.length - 1 ? settled(e) : e));
}

/** What may be done about an error is offered under the newest answer alone. @param {Entry} entry @returns {Entry} */
const settled = (entry) => ({ ...entry, parts: entry.parts.map((p) => (p.kind === 'error' ? { ...p, actions: [] } : p)) });

/** @param {chat.Picture} p @returns {Part} */
const named = (p) => ({ kind: 'note', text: `🖼 ${p.name || p.mediaType}`, details: '' });

/** @param {chat.Message} m @returns {Part[]} */
function partsOf(m) {
  /** @type {Part[]} */
  const parts = [];
  if (m.reasoning) parts.push({ kind: 'reasoning', text: m.reasoning });
  // What the host says in the person's place, such as that a plan is approved, is its own sentence.
  const key = m.role === 'user' ? m.text : undefined;
  if (m.text) parts.push({ kind: 'text', text: textOf({ text: m.text, key }), own: false });
  parts.push(...(m.pictures ?? []).map(named));
  for (const tool of m.tools ?? []) parts.push({ kind: 'tool', tool: cardOf(tool) });
  for (const helper of m.helpers ?? []) parts.push({ kind: 'helper', helper });
  for (const n of m.notes ?? []) parts.push(partOf(n));
  return parts;
}

/** @param {chat.Note} n @returns {Part} */
function partOf({ code, details = '', actions = [], ...sentence }) {
  const text = textOf(sentence);
  return actions.length > 0 ? { kind: 'error', text, details, code: code ?? '', actions } : { kind: 'note', text, details };
}

/** @param {chat.Context | null | undefined} c */
const meterOf = (c) => (c ? { tokens: c.tokens, window: c.window, percent: c.percent } : null);

/**
 * A chat as the host tells it (GET /api/chats/{id}).
 * @param {chat.Chat} c
 * @returns {View}
 */
export function viewOf(c) {
  return {
    ...empty, entries: entriesOf(c.messages), run: c.run ?? '', seq: c.seq ?? 0,
    phase: c.run ? 'running' : 'idle', sessionId: c.sessionId ?? '', model: c.model ?? '', plan: c.plan ?? null,
    context: meterOf(c.context),
  };
}

/**
 * The person's message, shown before the host has it.
 * @param {View} view @param {chat.Message} message
 * @returns {View}
 */
export function said(view, message) {
  return { ...view, entries: [...view.entries, ...entriesOf([message])], phase: 'queued', status: '', plan: null };
}

/**
 * @param {View} view
 * @param {chat.Frame} f
 * @returns {View}
 */
export function reduce(view, f) {
  if (f.type === 'reset') {
    return {
      ...view, entries: entriesOf(f.snapshot?.messages), run: f.run, seq: f.seq,
      phase: f.run ? 'running' : 'idle', status: '', context: meterOf(f.snapshot?.context) ?? view.context,
    };
  }
  if (f.run === view.run && f.seq <= view.seq) return view; // seen before a reconnect
  const next = { ...view, run: f.run, seq: f.seq };
  switch (f.type) {
    case 'queued':
      return { ...next, phase: 'queued', plan: null };
    case 'start':
      return {
        ...next, phase: 'running', status: '', mode: f.mode ?? '', model: f.model ?? '',
        sessionId: f.sessionId ?? view.sessionId,
      };
    case 'reasoning':
      return extend(next, { kind: 'reasoning', text: f.text ?? '' });
    case 'delta':
      return extend(next, { kind: 'text', text: textOf(f), own: f.own ?? false });
    case 'agent-tool':
      return f.tool ? upsert(next, { kind: 'tool', tool: cardOf(f.tool) }, f.tool.id) : next;
    case 'agent-tool-draft':
      return upsert(next, {
        kind: 'draft', id: f.id ?? '', name: f.name ?? '', size: f.size ?? 0, lines: f.lines ?? 0, tail: f.tail ?? '',
      }, f.id ?? '');
    case 'agent':
      return typeof f.agent === 'object' ? upsert(next, { kind: 'helper', helper: f.agent }, f.agent.id) : next;
    case 'context':
      return { ...next, context: { tokens: f.tokens ?? 0, window: f.window ?? 0, percent: f.percent ?? 0 } };
    case 'status':
      return { ...next, status: textOf(f) };
    case 'message': // the turn has read what was told it in between
      return { ...next, status: '', entries: [...next.entries, ...entriesOf(f.message ? [f.message] : [])] };
    case 'notice':
      return append(next, { kind: 'note', text: textOf(f), details: f.details ?? '' });
    case 'plan':
      return { ...next, plan: f.plan ?? null }; // its text has been shown
    case 'error':
      return ended(append(next, {
        kind: 'error', text: textOf(f), details: f.details ?? '', code: f.code ?? '', actions: f.actions ?? [],
      }));
    case 'done':
      return ended(f.cancelled ? append(next, { kind: 'note', text: words.stopped, details: '' }) : next);
    default:
      return next; // a frame of tomorrow
  }
}

/** Whether a frame is a run's last. @param {chat.Frame} f */
export const ends = (f) => f.type === 'done' || f.type === 'error' || (f.type === 'reset' && !f.run);

/** @param {View} view @returns {View} */
const ended = (view) => ({ ...undrafted(view), phase: 'idle', status: '' });

/** A call that was never whole leaves nothing: its file was not written. @param {View} view @returns {View} */
function undrafted(view) {
  const last = view.entries.at(-1);
  if (!last?.parts.some((p) => p.kind === 'draft')) return view;
  return { ...view, entries: [...view.entries.slice(0, -1), { ...last, parts: last.parts.filter((p) => p.kind !== 'draft') }] };
}

/**
 * Replaces the answer's parts; a new answer begins after a message of the person.
 * @param {View} view @param {(parts: Part[]) => Part[]} change
 * @returns {View}
 */
function answer(view, change) {
  const last = view.entries.at(-1);
  if (last?.role !== 'assistant') {
    return { ...view, entries: [...view.entries, { role: 'assistant', parts: change([]), time: last?.time ?? 0 }] };
  }
  return { ...view, entries: [...view.entries.slice(0, -1), { ...last, parts: change(last.parts) }] };
}

/** @param {View} view @param {Part} part @returns {View} */
const append = (view, part) => answer(view, (parts) => [...parts, part]);

/**
 * Adds streamed text to the part it continues. Each sentence of the host's own stands by itself.
 * @param {View} view @param {Extract<Part, {kind: 'text' | 'reasoning'}>} part
 * @returns {View}
 */
function extend(view, part) {
  if (!part.text) return view;
  return answer({ ...view, status: '' }, (parts) => {
    const last = parts.at(-1);
    const continues = last?.kind === part.kind && (last.kind !== 'text' || part.kind !== 'text' || (!last.own && !part.own));
    if (!continues) return [...parts, part];
    return [...parts.slice(0, -1), /** @type {Part} */ ({ ...last, text: last.text + part.text })];
  });
}

/**
 * Puts a card in the place of the one with its id, wherever in the chat it is.
 * A card takes the place of its draft too.
 * @param {View} view @param {Part} part @param {string} id
 * @returns {View}
 */
function upsert(view, part, id) {
  for (let e = view.entries.length - 1; e >= 0; e--) {
    const entry = view.entries[e];
    const at = entry.parts.findIndex((p) => idOf(p) === id && sameCard(p.kind, part.kind));
    if (at < 0) continue;
    const changed = { ...entry, parts: entry.parts.with(at, part) };
    return { ...view, entries: view.entries.with(e, changed) };
  }
  return append({ ...view, status: '' }, part);
}

/** @param {Part['kind']} was @param {Part['kind']} is */
const sameCard = (was, is) => was === is || (was === 'draft' && is === 'tool');

/** @param {Part} p */
function idOf(p) {
  switch (p.kind) {
    case 'tool': return p.tool.id;
    case 'draft': return p.id;
    case 'helper': return p.helper.id;
    default: return undefined;
  }
}

/** What a chat is about, from its first message. @param {View} view */
export function topic(view) {
  const first = view.entries[0]?.parts[0];
  const line = first && 'text' in first ? first.text.trim().split('\n')[0] : '';
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/**
 * The cards that wait for the person, oldest first.
 * @param {View} view
 * @returns {chat.Tool[]}
 */
export function waiting(view) {
  if (view.phase === 'idle') return [];
  return view.entries.flatMap((e) => e.parts.flatMap((p) => (p.kind === 'tool' && p.tool.state === 'proposed' ? [p.tool] : [])));
}
