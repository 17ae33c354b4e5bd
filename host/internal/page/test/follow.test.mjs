/** @import * as chat from '../../../../proto/schema/chat.js' */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ApiError, connect } from '../static/api.mjs';
import { follow } from '../static/follow.mjs';

/** @param {number} seq @param {chat.FrameType} [type] @returns {chat.Frame} */
const frame = (seq, type = 'delta') => ({ run: 'r', seq, type, text: String(seq) });

/**
 * An Api whose streams are scripted: each opened one takes the next script, which
 * lists frames and, last, perhaps an error to throw.
 * @param {(chat.Frame | Error)[][]} scripts
 */
function scripted(scripts) {
  /** @type {string[]} */
  const opened = [];
  /** @param {string} what */
  async function* play(what) {
    opened.push(what);
    for (const f of scripts.shift() ?? assert.fail('opened once more than scripted')) {
      if (f instanceof Error) throw f;
      yield f;
    }
  }
  const api = /** @type {import('../static/api.mjs').Api} */ (/** @type {unknown} */ ({
    /** @param {chat.StreamRequest} r */
    send: (r) => play(`send ${r.requestId}`),
    /** @param {string} c @param {string} r @param {number} s */
    attach: (c, r, s) => play(`attach ${c} ${r} ${s}`),
  }));
  return { api, opened };
}

/** @type {chat.StreamRequest} */
const request = { chatId: 'c', text: 'hi', requestId: 'q' };

/** @param {(chat.Frame | Error)[][]} scripts @param {Partial<Parameters<typeof follow>[0]>} [more] */
async function run(scripts, more) {
  const { api, opened } = scripted(scripts);
  /** @type {unknown[]} */
  const seen = [];
  /** @type {number[]} */
  const slept = [];
  await follow({
    api, chatId: 'c', request, signal: new AbortController().signal,
    onFrame: (f) => seen.push(f.seq), onCut: (e) => seen.push(e ? 'cut' : 'back'),
    sleep: async (ms) => { slept.push(ms); }, ...more,
  });
  return { opened, seen, slept };
}

const lost = new ApiError(0, {});

test('a run in one piece', async () => {
  assert.deepEqual(await run([[frame(1, 'queued'), frame(2), frame(3, 'done')]]),
    { opened: ['send q'], seen: [1, 2, 3], slept: [] });
});

test('a cut is mended with run and seq, calmer each time', async () => {
  assert.deepEqual(await run([[frame(1, 'queued'), frame(2)], [lost], [lost], [frame(3), new TypeError('reset')], [frame(4, 'error')]]), {
    opened: ['send q', 'attach c r 2', 'attach c r 2', 'attach c r 2', 'attach c r 3'],
    seen: [1, 2, 'cut', 'cut', 'cut', 'back', 3, 'cut', 'back', 4],
    slept: [300, 1000, 2000, 300],
  });
});

test('a message of which nothing was heard is sent again with its request id', async () => {
  assert.deepEqual((await run([[lost], [new ApiError(503, {})], [frame(1, 'done')]])).opened, ['send q', 'send q', 'send q']);
});

test('a refusal that stays is thrown', async () => {
  const refused = new ApiError(413, { code: 'too-large', text: 'Too large.' });
  await assert.rejects(run([[refused]]), refused);
});

test('attaching after a reload', async () => {
  assert.deepEqual(await run([[frame(8), frame(9, 'done')]], { request: undefined, run: 'r', seq: 7 }),
    { opened: ['attach c r 7'], seen: [8, 9], slept: [] });
});

test('letting go ends it without a word', async () => {
  const stop = new AbortController();
  const { seen, opened } = await run([[frame(1), frame(2)]], { signal: stop.signal, onFrame: () => stop.abort() });
  assert.deepEqual([seen, opened], [[], ['send q']]);
});

test('the api: headers, bodies, refusals', async () => {
  /** @type {unknown[]} */
  const calls = [];
  /** @type {(Response | Error)[]} */
  const answers = [];
  const api = connect('tok', /** @type {typeof fetch} */ (async (url, init) => {
    calls.push([init?.method, url, init?.headers, init?.body, init?.credentials]);
    const a = answers.shift() ?? assert.fail('one request too many');
    if (a instanceof Error) throw a;
    return a;
  }));
  answers.push(Response.json({ chats: [] }), Response.json({}));
  assert.deepEqual(await api.chats(), { chats: [] });
  await api.patch('a/b c', { title: 'T' });
  const auth = { Authorization: 'Bearer tok' };
  assert.deepEqual(calls, [
    ['GET', '/api/chats', auth, undefined, 'omit'],
    ['PATCH', '/api/chats/a%2Fb%20c', { ...auth, 'Content-Type': 'application/json' }, '{"title":"T"}', 'omit'],
  ]);

  answers.push(Response.json({ error: { code: 'changed', text: 'It changed.', details: 'd' } }, { status: 409 }));
  await assert.rejects(api.stop({ sessionId: 's' }), (/** @type {ApiError} */ e) => e.code === 'changed' && e.message === 'It changed.'
    && e.details === 'd' && e.status === 409 && !e.passing);
  answers.push(new Response('<html>', { status: 502 }));
  await assert.rejects(api.status(), (/** @type {ApiError} */ e) => e.passing && e.message.endsWith('.'));
  answers.push(new TypeError('failed to fetch'));
  await assert.rejects(api.status(), (/** @type {ApiError} */ e) => e.status === 0 && e.passing && e.details.includes('failed to fetch'));

  answers.push(new Response('{"run":"r","seq":1,"type":"done"}\n'));
  const frames = [];
  for await (const f of api.attach('c&d', 'r', 4, new AbortController().signal)) frames.push(f);
  assert.deepEqual(frames, [{ run: 'r', seq: 1, type: 'done' }]);
  assert.equal(/** @type {unknown[]} */ (calls.at(-1))[1], '/api/chat/stream?chatId=c%26d&run=r&after=4');
});
