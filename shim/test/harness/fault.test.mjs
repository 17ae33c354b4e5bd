// @ts-check
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { after, before, suite, test } from 'node:test'
import { importHarness } from '../../lib/harness.mjs'
import { buildTrap } from '../guests.mjs'
import { StartFailed, shim, startHarness, wasm } from './kit.mjs'
import { script, startModel } from './model.mjs'

const gate = (/** @type {object} */ config) => ({ insert: [{ id: 'strata-gate', name: path.join(shim, 'gate.mjs'), config }] })

suite('a gate whose plugin fails', { timeout: 90_000 }, () => {
  /** @type {Awaited<ReturnType<typeof startHarness>>} */
  let harness
  /** @type {Awaited<ReturnType<typeof startModel>>} */
  let model
  before(async () => {
    model = await startModel()
    const lab = { insert: [{ id: 'lab', name: path.join(shim, 'test/harness/lab.mjs') }] }
    harness = await startHarness({ rows: [gate(buildTrap()), lab], model: model.url })
  })
  after(async () => {
    model.close()
    assert.equal(await harness.stop(), 0, harness.stderr())
  })
  const bash = (/** @type {string} */ command) => /** @type {[string, object]} */ (['bash', { command, description: 'test' }])
  const there = (/** @type {string} */ name) => existsSync(path.join(harness.workspace, name))

  for (const [marker, trapped] of /** @type {const} */ ([['STRATA_TRAP_DECIDE', 1], ['STRATA_PANIC_DECIDE', 0]])) {
    test(`${marker}: asks, and the next call is served`, async () => {
      const chat = await harness.wire.session(harness.workspace)
      const before = await chat.gate()
      await chat.prompt(script({ calls: [bash(`ls ${marker}`)] }, { calls: [bash('ls')] }))
      const question = await chat.question()
      assert.equal(question.reason, 'The safety check could not look at this call, so it asks.')
      await chat.answer(question, false)
      await chat.ended()
      assert.deepEqual(chat.results().map(({ error }) => error), [true, false])
      assert.equal(chat.events('approval/asked').length, 1)
      const now = await chat.gate()
      assert.deepEqual([now.trapped - before.trapped, now.started - before.started], [trapped, trapped])
    })
  }

  test('a call it could not judge still runs after a yes', async () => {
    const chat = await harness.wire.session(harness.workspace)
    await chat.prompt(script({ calls: [bash('touch STRATA_TRAP_DECIDE.txt')] }))
    const question = await chat.question()
    assert.equal(there('STRATA_TRAP_DECIDE.txt'), false)
    await chat.answer(question, true)
    await chat.ended()
    assert.equal(there('STRATA_TRAP_DECIDE.txt'), true)
  })

  test('and is refused in Plan', async () => {
    const chat = await harness.wire.session(harness.workspace, 'strata-plan')
    await chat.turn(script({ calls: [bash('touch STRATA_TRAP_DECIDE.plan')] }))
    assert.deepEqual([chat.results()[0]?.error, there('STRATA_TRAP_DECIDE.plan')], [true, false])
  })

  test('the Harness’s own classes can be had from outside its folders', async () => {
    const { BasicCompactionEngine } = await importHarness('@deepseek-ai/dsh-compaction-basic', harness.home)
    assert.equal(typeof BasicCompactionEngine, 'function')
    assert.equal(await importHarness('@deepseek-ai/no-such-package', harness.home), undefined)
  })

  suite('session logs', () => {
    /** @param {import('./kit.mjs').Chat} chat @param {string} kind @param {object} value */
    const lab = async (chat, kind, value) => JSON.parse((await harness.wire.command(chat.id, `/lab-session ${JSON.stringify({ kind, value })}`))?.text ?? '')
    const note = (/** @type {object} */ data) => ({ type: 'strata/note', data })

    test('are read in slices', async () => {
      const chat = await harness.wire.session(harness.workspace)
      const all = await lab(chat, 'session.read', { from: 0 })
      assert.deepEqual([all.events.length, all.revision, 'next' in all], [all.seq, all.seq, false])
      const slice = await lab(chat, 'session.read', { from: 1, max: 2 })
      assert.deepEqual([slice.events, slice.next], [all.events.slice(1, 3), 3])
      assert.deepEqual(await lab(chat, 'session.read', { session: 'gone', from: 0 }), { code: 'not-found', grew: 0 })
    })

    test('take events in one step, or none', async () => {
      const chat = await harness.wire.session(harness.workspace)
      const done = await lab(chat, 'session.commit', { expect: 'now', events: [note({ a: 1 }), note({ b: -0 })] })
      assert.deepEqual(done.seqs, [done.seq, done.seq + 1])
      const { events } = await lab(chat, 'session.read', { from: done.seq, max: 2 })
      assert.deepEqual(events.map((/** @type {any} */ { type, data }) => [type, data]), [['strata/note', { a: 1 }], ['strata/note', { b: 0 }]])

      const stale = { revision: done.seq, generation: 0 }
      assert.deepEqual(await lab(chat, 'session.commit', { expect: stale, events: [note({})] }), { code: 'conflict', grew: 0 })
      const bad = { type: 'user/message', data: {}, surfaceOp: { op: 'replace', start: 900, end: 901 } }
      const refused = await lab(chat, 'session.commit', { expect: 'now', events: [note({}), bad] })
      assert.equal(refused.grew, 0)
      assert.deepEqual(await lab(chat, 'session.commit', { expect: 'now', events: [{ type: 'strata/note' }] }), { code: 'bad-input', grew: 0 })
    })
  })
})

for (const [what, config, message] of /** @type {[string, object, RegExp][]} */ ([
  ['other bytes than the row names', { wasm, sha256: '0'.repeat(64) }, /The approval gate could not start\. The plugin file is not the one that was expected\./],
  ['no plugin file', { wasm: `${wasm}.gone`, sha256: '0'.repeat(64) }, /The approval gate could not start\. The plugin file is not a module this host can run\./],
])) {
  test(`with ${what} the Harness does not start`, { timeout: 60_000 }, async () => {
    await assert.rejects(startHarness({ rows: [gate(config)] }), error => {
      assert.ok(error instanceof StartFailed, String(error))
      assert.match(error.message, message)
      return true
    })
  })
}
