// @ts-check
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capMemory } from '../lib/memcap.mjs'

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
/** A module with one memory section and, behind it, an export of that memory. @param {...number} limits */
const module = (...limits) => Uint8Array.from([...HEADER, 5, limits.length + 1, 1, ...limits, 7, 5, 1, 1, 0x6d, 2, 0])
/** @param {Uint8Array} bytes @returns {Promise<WebAssembly.Memory>} */
const memoryOf = async bytes => /** @type {any} */ ((await WebAssembly.instantiate(/** @type {any} */ (bytes))).instance.exports.m)

test('a memory without a maximum gets one', async () => {
  const memory = await memoryOf(capMemory(module(0, 1), 3))
  assert.equal(memory.grow(2), 1)
  assert.throws(() => memory.grow(1), RangeError)
})

test('a higher maximum is lowered, a lower one stays', async () => {
  const high = await memoryOf(capMemory(module(1, 1, 0x90, 0x4e), 200)) // 10,000 pages
  assert.equal(high.grow(199), 1)
  assert.throws(() => high.grow(1), RangeError)
  const low = await memoryOf(capMemory(module(1, 1, 2), 200))
  assert.equal(low.grow(1), 1)
  assert.throws(() => low.grow(1), RangeError)
})

test('a module that asks for no more is taken as it is', () => {
  const asks = module(1, 1, 3)
  assert.equal(capMemory(asks, 3), asks)
})

test('sizes of more than one byte are written well', async () => {
  const memory = await memoryOf(capMemory(module(0, 0x80, 1), 1024)) // starts with 128 pages
  assert.equal(memory.buffer.byteLength, 128 * 65536)
  assert.equal(memory.grow(896), 128)
  assert.throws(() => memory.grow(1), RangeError)
})

for (const [what, bytes, message] of /** @type {[string, Uint8Array, RegExp][]} */ ([
  ['has no memory', Uint8Array.from(HEADER), /no memory/],
  ['starts above the cap', module(0, 9), /9 pages, the cap is 8/],
  ['has a shared memory', module(3, 1, 2), /unusual memory/],
  ['ends in the middle', module(0, 1).subarray(0, 9), /cut short/],
])) {
  test(`a module that ${what} is refused`, () => {
    assert.throws(() => capMemory(bytes, 8), message)
  })
}
