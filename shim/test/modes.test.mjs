// @ts-check
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Modes, strictest } from '../gate/modes.mjs'

/** A log in the form that the Harness's sessions have. @param {string} id @param {object} header @param {...[type: string, data?: object, time?: number]} events */
function session(id, header, ...events) {
  const log = /** @type {any[]} */ ([])
  const one = {
    id, header: /** @type {import('../lib/effects/session.mjs').Session['header']} */ ({ id, ...header }), surface: { replaceGeneration: 0 },
    get events() { return Object.freeze([...log]) },
    get seq() { return log.length },
    append: (/** @type {string} */ type, /** @type {object} */ data = {}, /** @type {number} */ time = log.length) => {
      log.push({ type, data, time, seq: log.length })
      return log.at(-1)
    },
  }
  for (const [type, data = {}, time] of events) one.append(type, data, time)
  return one
}

/** The events of a switch. @param {string} name @param {number} [time] @returns {[string, object, number?][]} */
const preset = (name, time) => {
  const knobs = /** @type {Record<string, [string, string]>} */ ({
    'strata-plan': ['read-only', 'never'], 'strata-manual': ['danger-full-access', 'ask'], 'strata-bypass': ['danger-full-access', 'never'],
    'workspace-write': ['workspace-write', 'ask'], 'danger-full-access': ['danger-full-access', 'never'],
  })
  const [sandbox, approval] = Object.hasOwn(knobs, name) ? knobs[name] ?? [] : []
  return [['permission/preset', { preset: name }, time], ['sandbox/mode', { mode: sandbox }, time], ['approval/policy', { policy: approval }, time]]
}
const helper = (/** @type {string} */ parent) => ({ parentSession: parent, origin: 'subagent', delegationDepth: 1 })
/** @param {...ReturnType<typeof session>} all */
const modesOf = (...all) => new Modes({ get: id => all.find(one => one.id === id), list: () => all })
/** @param {ReturnType<Modes['of']>} found */
const brief = ({ root, mode, startMode, ours }) => [root, mode, startMode, ours]

test('the person’s newest message is told from others', () => {
  const root = session('r', {}, ...preset('strata-manual'), ['user/message', { source: { kind: 'user', rpcId: '1' } }])
  const child = session('h', helper('r'), ['user/message', { source: { kind: 'user' } }], ['user/message', { source: { kind: 'user' } }])
  const modes = modesOf(root, child)
  assert.deepEqual([modes.of(root).said, modes.of(child).said], [3, 3])
  root.append('user/message', { source: { kind: 'goal' } })
  root.append('user/message', {})
  assert.equal(modes.of(root).said, 3)
  root.append('user/message', { source: { kind: 'user' } })
  assert.deepEqual([modes.of(root).said, modes.of(child).said, modes.of(undefined).said], [6, 6, 0])
})

test('the provider of a session is that of its last request', () => {
  const one = { ...session('r', {}), requestHeader: () => ({ config: { provider: 'router', model: 'x' } }) }
  const odd = { ...session('odd', {}), requestHeader: () => undefined }
  const modes = modesOf(.../** @type {any[]} */ ([one, session('new', {}), odd]))
  assert.deepEqual(['r', 'new', 'odd', 'none'].map(id => modes.providerOf(id)), ['router', '', '', ''])
})

