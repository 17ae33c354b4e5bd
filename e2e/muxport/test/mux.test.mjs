// @ts-check
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { serve } from '../mux.mjs'

/** A socket that counts what is done to it. */
class Socket extends EventEmitter {
  pings = 0
  ended = false
  ping() { this.pings++ }
  terminate() { this.ended = true }
}

test('a ping every two seconds; who answers none of two is gone at the third', t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const [awake, dead] = [new Socket(), new Socket()]
  for (const socket of [awake, dead]) serve(socket, async function* () {}, { uplink: true })
  t.mock.timers.tick(1_999)
  assert.equal(awake.pings, 0)
  for (let beat = 1; beat <= 3; beat++) {
    t.mock.timers.tick(beat === 1 ? 1 : 2_000)
    awake.emit('pong')
    assert.deepEqual([awake.pings, awake.ended, dead.ended], [beat, false, beat === 3])
  }
  awake.emit('close')
  t.mock.timers.tick(10_000)
  assert.equal(awake.pings, 3)
})
