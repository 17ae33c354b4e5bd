/** @import * as chat from '../../../../proto/schema/chat.js' */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { empty, ends, entriesOf, reduce, said, topic, viewOf, waiting } from '../static/view.mjs';

/** @param {string} text @param {number} time @returns {chat.Message} */
const wrote = (text, time) => ({ role: 'user', text, time });

/** @param {Partial<chat.Frame>[]} frames @param {import('../static/view.mjs').View} [from] */
const play = (frames, from = said(empty, wrote('hi', 7))) =>
  frames.reduce((v, f, i) => reduce(v, /** @type {chat.Frame} */ ({ run: 'r', seq: i + 1, ...f })), from);

/** @param {string} id @param {chat.ToolState} state @param {Partial<chat.Tool>} [more] @returns {Partial<chat.Frame>} */
const tool = (id, state, more) => ({ type: 'agent-tool', tool: { id, name: 'bash', title: 'Run ls', state, ...more } });

/** @param {string} text @returns {Partial<chat.Frame>} */
const delta = (text) => ({ type: 'delta', text });

test('a whole run', () => {
  const view = play([
    { type: 'queued' },
    { type: 'start', agent: true, mode: 'manual', model: 'p/m', sessionId: 's' },
    { type: 'reasoning', text: 'Let ' }, { type: 'reasoning', text: 'me see' },
    delta('I ll '), delta('look.'),
    tool('t1', 'running'), tool('t1', 'done', { result: 'a.txt' }),
    { type: 'context', tokens: 10, window: 100, percent: 10, source: 'measured' },
    { type: 'status', text: 'Summarizing…' },
    delta('One file.'), { type: 'delta', text: 'Stopped.', own: true },
    { type: 'done', finishReason: 'stop', cancelled: false },
  ]);
  assert.deepEqual(view, {
    entries: [
      { role: 'user', parts: [{ kind: 'text', text: 'hi', own: false }], time: 7 },
      {
        role: 'assistant', time: 7, parts: [
          { kind: 'reasoning', text: 'Let me see' },
          { kind: 'text', text: 'I ll look.', own: false },
          { kind: 'tool', tool: { id: 't1', name: 'bash', title: 'Run ls', state: 'done', result: 'a.txt' } },
          { kind: 'text', text: 'One file.', own: false },
          { kind: 'text', text: 'Stopped.', own: true },
        ],
      },
    ],
    run: 'r', seq: 13, phase: 'idle', sessionId: 's', mode: 'manual', model: 'p/m', status: '', plan: null,
    context: { tokens: 10, window: 100, percent: 10 },
  });
});

test('what was told in between stands where the turn has read it', () => {
  const view = play([
    delta('one'), { type: 'status', text: 'It is with the assistant.' },
    { type: 'message', message: { role: 'user', text: 'two', time: 9, requestId: 'q' } }, delta('three'),
  ]);
  assert.deepEqual(view.entries.map((e) => [e.role, e.request, e.parts.map((p) => ('text' in p ? p.text : p.kind))]), [
    ['user', undefined, ['hi']], ['assistant', undefined, ['one']], ['user', 'q', ['two']], ['assistant', undefined, ['three']],
  ]);
  assert.equal(view.status, '');
});

test('frames seen before a reconnect change nothing', () => {
  const view = play([{ type: 'queued' }, delta('a')]);
  assert.equal(reduce(view, /** @type {chat.Frame} */ ({ run: 'r', seq: 2, type: 'delta', text: 'a' })), view);
  assert.equal(reduce(view, /** @type {chat.Frame} */ ({ run: 'r', seq: 1, type: 'queued' })), view);
});

test('a card is changed where it stands, also one of an earlier answer', () => {
  let view = play([tool('t1', 'running'), delta('x'), tool('t2', 'running')]);
  view = said(view, wrote('next', 8));
  view = play([{ run: 'r2', ...tool('t1', 'error') }], view);
  assert.deepEqual(view.entries.map((e) => e.parts.map((p) => (p.kind === 'tool' ? `${p.tool.id} ${p.tool.state}` : p.kind))),
    [['text'], ['t1 error', 'text', 't2 running'], ['text']]);
});

test('what did not change keeps its identity', () => {
  const before = said(play([delta('a'), { type: 'done' }]), wrote('next', 8));
  const after = play([{ run: 'r2', ...delta('b') }], before);
  assert.equal(after.entries[0], before.entries[0]);
  assert.equal(after.entries[1], before.entries[1]);
  assert.equal(after.entries.length, 4);
  assert.deepEqual(before.entries.length, 3);
});

