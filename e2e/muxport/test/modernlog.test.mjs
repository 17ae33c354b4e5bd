// @ts-check
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModernLog } from '../modernlog.mjs'

/** Old events from what is short to write. @param {[string, any, any?][]} list */
const old = list => list.map(([type, data, more], seq) => ({ type, seq, time: 100 + seq, data, ...more }))
const chunk = (/** @type {any} */ one, step = 1) => /** @type {[string, any]} */ (['assistant/chunk', { turn: 1, step, chunk: one }])
const text = (/** @type {string} */ t) => ({ type: 'text-delta', index: 0, text: t })
const finish = (/** @type {string} */ kind) => ({ type: 'finish', reason: { kind } })
const none = () => []

/** @param {any[]} events @param {(seq: number) => any[]} [insertions] */
function fold(events, insertions = none) {
  const log = new ModernLog('s', insertions, 3)
  const items = events.map(event => log.take(event))
  return { log, items }
}

test('chunks go, what remains is numbered without a hole, and seqs inside events follow', () => {
  const { log, items } = fold(old([
    ['turn/start', { turn: 1 }],
    ['user/message', { id: 'm1' }, { surfaceOp: 'append' }],
    chunk(text('a')), chunk(text('b')), chunk(finish('stop')),
    ['assistant/message', { turn: 1, step: 1, message: { id: 'm2' } }, { surfaceOp: 'append', sourceEventSeqs: [2, 3, 4] }],
    ['session/title', { title: 't', messageSeqs: [1, 5] }],
    ['user/message', { id: 'm3' }, { surfaceOp: { op: 'replace', start: 1, end: 5 }, sourceEventSeqs: [1, 5] }],
  ]))
  assert.deepEqual(log.events, [
    { type: 'turn/start', seq: 0, time: 100, data: { turn: 1 } },
    { type: 'user/message', seq: 1, time: 101, data: { id: 'm1' }, surfaceOp: 'append' },
    {
      type: 'assistant/message', seq: 2, time: 105, surfaceOp: 'append',
      data: {
        turn: 1, step: 1, message: { id: 'm2' }, stream: [
          { type: 'text-chunks', time0: 102, index: 0, dt: [1], texts: ['a', 'b'] },
          { type: 'chunk', time: 104, chunk: finish('stop') },
        ],
      },
    },
    { type: 'session/title', seq: 3, time: 106, data: { title: 't', messageSeqs: [1, 2] } },
    { type: 'user/message', seq: 4, time: 107, data: { id: 'm3' }, surfaceOp: { op: 'replace', startSeq: 1, endSeq: 2 }, sourceEventSeqs: [1, 2] },
  ])
  const attemptId = 's:1'
  assert.partialDeepStrictEqual(items.slice(2, 6), [
    [{ start: { attemptId, startedAfterSeq: 1, turn: 1, step: 1 } }, { chunk: text('a'), time: 102, index: 0, attemptId }],
    [{ chunk: text('b'), time: 103, index: 1, attemptId }],
    [{ chunk: finish('stop'), time: 104, index: 2, attemptId }],
    [{ event: { seq: 2 } }, { outcome: { kind: 'committed', eventType: 'assistant/message', seq: 2 } }],
  ])
  assert.deepEqual([-1, 0, 1, 2, 4, 5, 6, 7, 99].map(seq => log.seqOf(seq)), [-1, 0, 1, 1, 1, 2, 3, 4, 4])
  assert.deepEqual([0, 1, 2, 4].map(seq => log.oldOf(seq)), [0, 4, 5, 7])
})

test('an attempt without a message becomes assistant/attempt where that shows', () => {
  const { log } = fold(old([
    chunk(text('a')), chunk(finish('error')), ['llm/retry', { retry: 1 }],
    chunk(text('b')), chunk(finish('error')),
    chunk(text('c')), ['step/end', { turn: 1, step: 1 }],
    chunk(text('d'), 2), ['turn/end', { turn: 1 }],
  ]))
  assert.deepEqual(log.events.map(({ type, seq, data }) => [type, seq, data.step, data.stream?.[0].texts]), [
    ['assistant/attempt', 0, 1, ['a']],
    ['llm/retry', 1, undefined, undefined],
    ['assistant/attempt', 2, 1, ['b']],
    ['assistant/attempt', 3, 1, ['c']],
    ['step/end', 4, 1, undefined],
    ['assistant/attempt', 5, 2, ['d']],
    ['turn/end', 6, undefined, undefined],
  ])
})

test('what is noted is inserted at its place, also at the end, and once', () => {
  const note = { type: 'subagent/catalog', time: 5, data: {} }
  const at = (/** @type {number} */ place) => (/** @type {number} */ seq) => (seq === place ? [note] : [])
  const events = old([['turn/start', { turn: 1 }], ['turn/end', { turn: 1 }]])
  const types = (/** @type {ModernLog} */ log) => log.events.map(event => `${event.seq} ${event.type}`)
  const middle = ['0 turn/start', '1 subagent/catalog', '2 turn/end']
  assert.deepEqual(types(fold(events, at(1)).log), middle)
  const live = fold(events.slice(0, 1), at(1)).log
  assert.deepEqual(live.insert().length, 1)
  assert.deepEqual(live.insert().length, 0)
  live.take(events[1])
  assert.deepEqual(types(live), middle)
  assert.deepEqual([live.seqOf(0), live.seqOf(1)], [0, 2])
})

test('a tool result is a message of its own, a header has no system text', () => {
  const { log } = fold(old([
    ['tool/result', {
      turn: 1, step: 1, message: {
        id: 'm', role: 'user', source: { kind: 'tool', callId: 'c' }, content: [{ type: 'tool-result', toolCallId: 'c', content: [{ type: 'text', text: 'no' }], isError: true }],
      }, error: { name: 'E', code: 'X' },
    }],
    ['request/header', { header: { config: { provider: 'p', model: 'm' }, system: 'long', tools: [] }, reason: 'initial' }],
    ['subagent/descriptor', { version: 2, mode: 'one-shot', provider: 'spawn' }],
  ]))
  assert.deepEqual(log.events.map(event => event.data), [
    {
      turn: 1, step: 1, error: { name: 'E', code: 'X' },
      message: { id: 'm', role: 'tool', toolCallId: 'c', content: [{ type: 'text', text: 'no' }], isError: true, source: { kind: 'tool', callId: 'c' } },
    },
    { header: { config: { provider: 'p', model: 'm' }, tools: [] }, reason: 'initial' },
    { version: 3, mode: 'one-shot', provider: 'spawn' },
  ])
})

test('a hole in the old log is an error', () => {
  assert.throws(() => fold([{ type: 'turn/start', seq: 1, time: 0, data: {} }]), /seq 1 follows -1/)
})
