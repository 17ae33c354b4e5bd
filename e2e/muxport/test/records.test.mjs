// @ts-check
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { records } from '../records.mjs'

test('deltas of one block are one record, everything else is its own', () => {
  const chunks = [
    { type: 'block-start', index: 0, blockType: 'reasoning' },
    { type: 'reasoning-delta', index: 0, text: 'hm' },
    { type: 'text-delta', index: 1, text: 'a' },
    { type: 'text-delta', index: 1, text: 'b' },
    { type: 'text-delta', index: 1, text: 'b2' },
    { type: 'text-delta', index: 2, text: 'c' },
    { type: 'tool-call-delta', index: 3, id: 'x', name: 'bash', argumentsDelta: '{' },
    { type: 'tool-call-delta', index: 3, id: 'x', argumentsDelta: '}' },
    { type: 'tool-call-delta', index: 3, id: 'x', argumentsDelta: ' ' },
    { type: 'tool-call-delta', index: 3, id: 'y', argumentsDelta: '{}' },
  ]
  assert.deepEqual(records(chunks.map((chunk, i) => ({ time: 10 * i, chunk }))), [
    { type: 'chunk', time: 0, chunk: chunks[0] },
    { type: 'reasoning-chunks', time0: 10, index: 0, dt: [], texts: ['hm'] },
    { type: 'text-chunks', time0: 20, index: 1, dt: [10, 10], texts: ['a', 'b', 'b2'] },
    { type: 'text-chunks', time0: 50, index: 2, dt: [], texts: ['c'] },
    { type: 'tool-call-chunks', time0: 60, index: 3, dt: [], id: 'x', name: 'bash', args: ['{'] },
    { type: 'tool-call-chunks', time0: 70, index: 3, dt: [10], id: 'x', args: ['}', ' '] },
    { type: 'tool-call-chunks', time0: 90, index: 3, dt: [], id: 'y', args: ['{}'] },
  ])
})
