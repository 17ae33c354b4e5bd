// @ts-check
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, suite, test } from 'node:test'
import { createEffects } from '../lib/effects.mjs'
import { Instance } from '../lib/hot.mjs'
import { MESSAGES, PluginError } from '../lib/messages.mjs'
import { loadModule } from '../lib/module.mjs'
import { buildProbe, loadProbe } from './guests.mjs'

suite('an instance', () => {
  /** @type {import('../lib/module.mjs').PluginModule} */
  let module
  before(async () => {
    module = await loadProbe()
  })
  /** @param {Partial<import('../lib/hot.mjs').InstanceOptions>} [more] */
  const open = more => new Instance({ module, plugin: 'probe', effects: createEffects({}), ...more })
  const gated = () => {
    const { promise, resolve } = /** @type {PromiseWithResolvers<void>} */ (Promise.withResolvers())
    return { sleep: () => promise.then(() => ({})), release: resolve }
  }

  test('other bytes than expected are refused, and the same ones are compiled once', async () => {
    const { wasm, sha256 } = buildProbe()
    const bytes = await readFile(wasm)
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1
    await assert.rejects(loadModule(bytes, sha256), { code: 'refused', message: MESSAGES.Hash })
    await assert.rejects(loadModule(`${wasm}.gone`, sha256), { code: 'refused', message: MESSAGES.Module })
    assert.equal((await loadModule(wasm, sha256)).module, module.module)
    assert.notEqual((await loadModule(wasm, sha256, { pages: 512 })).module, module.module)
  })

  test('takes values and bytes, and its config', async () => {
    const one = open({ config: { secrets: ['ä'] } })
    assert.deepEqual(one.callSync('config', {}).value, { config: { secrets: ['ä'] } })
    const { value, body } = one.callSync('echo', { a: [1, null, 'ü'] }, Uint8Array.of(0, 255))
    assert.deepEqual([value, [...body]], [{ a: [1, null, 'ü'] }, [0, 255]])
    assert.throws(() => one.callSync('echoAsync', {}), TypeError)
    assert.deepEqual((await one.call('echo', 'sync ops too')).value, 'sync ops too')
  })

  test('an effect knows whose call it belongs to, and is aborted with it', async () => {
    const context = { session: 's' }
    /** @type {any[]} */
    const seen = []
    const one = open({ effects: {
      sleep: (request, call) => {
        seen.push([request.kind, request.n, request.value, call.plugin, call.op, call.context])
        return new Promise((_resolve, reject) => call.signal.addEventListener('abort', () => {
          seen.push('aborted')
          reject(call.signal.reason)
        }))
      },
    } })
    const abort = new AbortController()
    const call = one.call('sleep', { ms: 5 }, undefined, { signal: abort.signal, context })
    abort.abort()
    await assert.rejects(call, { code: 'cancelled', message: MESSAGES.Cancelled })
    assert.deepEqual(seen, [['sleep', 1, { ms: 5 }, 'probe', 'sleep', context], 'aborted'])
    await assert.rejects(one.call('sleep', {}, undefined, { signal: abort.signal }), { code: 'cancelled' })
  })

  test('a default is given anew each time', () => {
    const one = open()
    const first = one.callSync('trapDefault', {})
    assert.equal(first.fault?.code, 'trap')
    first.value.default = 'spoilt'
    assert.deepEqual(one.callSync('trapDefault', {}).value, { default: true })
    assert.deepEqual(one.stats, { started: 2, trapped: 2 })
  })

  test('a trap is told with the technical reason, and the next call gets a fresh guest', () => {
    /** @type {PluginError[]} */
    const faults = []
    const one = open({ onTrap: fault => faults.push(fault) })
    one.callSync('count', {})
    assert.throws(() => one.callSync('trap', {}), { code: 'trap', message: MESSAGES.Trap })
    assert.equal(faults.length, 1)
    assert.match(faults[0]?.details ?? '', /fatal error/)
    assert.deepEqual(one.callSync('count', {}).value, { n: 1 })
  })

  test('memory is capped', () => {
    const one = open()
    assert.throws(() => one.callSync('grow', { mib: 100 }), { code: 'trap' })
    assert.deepEqual(one.callSync('grow', { mib: 8 }).value, { mib: 8 })
  })

  test('new bytes serve new calls while old calls end on the old ones', async () => {
    const gate = gated()
    const one = open({ effects: { sleep: gate.sleep } })
    one.callSync('count', {})
    const old = one.call('sleep', { ms: 1 })
    one.swap(module)
    assert.deepEqual(one.callSync('count', {}).value, { n: 1 })
    gate.release()
    assert.deepEqual((await old).value, {})
    assert.deepEqual(one.callSync('count', {}).value, { n: 2 })
    assert.deepEqual(one.stats, { started: 2, trapped: 0 })
  })

  test('a drain that takes too long ends the old calls', async () => {
    const one = open({ effects: { sleep: gated().sleep } })
    const old = one.call('sleep', { ms: 1 })
    one.swap(module, { drainMs: 0 })
    await assert.rejects(old, { code: 'cancelled' })
  })

  test('a swap that fails leaves the old bytes in place', async () => {
    const one = open({ config: { failInit: '' } })
    one.callSync('count', {})
    const other = await loadModule(await emptyModule(), await emptyHash())
      .catch(error => error)
    assert.equal(other.code, 'refused')
    assert.throws(() => one.swap(/** @type {any} */ ({ module: new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)), sha256: '' })))
    assert.deepEqual(one.callSync('count', {}).value, { n: 2 })
  })

  test('an end closes all calls, those that wait and those to come', async () => {
    const one = open({ effects: { sleep: gated().sleep } })
    const waiting = one.call('sleep', { ms: 1 })
    one.close()
    await assert.rejects(waiting, { code: 'cancelled' })
    await assert.rejects(one.call('echo', 1), { code: 'cancelled' })
  })

  test('a plugin that is not in the module, or will not take its config, does not open', () => {
    assert.throws(() => open({ plugin: 'none' }), { code: 'unknown-plugin', message: 'The module holds no plugin named none.' })
    assert.throws(() => open({ config: { failInit: 'The config is wrong.' } }), { code: 'bad-config', message: 'The config is wrong.' })
  })

  test('an effect that breaks tells the plugin no details', async () => {
    const one = open({ effects: { sleep: () => { throw new Error('/home/me/secret') } } })
    await assert.rejects(one.call('sleep', { ms: 1 }), { code: 'failed', message: 'The effect sleep failed.' })
  })
})

const emptyModule = async () => Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)
const emptyHash = async () => (await import('node:crypto')).createHash('sha256').update(await emptyModule()).digest('hex')
