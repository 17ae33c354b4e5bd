// @ts-check
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CHANGED, UNSEEN, Watch } from '../gate/watch.mjs'

/** @param {string} mode @param {string} [startMode] */
const watchIn = (mode, startMode = '') => new Watch(/** @type {any} */ ({ of: () => ({ root: 'r', mode, startMode, ours: true }) }))
const call = () => /** @type {any} */ ({ name: 'bash', arguments: Object.freeze({ command: 'ls' }), callId: 'c', agent: {}, signal: new AbortController().signal })
const digest = (/** @type {any} */ exec) => JSON.stringify(exec.arguments)

/** @param {Watch} watch @param {any} exec */
function allow(watch, exec) {
  Object.assign(watch.begin(exec), { allowed: true, digest: digest(exec) })
  return exec
}

suite('what the gate knows about a call', () => {
  test('one that it allowed runs', () => {
    const watch = watchIn('manual')
    const exec = allow(watch, call())
    assert.deepEqual([watch.refusal(exec), watch.mismatch(exec, digest)], [undefined, undefined])
  })

  test('one that it did not allow, or is still judging, does not', () => {
    for (const mode of ['manual', 'plan', 'bypass']) {
      const watch = watchIn(mode)
      const exec = call()
      watch.begin(exec)
      assert.deepEqual([watch.refusal(exec), watch.mismatch(exec, digest)], [UNSEEN, UNSEEN])
    }
  })

  test('one that it never saw runs in Bypass only, and is counted elsewhere', () => {
    const outcome = (/** @type {string} */ mode, /** @type {string} */ start = '') => {
      const watch = watchIn(mode, start)
      return [watch.refusal(call()), watch.unseen]
    }
    assert.deepEqual(outcome('bypass'), [undefined, 0])
    assert.deepEqual(outcome('bypass', 'manual'), [UNSEEN, 1])
    assert.deepEqual(outcome('manual'), [UNSEEN, 1])
    assert.deepEqual(outcome('plan', 'bypass'), [UNSEEN, 1])
  })

  test('a call is known by its object, not by its id', () => {
    const watch = watchIn('manual')
    allow(watch, call())
    assert.equal(watch.refusal(call()), UNSEEN)
  })

  test('what was judged cannot be changed', () => {
    const exec = allow(watchIn('manual'), call())
    for (const [name, value] of Object.entries({ arguments: { command: 'rm' }, name: 'write', callId: 'd', agent: {}, parent: Symbol('x') })) {
      assert.throws(() => { exec[name] = value }, { message: CHANGED }, name)
    }
    exec.arguments = exec.arguments
    exec.signal = AbortSignal.timeout(1)
    assert.deepEqual(Object.keys(exec).sort(), ['agent', 'arguments', 'callId', 'name', 'signal'])
    Object.freeze(exec)
  })

  test('a call that could not be fixed is compared before it runs', () => {
    const watch = watchIn('manual')
    let command = 'ls'
    const exec = Object.freeze({ ...call(), get arguments() { return { command } } })
    allow(watch, exec)
    assert.equal(watch.mismatch(exec, digest), undefined)
    command = 'rm'
    assert.equal(watch.mismatch(exec, digest), CHANGED)
    assert.equal(watch.mismatch(exec, () => undefined), CHANGED)
  })
})