suite('the mode of a call', () => {
  for (const [name, mode, ours] of /** @type {const} */ ([
    ['strata-plan', 'plan', true], ['strata-manual', 'manual', true], ['strata-bypass', 'bypass', true],
    ['workspace-write', 'manual', false], ['danger-full-access', 'manual', false], ['constructor', 'manual', false],
  ])) {
    test(`preset ${name}`, () => {
      const root = session('r', {}, ...preset(name))
      assert.deepEqual(brief(modesOf(root).of(root)), ['r', mode, '', ours])
    })
  }

  test('a preset whose knobs were turned since is unknown: Manual', () => {
    const root = session('r', {}, ...preset('strata-bypass'), ['sandbox/mode', { mode: 'workspace-write' }])
    assert.deepEqual(brief(modesOf(root).of(root)), ['r', 'manual', '', false])
    root.append('sandbox/mode', { mode: 'danger-full-access' })
    assert.deepEqual(brief(modesOf(root).of(root)), ['r', 'bypass', '', true])
  })

  test('an empty log and no session at all', () => {
    const root = session('r', {})
    assert.deepEqual(brief(modesOf(root).of(root)), ['r', 'manual', '', false])
    assert.deepEqual(brief(modesOf().of(undefined)), ['', 'manual', '', false])
  })

  test('a running turn keeps the mode it began under; the next one has its own', () => {
    const root = session('r', {}, ...preset('strata-plan'), ['turn/start'])
    const modes = modesOf(root)
    assert.deepEqual(brief(modes.of(root)), ['r', 'plan', 'plan', true])
    for (const event of preset('strata-bypass')) root.append(...event)
    assert.deepEqual(brief(modes.of(root)), ['r', 'bypass', 'plan', true])
    root.append('turn/end')
    assert.deepEqual(brief(modes.of(root)), ['r', 'bypass', '', true])
    root.append('turn/start')
    assert.deepEqual(brief(modes.of(root)), ['r', 'bypass', 'bypass', true])
  })

  test('a helper has the mode of its root, however deep, whatever its own log says', () => {
    const root = session('r', {}, ...preset('strata-manual'))
    const child = session('c', helper('r'), ...preset('strata-bypass'))
    const grandchild = session('g', helper('c'), ...preset('strata-bypass'))
    assert.deepEqual(brief(modesOf(root, child, grandchild).of(grandchild)), ['r', 'manual', '', true])
  })

  test('a chat that a person forked is a root', () => {
    const root = session('r', {}, ...preset('strata-manual'))
    const fork = session('f', { parentSession: 'r', seedLength: 3 }, ...preset('strata-bypass'))
    assert.deepEqual(brief(modesOf(root, fork).of(fork)), ['f', 'bypass', '', true])
  })

  test('a helper whose parent is gone, or whose lineage is a ring, is unknown: Manual', () => {
    const orphan = session('o', helper('gone'), ...preset('strata-bypass'))
    assert.deepEqual(brief(modesOf(orphan).of(orphan)), ['gone', 'manual', '', false])
    const [a, b] = [session('a', helper('b')), session('b', helper('a'))]
    assert.deepEqual(brief(modesOf(a, b).of(a)).slice(1), ['manual', '', false])
  })

  test('a helper’s turn keeps the root’s mode of when it began', () => {
    const root = session('r', {}, ...preset('strata-plan', 10), ...preset('strata-manual', 20), ...preset('strata-bypass', 30))
    const at = (/** @type {number} */ time) => {
      const child = session('c', helper('r'), ['turn/start', {}, time])
      return modesOf(root, child).of(child).startMode
    }
    assert.deepEqual([5, 10, 15, 20, 25, 30, 35].map(at), ['manual', 'plan', 'plan', 'plan', 'manual', 'manual', 'bypass'])
  })

  test('of the root’s and the helper’s own turn the stricter start holds', () => {
    const root = session('r', {}, ...preset('strata-plan', 1), ...preset('strata-bypass', 20), ['turn/start', {}, 21])
    const child = session('c', helper('r'), ['turn/start', {}, 10])
    assert.deepEqual(brief(modesOf(root, child).of(child)), ['r', 'bypass', 'plan', true])
  })
})

test('strictest', () => {
  assert.deepEqual([strictest(), strictest(''), strictest('bypass', ''), strictest('bypass', 'manual'), strictest('manual', 'plan', 'bypass')],
    ['', '', 'bypass', 'manual', 'plan'])
})
