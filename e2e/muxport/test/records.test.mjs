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
    { type: 'text-delta', index: 2, text: 'c' },
    { type: 'tool-call-delta', index: 3, id: 'x', name: 'bash', argumentsDelta: '{' },
    { type: 'tool-call-delta', index: 3, id: 'x', argumentsDelta: '}' },
    { type: 'tool-call-delta', index: 3, id: 'y', argumentsDelta: '{}' },
  ]
  assert.deepEqual(records(chunks.map((chunk, i) => ({ time: 10 * i, chunk }))), [
    { type: 'chunk', time: 0, chunk: chunks[0] },
    { type: 'reasoning-chunks', time0: 10, index: 0, dt: [0], texts: ['hm'] },
    { type: 'text-chunks', time0: 20, index: 1, dt: [0, 10], texts: ['a', 'b'] },
    { type: 'text-chunks', time0: 40, index: 2, dt: [0], texts: ['c'] },
    { type: 'tool-call-chunks', time0: 50, index: 3, dt: [0, 10], id: 'x', name: 'bash', args: ['{', '}'] },
    { type: 'tool-call-chunks', time0: 70, index: 3, dt: [0], id: 'y', args: ['{}'] },
  ])
})
