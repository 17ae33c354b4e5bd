// @ts-check
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createEffects } from '../lib/effects.mjs'
import { Instance } from '../lib/hot.mjs'
import { MESSAGES } from '../lib/messages.mjs'
import { loadModule } from '../lib/module.mjs'
import { Thread } from '../lib/thread.mjs'
import { buildStrata, loadProbe } from './guests.mjs'

suite('worker ops', () => {
  /** @type {import('../lib/module.mjs').PluginModule} */
  let module
  /** @type {Instance[]} */
  const opened = []
  before(async () => {
    module = await loadProbe()
  })
  after(() => opened.forEach(one => one.close()))
  /** @param {Partial<import('../lib/hot.mjs').InstanceOptions>} [more] */
  const open = more => {
    const one = new Instance({ module, plugin: 'probe', effects: createEffects({}), ...more })
    opened.push(one)
    return one
  }

  test('Node goes on while one runs, and its deadline stops it', async () => {
    const one = open()
    let over = false
    const spinning = one.call('spin', {}).catch(error => error).finally(() => over = true)
    let turns = 0
    for (; !over; turns++) {
      assert.deepEqual(one.callSync('echo', turns).value, turns)
      await new Promise(setImmediate)
    }
    assert.equal((await spinning).code, 'deadline')
    assert.ok(turns > 20, `${turns} turns`)
    assert.deepEqual((await one.call('countApart', {})).value, { n: 1 }, 'the next one has a fresh guest')
    assert.deepEqual(one.stats, { started: 3, trapped: 1 })
  })

  test('a guest of its own, and the effects of the instance', async () => {
    const context = { session: 's' }
    /** @type {any[]} */
    const seen = []
    const one = open({ log: (level, text) => seen.push([level, text]), effects: {
      sleep: ({ kind, n, value }, call) => {
        seen.push([kind, n, value, call.plugin, call.op, call.context, call.ask('count', {})])
        return {}
      },
    } })
    assert.deepEqual((await one.call('countApart', {})).value, { n: 1 })
    assert.deepEqual((await one.call('sleepApart', { ms: 4 }, undefined, { context })).value, {})
    assert.deepEqual((await one.call('countApart', {})).value, { n: 2 })
    assert.deepEqual(one.callSync('countApart', {}).value, { n: 2 }, 'here, where count was asked once')
    assert.deepEqual(seen, [['sleep', 1, { ms: 4 }, 'probe', 'sleepApart', context, { n: 1 }], ['info', 'slept']])
  })

  test('one that is stopped takes the others of its thread along, and nobody else', async () => {
    /** @type {any[]} */
    const faults = []
    const never = () => new Promise(() => {})
    const one = open({ effects: { sleep: never }, onTrap: fault => faults.push(fault.code) })
    const here = one.call('sleep', { ms: 1 }).catch(error => error.code)
    const there = one.call('sleepApart', { ms: 1 })
    await assert.rejects(one.call('spin', {}), { code: 'deadline', message: 'The plugin did not answer within 200 ms.' })
    await assert.rejects(there, { code: 'trap', message: MESSAGES.Trap })
    await assert.rejects(one.call('trapApart', {}), { code: 'trap', message: MESSAGES.Trap })
    assert.deepEqual(faults, ['deadline', 'trap'])
    one.close()
    assert.equal(await here, 'cancelled')
  })

  test('a swap ends the thread once its calls have ended', async () => {
    const { promise: asked, resolve: ask } = /** @type {PromiseWithResolvers<() => void>} */ (Promise.withResolvers())
    const one = open({ effects: { sleep: () => new Promise(resolve => ask(() => resolve({}))) } })
    const old = one.call('sleepApart', { ms: 1 })
    const release = await asked
    one.swap(module)
    assert.deepEqual((await one.call('countApart', {})).value, { n: 1 })
    release()
    assert.deepEqual((await old).value, {})
  })

  test('an end closes what waits and what comes', async () => {
    const one = open()
    const waiting = one.call('sleepApart', { ms: 10_000 })
    one.close()
    await assert.rejects(waiting, { code: 'cancelled' })
    await assert.rejects(one.call('countApart', {}), { code: 'cancelled' })
  })

  test('a thread that nobody uses ends, and one that is used does not', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers()
    const { promise: waiting, resolve: answer } = /** @type {PromiseWithResolvers<import('../lib/thread.mjs').Carried>} */ (Promise.withResolvers())
    const empty = new Uint8Array()
    const thread = new Thread({
      module: module.module, plugin: 'probe', config: empty, idleMs: 1, log: () => {}, stderr: () => {},
      perform: () => waiting, onEnd: fault => end(fault ?? 'idle'),
    })
    const call = thread.call({ name: 'sleepApart' }, Buffer.from('{"ms":1}'), empty, {})
    assert.equal((await thread.call({ name: 'countApart', sync: true }, empty, empty, {})).ok, true)
    answer({ ok: true, head: Buffer.from('{}'), body: empty })
    assert.equal((await call).ok, true, 'the one call ended while the other waited')
    assert.equal(await ended, 'idle')
    await assert.rejects(thread.call({ name: 'countApart', sync: true }, empty, empty, {}), { code: 'trap' })
  })

  test('a call that is given up before the guest is there', async () => {
    const abort = new AbortController()
    const call = open().call('sleepApart', { ms: 10_000 }, undefined, { signal: abort.signal })
    abort.abort()
    await assert.rejects(call, { code: 'cancelled' })
  })
})

test('Node goes on while a page of two megabytes is read', async () => {
  const { wasm, sha256 } = buildStrata()
  const page = Buffer.from(`<title>Large</title>${'<p>A paragraph of <b>many</b> words, <a href="/x">a link</a>.</p>\n'.repeat(35_000)}`)
  let read = 0 // when the page was there
  const one = new Instance({ module: await loadModule(wasm, sha256), plugin: 'search', config: {}, effects: {
    'fetch.web': () => {
      read = performance.now()
      return { value: { status: 200, headers: { 'content-type': 'text/html' } }, body: page }
    },
  } })
  let over = false
  const fetched = one.call('fetch', { url: 'http://site.example/' }).finally(() => over = true)
  let turns = 0
  while (!over) {
    await new Promise(setImmediate)
    if (read > 0) turns++
  }
  const { value, body } = await fetched
  assert.deepEqual(value, { url: 'http://site.example/', statusCode: 200, contentType: 'text/html', title: 'Large', truncated: true })
  assert.ok(body.length > 90_000)
  assert.ok(turns > 100, `${turns} turns in ${Math.round(performance.now() - read)} ms`)
  one.close()
})