test('a draft that no card followed goes with the run', () => {
  const view = play([{ type: 'delta', text: 'a' }, { type: 'agent-tool-draft', id: 't', name: 'write', size: 3, lines: 1, tail: 'abc' },
    { type: 'done', cancelled: true, finishReason: 'aborted' }]);
  assert.deepEqual(view.entries[1].parts.map((p) => p.kind), ['text', 'note']);
});

test('a draft becomes the card with its id', () => {
  const draft = { type: /** @type {const} */ ('agent-tool-draft'), id: 't', name: 'write', size: 3, lines: 1, tail: 'abc' };
  let view = play([draft]);
  assert.deepEqual(view.entries[1].parts, [{ kind: 'draft', id: 't', name: 'write', size: 3, lines: 1, tail: 'abc' }]);
  view = play([draft, { ...draft, size: 6 }, tool('t', 'proposed')]);
  assert.deepEqual(view.entries[1].parts.map((p) => p.kind), ['tool']);
});

test('helpers, notices, plans and errors', () => {
  const helper = { id: 'h', name: 'n', description: 'd', status: 'running', durationMs: 1, tokens: 2, updatedAt: 3 };
  const view = play([
    { type: 'agent', agent: helper }, { type: 'agent', agent: { ...helper, status: 'done' } },
    { type: 'notice', text: 'N.', details: 'x' }, { type: 'plan', plan: { text: 'P' } },
    { type: 'error', text: 'E.', details: 'y', code: 'model-failed', actions: ['retry'] },
  ]);
  assert.deepEqual(view.entries[1].parts, [
    { kind: 'helper', helper: { ...helper, status: 'done' } },
    { kind: 'note', text: 'N.', details: 'x' },
    { kind: 'error', text: 'E.', details: 'y', code: 'model-failed', actions: ['retry'] },
  ]);
  assert.equal(view.phase, 'idle');
  assert.deepEqual(view.plan, { text: 'P' }, 'it waits');
  assert.equal(play([{ type: 'queued' }], { ...view, run: 'before' }).plan, null, 'until something is said');
});

test('a stopped run says so, as its history will', () => {
  const view = play([delta('a'), { type: 'done', cancelled: true }]);
  assert.deepEqual(view.entries[1].parts.at(-1), { kind: 'note', text: 'Stopped. Send a message to go on.', details: '' });
});

test('only a running chat waits for answers', () => {
  const view = play([{ type: 'start' }, tool('t1', 'proposed'), tool('t2', 'running'), tool('h:t3', 'proposed')]);
  assert.deepEqual(waiting(view).map((t) => t.id), ['t1', 'h:t3']);
  assert.deepEqual(waiting(play([tool('t1', 'denied')], view)).map((t) => t.id), ['t1', 'h:t3'], 'an old frame');
  assert.deepEqual(waiting(reduce(view, /** @type {chat.Frame} */ ({ run: 'r', seq: 9, type: 'done' }))), []);
});

/** @type {chat.Message[]} */
const history = [
  { role: 'user', text: 'hi', time: 1 },
  { role: 'assistant', reasoning: 'hm', text: 'a', tools: [{ id: 't', name: 'bash', title: 'T', state: 'done' }], time: 2 },
  { role: 'assistant', text: 'b', notes: [{ text: 'Stopped.' }], time: 3 },
];

test('history: steps of one answer are one entry', () => {
  assert.deepEqual(entriesOf(history), [
    { role: 'user', parts: [{ kind: 'text', text: 'hi', own: false }], time: 1 },
    {
      role: 'assistant', time: 2, parts: [
        { kind: 'reasoning', text: 'hm' }, { kind: 'text', text: 'a', own: false },
        { kind: 'tool', tool: { id: 't', name: 'bash', title: 'T', state: 'done' } },
        { kind: 'text', text: 'b', own: false }, { kind: 'note', text: 'Stopped.', details: '' },
      ],
    },
  ]);
  assert.deepEqual(entriesOf(null), []);
});

