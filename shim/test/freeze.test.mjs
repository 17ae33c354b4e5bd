// @ts-check
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { freeze } from '../freeze.mjs'
import { fillTable, takeTable } from '../freezetable.mjs'
import { Instance } from '../lib/hot.mjs'
import { capMemory } from '../lib/memcap.mjs'
import { loadModule } from '../lib/module.mjs'
import { buildProbe, buildStrata } from './guests.mjs'

const built = readFileSync(buildProbe().wasm)
const frozen = freeze(built, { maxPages: 1000 })
const open = async (/** @type {Buffer} */ bytes) => new Instance({
  module: await loadModule(bytes, createHash('sha256').update(bytes).digest('hex')), plugin: 'probe',
})

test('the same module gives the same bytes', () => {
  assert.deepEqual(freeze(built, { maxPages: 1000 }), frozen)
})

test('a frozen module answers as the one it was made of', async () => {
  const [before, after] = [await open(built), await open(frozen)]
  assert.deepEqual([...after.ops], [...before.ops])
  for (const instance of [after, await open(frozen)]) {
    for (let i = 0; i < 2000; i++) { // several collections of garbage
      assert.deepEqual((await instance.call('echo', { i, text: 'x'.repeat(i) })).value, { i, text: 'x'.repeat(i) })
    }
    const { value } = await instance.call('now', {})
    assert.ok(Math.abs(value.ms - Date.now()) < 60_000)
    instance.close()
  }
})

test('the table of functions is filled in at the start', () => {
  const functions = 300
  const base = 1000
  const memory = Buffer.alloc(3 * 65536, 0)
  memory.write('before', base - 6)
  for (let entry = 0; entry < functions * 16; entry++) memory.writeUInt32LE(Math.floor(entry / 16), base + entry * 20)
  memory.write('behind', base + functions * 16 * 20)
  const want = Buffer.from(memory)

  const table = takeTable(memory)
  assert.deepEqual(table, { base, count: functions * 16 })
  assert.deepEqual(memory.indexOf('behind'), base + functions * 16 * 20)
  assert.equal(memory.subarray(base, base + functions * 16 * 20).some(byte => byte !== 0), false)
  assert.equal(takeTable(memory), undefined)

  const section = (/** @type {number} */ id, /** @type {number[]} */ ...body) => [id, body.length, ...body]
  const module = new WebAssembly.Module(Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, 1, 0x60, 0, 0), ...section(3, 1, 0), ...section(5, 1, 0, 3),
    ...section(7, 2, 1, 0x6d, 2, 0, 1, 0x66, 0, 0), ...section(10, 1, ...fillTable(table))]))
  const { m, f } = /** @type {any} */ (new WebAssembly.Instance(module).exports)
  const started = Buffer.from(m.buffer)
  memory.copy(started)
  f()
  assert.deepEqual(started, want)
  assert.ok(frozen.length < built.length, 'the probe has such a table')
})

test('it never has more memory than it may', () => {
  assert.equal(capMemory(frozen, 1000), frozen) // else it would be lowered
  assert.notEqual(capMemory(frozen, 999), frozen)
})

test('what is shipped keeps its limits', () => {
  const module = readFileSync(buildStrata().wasm)
  assert.ok(module.length < 8_000_000, `${module.length} bytes`)
  const zipped = gzipSync(module, { level: 9 }).length
  assert.ok(zipped < 2_400_000, `${zipped} bytes gzipped`)
})

for (const [what, section, message] of /** @type {[string, number[], RegExp][]} */ ([
  ['no exports', [], /no section 7/],
  ['a start function', [8, 1, 0], /a section 8/],
])) {
  test(`a module with ${what} is refused`, () => {
    assert.throws(() => freeze(Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...section]), { maxPages: 1 }), message)
  })
}
