// @ts-check
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, suite, test } from 'node:test'
import { digestOf } from './digest.mjs'
import { Chat, sha256, shim, startHarness, wasm } from './kit.mjs'
import { script, startModel } from './model.mjs'

/** @typedef {[string, object]} Call */

const gate = (/** @type {object} */ config) => ({ id: 'strata-gate', name: path.join(shim, 'gate.mjs'), config: { wasm, sha256: sha256(), ...config } })
const ENGINE = { id: 'search', name: path.join(shim, 'test/harness/search.mjs') }
const WEB = { id: 'web', config: { searchProvider: 'scripted' } }
const NO_WEB = /^Error: The person did not allow web access .* Go on without it and say so\.$/

/** @param {string} command @returns {Call} */
const bash = command => ['bash', { command, description: 'test' }]
/** @param {...string} queries @returns {Call} */
const search = (...queries) => ['web_search', { queries }]
/** @param {...(Call | Call[])} steps @returns {Call} */
const helper = (...steps) => ['subagent', { description: 'helper', prompt: work(...steps), run_in_background: true }]
/** @param {...(Call | Call[])} steps */
const work = (...steps) => script(...steps.map(step => ({ calls: /** @type {Call[]} */ (typeof step[0] === 'string' ? [step] : step) })))

/** Looks again and again until it holds: for what offers no event to wait for. @param {() => Promise<boolean>} holds */
async function soon(holds) {
  for (let tries = 0; !await holds(); tries++) {
    assert.ok(tries < 1_000, 'it does not come')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

suite('chats, their helpers, and what is remembered of them', { timeout: 180_000 }, () => {
  /** @type {Awaited<ReturnType<typeof startHarness>>} */
  let harness
  /** @type {Awaited<ReturnType<typeof startModel>>} */
  let model
  let store = ''

  before(async () => {
    model = await startModel()
    const prepare = async (/** @type {string} */ dir) => { store = path.join(dir, 'plugins') }
    harness = await startHarness({ rows: [WEB, { insert: [ENGINE] }], model: model.url, prepare })
    await harness.setRows([...harness.base, WEB, { insert: [ENGINE, gate({ store, web: { engine: 'Scripted' } })] }])
  })
  after(async () => {
    model.close()
    assert.equal(await harness.stop(), 0, harness.stderr())
  })

  const chat = async (/** @type {string} */ preset = 'strata-manual') => {
    const one = await harness.wire.session(harness.workspace, preset)
    await soon(async () => (await harness.wire.command(one.id, '/strata-gate'))?.kind === 'success') // its row is on its way
    return one
  }
  const file = (/** @type {string} */ name) => path.join(harness.workspace, name)
  const there = (/** @type {string} */ name) => existsSync(file(name))
  /** @param {string} name @returns {Call} */
  const write = name => ['write', { file_path: file(name), content: 'hello\n' }]
  /** What the gate says to a word, decoded. @param {Chat} one @param {string} line */
  const say = async (one, line) => {
    const { kind, text = '' } = await harness.wire.command(one.id, `/strata-gate ${line}`)
    return kind === 'success' ? JSON.parse(text) : text
  }
  /** The helper whose task names a text. @param {Chat} one @param {string} text */
  const helperOf = async (one, text) => new Chat(harness.wire, /** @type {string} */ (await harness.wire.until(
    () => harness.wire.frames.find(({ sessionId, event }) => sessionId !== one.id && event?.type === 'user/message'
      && JSON.stringify(event.data.content).includes(text))?.sessionId, `helper for ${text}`)))
  const errors = (/** @type {Chat} */ one) => one.results().map(({ error }) => error)

  test('the web is asked about once, with its engine by name', async () => {
    const one = await chat()
    await one.prompt(work(search('a'), search('b', 'c')))
    const question = await one.question()
    assert.equal(question.reason, 'The assistant wants to search the web for: a. Search words go to Scripted.')
    await one.answer(question, true)
    await one.ended()
    assert.deepEqual([errors(one), one.events('approval/asked').length], [[false, false], 1])
  })

  test('two helpers that search at once share one card', async () => {
    const one = await chat()
    await one.prompt(work([helper(bash('ls # SHARE_1'), search('SHARE_1')), helper(bash('ls # SHARE_2'), search('SHARE_2'))]))
    const own = await Promise.all([helperOf(one, 'SHARE_1'), helperOf(one, 'SHARE_2')])
    const called = (/** @type {Chat} */ each) => harness.wire.until(() => each.events('tool/call')[1], 'the search')
    await Promise.all(own.map(called))
    const asked = () => own.filter(each => each.events('approval/asked').length > 0)
    const [first] = await harness.wire.until(() => (asked().length > 0 ? asked() : undefined), 'a card')
    let open = await say(one, 'questions')
    while (open[0].calls < 2) open = await say(one, 'questions') // the second looks up what it may, then joins
    assert.deepEqual([open.length, asked().length], [1, 1])
    await first?.answer(await first.question(), false)
    await Promise.all(own.map(each => each.ended()))
    assert.deepEqual([asked().length, ...own.map(each => NO_WEB.test(each.results()[1]?.text ?? ''))], [1, true, true])
  })

  test('a chat where nobody is there gets no', async () => {
    const one = await chat()
    assert.deepEqual(await say(one, 'unattended'), {})
    await one.turn(work(search('nobody')))
    assert.match(one.results()[0]?.text ?? '', NO_WEB)
    for (const mode of ['plan', 'bypass']) {
      await harness.wire.command(one.id, `/permission strata-${mode}`)
      await one.turn(work(search(`nobody in ${mode}`)))
    }
    assert.deepEqual(one.results().map(({ text }) => NO_WEB.test(text)), [true, true, true])
    assert.deepEqual(one.events('approval/asked'), [])
  })

  test('a helper’s call that was asked about in Manual does not run in Plan', async () => {
    const one = await chat()
    await one.prompt(work(helper(write('strict-1.txt'), write('strict-2.txt'))))
    const own = await helperOf(one, 'strict-1.txt')
    const question = await own.question()
    await harness.wire.command(one.id, '/permission strata-plan')
    await own.answer(question, true)
    await own.ended()
    assert.deepEqual([there('strict-1.txt'), there('strict-2.txt'), own.events('approval/asked').length], [false, false, 1])
    for (const { text } of own.results()) assert.match(text, /^Error: Not allowed in this mode/)
  })

  test('a helper that began under Manual asks when the chat goes to Bypass', async () => {
    const one = await chat()
    await one.prompt(work(helper(write('kept-1.txt'), write('kept-2.txt'))))
    const own = await helperOf(one, 'kept-1.txt')
    const question = await own.question()
    await harness.wire.command(one.id, '/permission strata-bypass')
    await own.answer(question, true)
    await own.answer(await own.question(2), false)
    await own.ended()
    assert.deepEqual([there('kept-1.txt'), there('kept-2.txt')], [true, false])
  })

  test('a helper that began under Bypass asks when the chat goes to Manual', async () => {
    const one = await chat('strata-bypass')
    await one.prompt(work(helper(bash('touch tight-1.txt; until [ -e tight-go ]; do sleep 0.05; done'), write('tight-2.txt'))))
    const own = await helperOf(one, 'tight-1.txt')
    await harness.wire.until(() => own.events('tool/call')[0], 'its first call')
    await harness.wire.command(one.id, '/permission strata-manual')
    await writeFile(file('tight-go'), '')
    const question = await own.question()
    assert.equal(there('tight-2.txt'), false)
    await own.answer(question, true)
    await own.ended()
    assert.deepEqual([there('tight-1.txt'), there('tight-2.txt')], [true, true])
  })

  test('a yes that reaches further, by the host’s words', async () => {
    const one = await chat()
    await one.prompt(work(bash('touch saved-1.txt'), bash('touch saved-2.txt')))
    const question = await one.question()
    const [open] = await say(one, 'questions')
    const digest = digestOf(one, question.callId)
    assert.deepEqual(open, {
      session: one.id, callId: question.callId, tool: 'bash', digest, calls: 1, reason: 'This runs a program that can change things: touch.',
      key: 'This runs a program that can change things: {program}.', args: { program: 'touch' }, parts: open.parts,
      offer: { scopes: ['chat', 'always'], scope: 'once', pattern: 'touch saved-1.txt' },
    })
    const answer = (/** @type {string} */ pattern) => say(one, `answer ${JSON.stringify({ callId: question.callId, digest, allow: true, scope: 'chat', pattern })}`)
    assert.equal(await answer('touch **\nrm x'), 'This pattern does not cover what is asked: rm x.')
    assert.deepEqual(await answer('touch saved-*'), { kept: true })
    await one.answer(question, true)
    await one.ended()
    assert.deepEqual([there('saved-1.txt'), there('saved-2.txt'), one.events('approval/asked').length], [true, true, 1])

    const explained = await say(one, 'explain {"tool":"bash","arguments":{"command":"ls && touch saved-3.txt"}}')
    assert.deepEqual([explained.decision, explained.mode, explained.notProven.length], ['ask', 'manual', 1])
    const inPlan = await say(one, 'explain {"tool":"write","arguments":{"file_path":"a"},"mode":"plan"}')
    assert.deepEqual([inPlan.decision, inPlan.mode], ['deny', 'plan'])
    const [{ id, pattern, root }] = explained.permissions
    assert.deepEqual([pattern, root, (await say(one, 'permissions')).permissions.map((/** @type {any} */ each) => each.id)], ['touch saved-*', one.id, [id]])
    assert.deepEqual([await say(one, `revoke ${id}`), await say(one, `revoke ${id}`)], [{}, 'There is no such saved permission.'])
    assert.deepEqual((await say(one, 'remember {"tool":"bash","pattern":"make","scope":"always"}')).permissions.map((/** @type {any} */ each) => each.folder), [harness.workspace])
    for (const line of ['explain', 'explain []', 'explain {', 'explain {"tool":"a","mode":1}', 'remember x']) assert.equal(await say(one, line), 'That cannot be read. Use /strata-gate status.')
  })

  test('what was decided is on disk, without anything long or secret', async () => {
    const one = await chat()
    await one.prompt(work(bash('ls'), bash('deploy -H "Authorization: Bearer abcdefghijkl123" x'), write('logged.txt')))
    const log = async () => {
      const text = (await Promise.all((await readdir(path.join(store, 'gate'))).filter(name => name.startsWith('decisions-')).sort()
        .map(name => readFile(path.join(store, 'gate', name), 'utf8')))).join('')
      return text.trim().split('\n').map(line => JSON.parse(line)).filter(({ root }) => root === one.id)
    }
    for (const [at, yes] of /** @type {[number, boolean][]} */ ([[1, false], [2, true]])) {
      const question = await one.question(at)
      await one.answer(question, yes)
      assert.deepEqual(await say(one, `settled ${JSON.stringify({ callId: question.callId })}`), { settled: true })
      assert.equal((await log()).filter(({ call, by }) => call === question.callId && by === 'person').length, 1) // at once
    }
    await one.ended()
    let entries = await log()
    await soon(async () => (entries = await log()).length >= 3) // what nobody was asked about comes a moment later
    const brief = entries.sort((a, b) => a.time - b.time).map(({ tool, what, decision, by, rule, outcome }) => [tool, what, decision, by, rule, outcome])
    assert.deepEqual(brief, [
      ['bash', 'ls', 'allow', 'rule', 'bash:ls', undefined],
      ['bash', 'deploy -H "Authorization: Bearer [redacted]" x', 'deny', 'person', 'bash:program', 'rejected'],
      ['write', file('logged.txt'), 'allow', 'person', 'tool:write', 'allowed-once'],
    ])
  })

  test('with the switch on, the web is not asked about', async () => {
    const one = await chat()
    await harness.setRows([...harness.base, WEB, { insert: [ENGINE, gate({ store, web: { engine: 'Scripted', skipAsk: true } })] }])
    await harness.wire.until(() => one.events('permission/preset').find(({ data }) => data.preset === 'strata-plan'), 'the old gate to go')
    const next = await chat()
    await next.turn(work(search('unasked')))
    assert.deepEqual([errors(next), next.events('approval/asked')], [[false], []])
  })
})
