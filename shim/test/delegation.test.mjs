// @ts-check
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Delegation } from '../gate/delegation.mjs'

/** @param {{helpers: {id: string, busy: boolean}[], turns: string[]}} now */
const of = now => new Delegation(/** @type {any} */ ({ helpersOf: () => now.helpers, inTurn: (/** @type {string} */ id) => now.turns.includes(id) }))

test('several calls at once are each counted', () => {
  const d = of({ helpers: [], turns: ['r'] })
  assert.deepEqual(['a', 'b', 'c'].map(call => d.take('r', 'r', call)), [0, 1, 2])
  assert.equal(d.take('r', 'r', 'b'), 2, 'one that is judged again does not count itself')
})

test('a helper that is there counts in the place of its call', () => {
  const now = { helpers: /** @type {{id: string, busy: boolean}[]} */ ([]), turns: ['r'] }
  const d = of(now)
  assert.equal(d.take('r', 'r', 'a'), 0)
  now.helpers.push({ id: 'h', busy: true })
  d.born('r')
  assert.equal(d.take('r', 'r', 'b'), 1)
  now.helpers[0] = { id: 'h', busy: false } // it has reported
  d.release('r', 'b')
  assert.equal(d.take('r', 'r', 'c'), 0)
})

test('a helper’s own helpers count with the chat’s', () => {
  const now = { helpers: [{ id: 'h', busy: true }], turns: ['r', 'h'] }
  const d = of(now)
  assert.equal(d.take('r', 'h', 'a'), 1)
  assert.equal(d.take('r', 'r', 'b'), 2)
})

test('what was refused by another plugin counts no more once its turn is over', () => {
  const now = { helpers: [], turns: ['r'] }
  const d = of(now)
  d.take('r', 'r', 'a')
  now.turns = []
  d.take('r', 'r', 'b') // of a session that is in no turn: nothing before it counts
  now.turns = ['r']
  assert.equal(d.take('r', 'r', 'c'), 1)
})
