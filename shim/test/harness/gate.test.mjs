// @ts-check
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, suite, test } from 'node:test'
import { CHANGED, UNSEEN } from '../../gate/watch.mjs'
import { digestOf } from './digest.mjs'
import { Chat, sha256, shim, startHarness, wasm } from './kit.mjs'
import { script, startModel } from './model.mjs'

/** @typedef {import('./kit.mjs').Frame} Frame */
/** @typedef {[string, object]} Call */

const GATE = { id: 'strata-gate', name: path.join(shim, 'gate.mjs'), config: { wasm, sha256: sha256() } }
const RIVAL = { id: 'rival', name: path.join(shim, 'test/harness/rival.mjs') }

/** @param {string} command @returns {Call} */
const bash = command => ['bash', { command, description: 'test' }]
/** @param {string} prompt @param {boolean} background @returns {Call} */
const helper = (prompt, background) => ['subagent', { description: 'helper', prompt, run_in_background: background }]

suite('the gate on the real Harness', { timeout: 120_000 }, () => {
  /** @type {Awaited<ReturnType<typeof startHarness>>} */
  let harness
  /** @type {Awaited<ReturnType<typeof startModel>>} */
  let model
  /** @type {Promise<unknown>} */
  let stopped

  before(async () => {
    model = await startModel()
    harness = await startHarness({ rows: [{ insert: [GATE, RIVAL] }], model: model.url })
    stopped = Promise.resolve()
  })
  after(async () => {
    model.close()
    if (stopped !== undefined) assert.equal(await harness.stop(), 0, harness.stderr())
  })

  const chat = (/** @type {string} */ preset = 'strata-manual') => harness.wire.session(harness.workspace, preset)
  const file = (/** @type {string} */ name) => path.join(harness.workspace, name)
  const there = (/** @type {string} */ name) => existsSync(file(name))
  /** @param {string} name @returns {Call} */
  const write = name => ['write', { file_path: file(name), content: 'hello\n' }]

  /** The helper of a chat whose task names a file. @param {Chat} one @param {string} name */
  const helperOf = async (one, name) => new Chat(harness.wire, /** @type {string} */ (await harness.wire.until(
    () => harness.wire.frames.find(({ sessionId, event }) => sessionId !== one.id && event?.type === 'user/message'
      && JSON.stringify(event.data.content).includes(name))?.sessionId, `helper for ${name}`)))

  /** What a host says before it answers. @param {Chat} one @param {Frame} question @param {object} more */
  const tell = (one, question, more) => harness.wire.command(one.id, `/strata-gate answer ${JSON.stringify({
    callId: question.callId, session: one.id, digest: digestOf(one, question.callId), ...more,
  })}`)

  test('tells the host that it is on', async () => {
    const one = await chat()
    assert.deepEqual(await one.gate(), {
      gate: 'on', abi: '0.1.0', sha256: sha256(), mode: 'manual', root: one.id,
      seams: { preExecute: true, guard: true, approval: true, permissionPresets: true, agents: true },
      missing: [], started: 1, trapped: 0, unseen: 0,
    })
    assert.deepEqual(await harness.wire.command(one.id, '/strata-gate status'), { kind: 'success', text: 'The approval gate is on. This chat is in Manual mode.' })
  })

  test('a look-only command runs unasked', async () => {
    const one = await chat()
    await one.turn(script({ calls: [bash('ls')] }))
    assert.deepEqual(one.results().map(({ error }) => error), [false])
    assert.deepEqual(one.events('approval/asked'), [])
  })

  test('a write waits for a yes', async () => {
    const one = await chat()
    await one.prompt(script({ calls: [write('yes.txt')] }))
    const question = await one.question()
    assert.equal(there('yes.txt'), false)
    assert.match(question.reason, /^[A-Z].+\.$/)
    assert.deepEqual(await tell(one, question, { allow: true }), { kind: 'success', text: '{"kept":true}' })
    assert.deepEqual(await one.answer(question, true), { accepted: true })
    await one.ended()
    assert.equal(await readFile(file('yes.txt'), 'utf8'), 'hello\n')
  })

  test('after a no nothing is there, and the model reads the note', async () => {
    const one = await chat()
    await one.prompt(script({ calls: [write('no.txt')] }))
    const question = await one.question()
    await tell(one, question, { allow: false, note: 'Use the docs folder.' })
    await one.answer(question, false)
    await one.ended()
    const [result] = one.results()
    assert.equal(result?.error, true)
    assert.match(result?.text ?? '', /Use the docs folder\./)
    assert.equal(there('no.txt'), false)
  })

  test('a yes for something else is no yes', async () => {
    const one = await chat()
    await one.prompt(script({ calls: [write('other.txt')] }))
    const question = await one.question()
    await tell(one, question, { allow: true, digest: '0'.repeat(64) })
    await one.answer(question, true)
    await one.ended()
    assert.equal(one.results()[0]?.error, true)
    assert.equal(there('other.txt'), false)
  })

  test('of two answers that contradict each other the no holds', async () => {
    const one = await chat()
    await one.prompt(script({ calls: [write('both.txt')] }))
    const question = await one.question()
    await tell(one, question, { allow: false })
    await one.answer(question, true)
    await one.ended()
    assert.equal(one.results()[0]?.error, true)
    assert.equal(there('both.txt'), false)
  })

  test('an answer that fits no open question is refused', async () => {
    const [one, other] = [await chat(), await chat()]
    await one.prompt(script({ calls: [write('late.txt')] }))
    const question = await one.question()
    const said = { callId: question.callId, digest: digestOf(one, question.callId), allow: true }
    const say = async (/** @type {Chat} */ { id }, /** @type {string} */ text) => (await harness.wire.command(id, `/strata-gate answer ${text}`))
    assert.deepEqual(await say(other, JSON.stringify(said)), { kind: 'error', text: 'That question is no longer open.' })
    assert.deepEqual(await say(other, JSON.stringify({ ...said, session: one.id })), { kind: 'error', text: 'This chat has no such open question.' })
    assert.deepEqual(await say(one, '{"allow":true}'), { kind: 'error', text: 'That is not an answer to a question of the gate.' })
    assert.deepEqual(await harness.wire.command(one.id, '/strata-gate off'), { kind: 'error', text: 'The gate knows no such word. Use /strata-gate status.' })
    await one.answer(question, false)
    await one.ended()
    assert.deepEqual(await say(one, JSON.stringify(said)), { kind: 'error', text: 'That question is no longer open.' })
  })

  test('a question that is called off is neither yes nor no', async () => {
    const one = await chat()
    await one.prompt(script({ calls: [write('cancelled.txt')] }))
    await one.question()
    await harness.wire.rpc('session.cancel', { sessionId: one.id })
    await one.ended()
    assert.deepEqual(one.events('approval/decided').map(({ data }) => data.outcome), ['cancelled'])
    assert.equal(one.results()[0]?.error, true)
    assert.equal(there('cancelled.txt'), false)
    assert.deepEqual((await one.turn(script({ say: 'again' }))).at(-1)?.data.reason, { kind: 'completed' })
  })

  test('two chats at once have their own questions', async () => {
    const [one, other] = [await chat(), await chat()]
    await Promise.all([one.prompt(script({ calls: [write('one.txt')] })), other.prompt(script({ calls: [write('two.txt')] }))])
    const [first, second] = await Promise.all([one.question(), other.question()])
    await other.answer(second, false)
    await one.answer(first, true)
    await Promise.all([one.ended(), other.ended()])
    assert.deepEqual([there('one.txt'), there('two.txt')], [true, false])
    assert.deepEqual([one, other].map(each => each.events('approval/asked').length), [1, 1])
  })

  test('two calls of one answer are asked about one by one', async () => {
    const one = await chat()
    await one.prompt(script({ calls: [write('a.txt'), write('b.txt')] }))
    await one.answer(await one.question(1), false)
    await one.answer(await one.question(2), true)
    await one.ended()
    assert.deepEqual([there('a.txt'), there('b.txt')], [false, true])
  })

  test('in Plan a change is refused without a question', async () => {
    const one = await chat('strata-plan')
    await one.turn(script({ calls: [write('plan.txt'), bash('ls')] }))
    assert.deepEqual(one.results().map(({ error }) => error), [true, false])
    assert.deepEqual(one.events('approval/asked'), [])
    assert.equal(there('plan.txt'), false)
  })

  test('in Bypass everything runs', async () => {
    const one = await chat('strata-bypass')
    await one.turn(script({ calls: [write('bypass.txt')] }))
    assert.deepEqual([there('bypass.txt'), one.events('approval/asked')], [true, []])
  })

  test('a preset that is not ours counts as Manual', async () => {
    const one = await chat('workspace-write')
    assert.equal((await one.gate()).mode, 'manual')
    await one.prompt(script({ calls: [write('stock.txt')] }))
    await one.answer(await one.question(), false)
    await one.ended()
    assert.equal(there('stock.txt'), false)
  })

  test('a turn that began in Manual stays Manual when the chat goes to Bypass', async () => {
    const one = await chat()
    await one.prompt(script({ calls: [write('first.txt')] }, { calls: [write('second.txt')] }))
    const question = await one.question()
    await harness.wire.command(one.id, '/permission strata-bypass')
    assert.deepEqual((({ mode, startMode }) => ({ mode, startMode }))(await one.gate()), { mode: 'bypass', startMode: 'manual' })
    await one.answer(question, true)
    await one.ended()
    assert.deepEqual([there('first.txt'), there('second.txt')], [true, false]) // asked, and Bypass answers every question with no
  })

  for (const background of [false, true]) {
    const where = background ? 'background' : 'foreground'
    test(`a helper in the ${where} asks on its own session`, async () => {
      const one = await chat()
      const work = script({ calls: [write(`${where}.txt`)] }, { calls: [write(`${where}-yes.txt`)] })
      await one.prompt(script({ calls: [helper(work, background)] }))
      const own = await helperOf(one, `${where}.txt`)
      const question = await own.question(1)
      const digest = digestOf(own, question.callId, one.id)
      const said = { callId: question.callId, session: own.id, digest, allow: false, note: 'Not there.' }
      assert.equal((await harness.wire.command(one.id, `/strata-gate answer ${JSON.stringify(said)}`)).text, '{"kept":true}')
      await one.answer(question, false)
      await one.answer(await own.question(2), true)
      await own.ended()
      assert.match(own.results()[0]?.text ?? '', /Not there\./)
      assert.deepEqual([there(`${where}.txt`), there(`${where}-yes.txt`)], [false, true])
      assert.deepEqual(one.events('approval/asked'), [])
      await one.ended()
    })
  }

  test('a helper of a Plan chat is refused', async () => {
    const one = await chat('strata-plan')
    await one.turn(script({ calls: [helper(script({ calls: [write('helper-plan.txt')] }), false)] }))
    assert.equal(there('helper-plan.txt'), false)
  })

  for (const [word, mode, what, want] of /** @type {const} */ ([
    ['RIVAL_HIDES', 'strata-manual', 'hides a call from the gate', UNSEEN],
    ['RIVAL_HIDES', 'strata-plan', 'hides a call from the gate in Plan', UNSEEN],
    ['RIVAL_LATE', 'strata-bypass', 'changes a call that is about to run', CHANGED],
    ['RIVAL_SWAPS', 'strata-bypass', 'changes a call that was judged', CHANGED],
    ['RIVAL_FORBIDS', 'strata-bypass', 'is stricter', 'the rival forbids it'],
  ])) {
    test(`another plugin that ${what}: ${word} in ${mode}`, async () => {
      const one = await chat(mode)
      await one.turn(script({ calls: [bash(`touch ${word}.txt`)] }))
      assert.deepEqual(one.results().map(({ error, text }) => ({ error, text })), [{ error: true, text: `Error: ${want}` }])
      assert.deepEqual([`${word}.txt`, 'swapped.txt', 'late.txt'].filter(there), [])
    })
  }

  test('another plugin that turns a no into a yes', async () => {
    const one = await chat()
    await one.prompt(script({ calls: [bash('touch RIVAL_OVERRULES.txt')] }))
    await one.answer(await one.question(), false)
    await one.ended()
    assert.deepEqual(one.results().map(({ text }) => text), [`Error: ${UNSEEN}`])
    assert.equal(there('RIVAL_OVERRULES.txt'), false)
  })

  test('counts what went around it', async () => {
    assert.equal((await (await chat()).gate()).unseen, 2)
  })

  test('without its row no Manual chat stays open', async () => {
    const [manual, bypass] = [await chat(), await chat('strata-bypass')]
    await harness.setRows([...harness.base, { insert: [RIVAL] }])
    await harness.wire.until(() => manual.events('permission/preset').find(({ data }) => data.preset === 'strata-plan'), 'the Manual chat to go to Plan')
    assert.match((await harness.wire.command(bypass.id, '/permission')).text ?? '', /^current preset strata-bypass/)
    assert.match((await harness.wire.command(manual.id, '/permission')).text ?? '', /^current preset strata-plan/)
    await manual.turn(script({ calls: [write('gateless.txt')] }))
    assert.equal(there('gateless.txt'), false)
  })
})
