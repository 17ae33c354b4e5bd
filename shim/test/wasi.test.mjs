// @ts-check
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GuestExit, WASI_NAMES, wasiImports } from '../lib/wasi.mjs'

function guest() {
  const memory = new WebAssembly.Memory({ initial: 1 })
  let stderr = ''
  const wasi = /** @type {Record<string, (...values: any[]) => any>} */ (wasiImports(() => memory, text => { stderr += text }))
  return { wasi, view: new DataView(memory.buffer), bytes: new Uint8Array(memory.buffer), stderr: () => stderr }
}

test('every call is there, and what is not served is refused', () => {
  const { wasi } = guest()
  assert.deepEqual(Object.keys(wasi).sort(), [...WASI_NAMES].sort())
  const refused = WASI_NAMES.filter(name => /^(path_|sock_|fd_(read|readdir|seek|pread|filestat)|clock_res)/.test(name))
  assert.ok(refused.length > 20)
  for (const name of refused) assert.equal(wasi[name]?.(), 52, name)
})

test('there are no arguments and no environment', () => {
  const { wasi, view } = guest()
  view.setBigUint64(0, ~0n, true)
  assert.deepEqual([wasi.args_sizes_get?.(0, 4), view.getBigUint64(0, true)], [0, 0n])
  view.setBigUint64(0, ~0n, true)
  assert.deepEqual([wasi.environ_sizes_get?.(0, 4), view.getBigUint64(0, true)], [0, 0n])
})

test('clocks: the time of day, and one that never goes back', () => {
  const { wasi, view } = guest()
  const before = Date.now()
  wasi.clock_time_get?.(0, 0n, 8)
  const day = Number(view.getBigUint64(8, true) / 1_000_000n)
  assert.ok(Math.abs(day - before) < 60_000, `${day} is not ${before}`)
  wasi.clock_time_get?.(1, 0n, 8)
  const first = view.getBigUint64(8, true)
  wasi.clock_time_get?.(1, 0n, 8)
  assert.ok(view.getBigUint64(8, true) >= first)
})

test('what it writes to stdout or stderr goes to one place, other files are refused', () => {
  const { wasi, view, bytes, stderr } = guest()
  bytes.set(new TextEncoder().encode('panic: x'), 100)
  view.setUint32(0, 100, true)
  view.setUint32(4, 7, true)
  view.setUint32(8, 107, true)
  view.setUint32(12, 1, true)
  assert.deepEqual([wasi.fd_write?.(2, 0, 2, 16), view.getUint32(16, true), stderr()], [0, 8, 'panic: x'])
  assert.equal(wasi.fd_write?.(3, 0, 2, 16), 8)
})

test('random bytes', () => {
  const { wasi, bytes } = guest()
  wasi.random_get?.(0, 32)
  assert.ok(bytes.subarray(0, 32).some(byte => byte !== 0))
  assert.ok(bytes.subarray(32).every(byte => byte === 0))
})

test('exit is a trap', () => {
  assert.throws(() => guest().wasi.proc_exit?.(3), new GuestExit(3))
})

test('poll waits for the nearest clock and reports each subscription', () => {
  const { wasi, view } = guest()
  /** @param {number} i @param {bigint} id @param {number} kind @param {bigint} timeout @param {number} flags */
  const subscribe = (i, id, kind, timeout, flags) => {
    view.setBigUint64(48 * i, id, true)
    view.setUint8(48 * i + 8, kind)
    view.setUint32(48 * i + 16, 1, true)
    view.setBigUint64(48 * i + 24, timeout, true)
    view.setUint16(48 * i + 40, flags, true)
  }
  const start = process.hrtime.bigint()
  subscribe(0, 7n, 0, 5_000_000n, 0)
  subscribe(1, 8n, 0, start + 60_000_000_000n, 1)
  subscribe(2, 9n, 1, 0n, 0)
  assert.deepEqual([wasi.poll_oneoff?.(0, 1024, 3, 2048), view.getUint32(2048, true)], [0, 3])
  assert.ok(process.hrtime.bigint() - start >= 4_000_000n, 'it came back too early')
  const events = [0, 1, 2].map(i => [view.getBigUint64(1024 + 32 * i, true), view.getUint16(1024 + 32 * i + 8, true), view.getUint8(1024 + 32 * i + 10)])
  assert.deepEqual(events, [[7n, 0, 0], [8n, 0, 0], [9n, 8, 1]])
})

test('poll comes back at once for a time that has passed', () => {
  const { wasi, view } = guest()
  view.setUint16(40, 1, true) // absolute, zero: long gone
  assert.equal(wasi.poll_oneoff?.(0, 1024, 1, 2048), 0)
})
