/** @import * as chat from '../../../../proto/schema/chat.js' */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ApiError } from '../static/api.mjs';
import { Outbox } from '../static/outbox.mjs';
import { empty, entriesOf } from '../static/view.mjs';

/** @param {string} id @param {Partial<chat.StreamRequest>} [more] @returns {chat.StreamRequest} */
const request = (id, more) => ({ chatId: 'c', text: id, requestId: id, ...more });

/** @param {string} id @returns {chat.Waiting} */
const waiting = (id) => ({ run: `run-${id}`, requestId: id, text: id, mode: 'manual', model: 'p/m', time: 1 });

/** An outbox whose messages are sent by these. @param {((signal: AbortSignal) => AsyncGenerator<chat.Frame>)[]} sends */
function outbox(...sends) {
  /** @type {string[]} */
  const sent = [];
  const api = /** @type {import('../static/api.mjs').Api} */ (/** @type {unknown} */ ({
    /** @param {chat.StreamRequest} r @param {AbortSignal} signal */
    send: (r, signal) => {
      sent.push(r.requestId);
      return (sends.shift() ?? assert.fail('sent once more'))(signal);
    },
  }));
  return { box: new Outbox(api, async () => {}), sent };
}

/** The host takes it, and the stream goes on until it is let go. @param {AbortSignal} signal @returns {AsyncGenerator<chat.Frame>} */
async function* taken(signal) {
  yield { run: 'r', seq: 1, type: 'queued' };
  signal.throwIfAborted();
  assert.fail('the stream is read on');
}

/** @param {number} status @returns {() => AsyncGenerator<chat.Frame>} */
const fails = (status) => async function* fail() {
  yield* [];
  throw new ApiError(status, { text: 'no' });
};

test('a message is listed until the host lists it', async () => {
  const { box, sent } = outbox(fails(0), taken);
  const handed = box.hand(request('a', { attachments: [{ name: 'x.png', mediaType: 'image/png', data: '' }] }), async () => {
    assert.deepEqual(box.list('c', [waiting('a')]).map((w) => w.run), ['run-a']);
    assert.equal(box.list('c').length, 1);
  });
  assert.deepEqual(box.list('c', [waiting('b')]).map((w) => [w.requestId, w.run, 'sending' in w, w.pictures?.length]), [
    ['b', 'run-b', false, undefined], ['a', undefined, true, 1],
  ]);
  assert.deepEqual(box.list('other'), []);
  await handed;
  assert.deepEqual(box.list('c'), []);
  assert.deepEqual(sent, ['a', 'a']);
});

test('one that is refused is listed no more', async () => {
  const { box } = outbox(fails(413));
  await assert.rejects(box.hand(request('a'), () => assert.fail('it was not taken')), /no/);
  assert.deepEqual(box.list('c'), []);
});

test('what had its turn without being seen', () => {
  const { box } = outbox();
  assert.equal(box.missed([waiting('a'), waiting('b')], empty), false);
  assert.equal(box.missed([waiting('b')], empty), true); // a had its turn, or was taken back elsewhere
  const view = { ...empty, entries: entriesOf([{ role: 'user', text: 'a', time: 1, requestId: 'a' }]) };
  assert.equal(box.missed([waiting('b')], view), false);
  box.begin();
  assert.equal(box.missed([], empty), false);
});