test('a chat under way goes on where its history ends', () => {
  const view = viewOf({ chatId: 'c', title: '', updatedAt: 0, sessionId: 's', run: 'r', seq: 5, messages: history.slice(0, 2) });
  assert.deepEqual([view.phase, view.run, view.seq, view.sessionId], ['running', 'r', 5, 's']);
  const on = reduce(reduce(view, /** @type {chat.Frame} */ ({ run: 'r', seq: 5, type: 'delta', text: 'old' })),
    /** @type {chat.Frame} */ ({ run: 'r', seq: 6, type: 'delta', text: 'new' }));
  assert.deepEqual(on.entries[1].parts.at(-1), { kind: 'text', text: 'new', own: false });
  assert.equal(viewOf({ chatId: 'c', title: '', updatedAt: 0, messages: null }).phase, 'idle');
});

test('a reset replaces what was shown', () => {
  const view = play([{ run: 'r2', seq: 40, type: 'reset', snapshot: { messages: history } }], play([delta('x')]));
  assert.deepEqual([view.entries, view.run, view.seq, view.phase], [entriesOf(history), 'r2', 40, 'running']);
  const over = play([{ run: '', seq: 0, type: 'reset', snapshot: { messages: null } }], view);
  assert.deepEqual([over.entries, over.phase], [[], 'idle']);
});

test('which frames end a run', () => {
  /** @param {Partial<chat.Frame>} f */
  const e = (f) => ends(/** @type {chat.Frame} */ ({ run: 'r', seq: 1, ...f }));
  assert.deepEqual([e({ type: 'done' }), e({ type: 'error' }), e({ type: 'reset' }), e({ type: 'reset', run: '' }), e({ type: 'delta' })],
    [true, true, false, true, false]);
});

test('a frame of tomorrow is counted and shows nothing', () => {
  const view = play([delta('a'), /** @type {any} */ ({ type: 'hologram' }), delta('b')]);
  assert.deepEqual(view.entries[1].parts, [{ kind: 'text', text: 'ab', own: false }]);
  assert.equal(view.seq, 3);
});

test('what a chat is about', () => {
  assert.equal(topic(empty), '');
  assert.equal(topic(said(empty, wrote(' Write\nhello.txt', 1))), 'Write');
  assert.equal(topic(said(empty, { role: 'user', time: 1, pictures: [{ name: 'a.png', mediaType: 'image/png' }] })), '🖼 a.png');
  assert.equal(topic(said(empty, wrote('x'.repeat(80), 1))), `${'x'.repeat(59)}…`);
});

test('each sentence of the host s own stands by itself', () => {
  const view = play([
    { type: 'delta', text: 'The goal is paused.', own: true }, { type: 'delta', text: 'The goal was cleared.', own: true },
    delta('And '), delta('on.'),
  ]);
  assert.deepEqual(view.entries[1].parts, [
    { kind: 'text', text: 'The goal is paused.', own: true }, { kind: 'text', text: 'The goal was cleared.', own: true },
    { kind: 'text', text: 'And on.', own: false },
  ]);
});

test('a reload shows helpers, how full the window is, and what may be done about the newest error', () => {
  const helper = { id: 'h', name: 'n', description: 'look', status: 'done', durationMs: 5, tokens: 7, updatedAt: 9 };
  const code = 'agent-stopped';
  const failed = /** @type {chat.Note} */ ({ text: 'It failed.', code, details: 'boom', actions: ['retry'] });
  /** @type {chat.Message[]} */
  const messages = [
    wrote('a', 1), { role: 'assistant', time: 2, text: 'A', helpers: [helper], notes: [failed] },
    wrote('b', 3), { role: 'assistant', time: 4, notes: [{ text: 'A notice.', details: 'why' }, failed] },
  ];
  const error = { kind: 'error', text: 'It failed.', details: 'boom', code };
  const view = viewOf({ chatId: 'c', title: 't', updatedAt: 4, messages, context: { tokens: 90, window: 100, percent: 90, source: 'measured' } });
  assert.deepEqual(view.entries.filter((e) => e.role === 'assistant').map((e) => e.parts), [
    [{ kind: 'text', text: 'A', own: false }, { kind: 'helper', helper }, { ...error, actions: [] }],
    [{ kind: 'note', text: 'A notice.', details: 'why' }, { ...error, actions: ['retry'] }],
  ]);
  assert.deepEqual(view.context, { tokens: 90, window: 100, percent: 90 });
  const again = reduce(empty, /** @type {chat.Frame} */ ({ type: 'reset', run: '', seq: 0, snapshot: { messages, context: { tokens: 8, window: 10, percent: 80, source: 'measured' } } }));
  assert.deepEqual([again.entries, again.context], [view.entries, { tokens: 8, window: 10, percent: 80 }]);
});
