// @ts-check
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, suite, test } from 'node:test'
import { sha256, shim, startHarness, wasm } from './kit.mjs'
import { beginsWith, script, startModel } from './model.mjs'

suite('models', { timeout: 240_000 }, () => {
  /** @type {Awaited<ReturnType<typeof startHarness>>} */
  let harness
  /** @type {Awaited<ReturnType<typeof startModel>>} */
  let model
  /** Another server. @type {Awaited<ReturnType<typeof startModel>>} */
  let other
  before(async () => {
    [model, other] = await Promise.all([startModel(), startModel()])
    harness = await startHarness({ rows: rows(), model: model.url })
  })
  after(async () => {
    await harness.stop()
    model.close()
    other.close()
  })

  const ROUTES = [
    { provider: 'scripted', id: 'scripted-1', name: 'Scripted One', connection: 'First server', contextWindow: 60_000 },
    { provider: 'scripted', id: 'scripted-2', name: 'Scripted Two', connection: 'First server' },
    { provider: 'other', id: 'gpt-x', name: 'GPT X', connection: 'Second server', efforts: ['low', 'high'] },
    { provider: 'other', id: 'gone-1', name: 'Gone', connection: 'Second server' },
    { provider: 'nowhere', id: 'm', name: 'Never there', connection: 'No server' },
  ]
  const rows = (routes = ROUTES, ids = ['gpt-x', 'gone-1']) => [
    { id: 'llm-pi-ai', config: { providers: {
      scripted: provider(model.url, ['scripted-1', 'scripted-2']),
      other: provider(other.url, ids),
    } } },
    { insert: [{ id: 'strata-models', name: path.join(shim, 'models.mjs'), config: { sha256: sha256(), wasm, routes } }] },
  ]
  const provider = (/** @type {string} */ baseURL, /** @type {string[]} */ ids) => ({
    api: 'openai-completions', baseURL, apiKeyEnv: 'SCRIPTED_KEY', retryPolicy: { mode: 'normal', maxRetries: 0 }, compat: { supportsStore: false, supportsDeveloperRole: false },
    models: ids.map(id => ({ id, contextWindow: 60_000, maxTokens: 1000, ...(id === 'gpt-x' && { reasoningEfforts: { low: 'low', high: 'high' } }) })),
  })
  const settings = () => readFile(path.join(harness.home, 'settings.yaml'), 'utf8').catch(() => 'none')
  const select = (/** @type {string} */ sessionId, /** @type {string} */ id) =>
    harness.wire.rpc('session.selectModel', { sessionId, provider: 'scripted', model: id })
  const asked = (/** @type {import('./kit.mjs').Chat} */ chat) =>
    chat.events('assistant/message').map(({ data }) => data.message.source.model)
  /** A call that starts a helper. @param {string} label @param {object} more @param {...import('./model.mjs').Step} steps @returns {[string, object]} */
  const helper = (label, more, ...steps) => ['subagent', { description: label, prompt: `${label} ${script(...steps)}`, run_in_background: false, ...more }]
  const chat = () => harness.wire.session(harness.workspace, 'strata-bypass')
  /** Which server and model got a helper's request. @param {string} label */
  const landed = label => Object.entries({ first: model, second: other }).flatMap(([server, { requests }]) =>
    requests.filter(({ messages }) => beginsWith(messages, label)).map(({ model: id }) => `${server} ${id}`))

  test('two chats on two models at once leave the default alone', async () => {
    const first = await settings()
    const [one, two] = await Promise.all([harness.wire.session(harness.workspace), harness.wire.session(harness.workspace)])
    await select(one.id, 'scripted-2')
    await select(two.id, 'scripted-1')
    await Promise.all([one.turn('hello'), two.turn('hello')])
    assert.deepEqual([asked(one), asked(two), await settings()], [['scripted-2'], ['scripted-1'], first])
    const next = await harness.wire.session(harness.workspace)
    await next.turn('hello')
    assert.deepEqual(asked(next), ['scripted-1'])
  })

  test('the tools take a model, in the very first request', async () => {
    const one = await chat()
    await one.turn('what tools')
    const { tools } = await model.request('what tools')
    const of = (/** @type {string} */ name) => tools.find((/** @type {any} */ { function: { name: one } }) => one === name)?.function
    for (const name of ['subagent', 'subagent_fork']) {
      const { description, parameters } = of(name)
      assert.deepEqual(Object.keys(parameters.properties), ['description', 'prompt', 'run_in_background', 'model', 'reasoning_effort'])
      assert.deepEqual(parameters.required, ['description', 'prompt'])
      for (const words of ['Delegate a', 'ask model X', 'shell commands', 'sleep']) assert.ok(description.includes(words), `${name} does not say ${words}`)
    }
    assert.match(of('list_subagent_models').description, /names that the person knows/)
  })

  test('helpers on two models at once, at two servers', async () => {
    const one = await chat()
    const turn = one.turn(script({ calls: [
      helper('hA', { model: 'gpt x', reasoning_effort: 'HIGH' }, { hold: true, say: 'from the second' }),
      helper('hB', { model: 'First server: scripted two' }, { hold: true, say: 'from the first' }),
    ] }))
    const [second, first] = await Promise.all([other.request('hA'), model.request('hB')]) // both are at work
    other.release()
    model.release()
    await turn
    assert.deepEqual([first.model, first.reasoning_effort, second.model, second.reasoning_effort], ['scripted-2', undefined, 'gpt-x', 'high'])
    assert.deepEqual(one.results().map(({ text, error }) => [text, error]), [['from the second', false], ['from the first', false]])
    assert.deepEqual([landed('hA'), landed('hB')], [['second gpt-x'], ['first scripted-2']])
  })

  test('a close guess, several that fit, and none start nothing', async () => {
    const one = await chat()
    const before = [model.requests.length, other.requests.length]
    await one.turn(script({ calls: [
      helper('hC', { model: 'gpt-y' }, { say: 'never' }),
      helper('hD', { model: 'first server' }, { say: 'never' }),
      helper('hE', { model: 'claude' }, { say: 'never' }),
      ['subagent_fork', { description: 'hF', prompt: 'hF', model: 'scripted on', run_in_background: true }],
    ] }))
    const [guess, several, none, fork] = one.results()
    assert.deepEqual(one.results().map(({ error }) => error), [true, true, true, true])
    assert.match(guess?.text ?? '', /Did you mean "GPT X" \(other\/gpt-x\)\? Nothing was started\./)
    assert.match(several?.text ?? '', /fits several models: "Scripted One" \(scripted\/scripted-1\) and "Scripted Two"/)
    assert.match(none?.text ?? '', /No model is named "claude"\. .*"GPT X".* Others can be added in Models\./)
    assert.match(fork?.text ?? '', /Did you mean/)
    assert.deepEqual([model.requests.length, other.requests.length], [/** @type {number} */ (before[0]) + 2, before[1]]) // the chat's own
    await one.turn(script({ calls: [helper('hC', { model: 'other/gpt-x' }, { say: 'now' })] }))
    assert.deepEqual([one.results().at(-1)?.text, landed('hC')], ['now', ['second gpt-x']])
  })

  test('without a model a helper is on the chat’s own, not on the default', async () => {
    const one = await chat()
    await select(one.id, 'scripted-2')
    await one.turn(script({ calls: [helper('hG', {}, { say: 'as the chat' })] }))
    assert.deepEqual([one.results().at(-1)?.text, landed('hG')], ['as the chat', ['first scripted-2']])
  })

  test('a continuable helper and a fork in the background, on a model', async () => {
    const one = await chat()
    await one.turn(script({ calls: [
      helper('hH', { model: 'GPT-X', reasoning_effort: 'low', run_in_background: true }, { say: 'told later' }),
    ] }))
    assert.match(one.results()[0]?.text ?? '', /^started subagent /)
    await one.wire.until(() => one.events('user/message').find(({ data }) => data.source?.kind === 'subagent-settled'), 'report')
    const { model: id, reasoning_effort: effort } = await other.request('hH')
    assert.deepEqual([id, effort, landed('hH')], ['gpt-x', 'low', ['second gpt-x']])
    await one.wire.until(() => one.events('turn/end')[1], 'the turn of the report')

    const forked = await chat()
    await forked.turn('before')
    await forked.turn(script({ calls: [['subagent_fork', { description: 'f', prompt: script({ say: 'from the fork' }), model: 'gpt x', run_in_background: false }]] }))
    assert.deepEqual(forked.results().map(({ text, error }) => [text, error]), [['from the fork', false]])
    assert.equal(other.requests.filter(({ messages }) => beginsWith(messages, 'before')).length, 1)
  })

  test('one that fails and one that says nothing are plain errors', async () => {
    const one = await chat()
    await one.turn(script({ calls: [
      helper('hI', { model: 'gpt x' }, { fail: 401 }),
      helper('hJ', { model: 'gpt x' }, { say: ' ' }),
      helper('hK', {}, { fail: 400 }),
    ] }))
    assert.deepEqual(one.results().map(({ error }) => error), [true, true, true])
    const [failed, silent, own] = one.results().map(({ text }) => text)
    assert.match(failed ?? '', /subagent run failed\nDiagnostic: The helper on "GPT X" \(other\/gpt-x\) failed: .*scripted 401/)
    assert.match(silent ?? '', /subagent run failed\nDiagnostic: The helper on "GPT X" \(other\/gpt-x\) ended without an answer\./)
    assert.match(own ?? '', /The helper on the chat’s own model failed: .*scripted 400/)
  })

  test('in the background they are told with the reason and the model, too', async () => {
    const one = await chat()
    const reports = () => one.events('user/message').filter(({ data }) => data.source?.kind === 'subagent-settled')
      .map(({ data }) => data.content.map((/** @type {any} */ block) => block.text).join('\n'))
    await one.turn(script({ calls: [
      helper('hP', { model: 'gpt x', run_in_background: true }, { fail: 401 }),
      helper('hQ', { model: 'gpt x', run_in_background: true }, { say: ' ' }),
      helper('hR', { model: 'gpt x', run_in_background: true }, { calls: [['report', { output: 'this' }]] }, { say: ' ' }),
    ] }))
    await one.wire.until(() => reports()[2], 'the reports')
    const [failed, silent] = ['failed:', 'ended'].map(word => reports().find(text => text.includes(word)))
    assert.match(failed ?? '', /failed before it finished\.\nIts closing message:\nThe helper on "GPT X" \(other\/gpt-x\) failed: .*scripted 401/)
    assert.match(silent ?? '', /failed before it finished\.\nIts closing message:\nThe helper on "GPT X" \(other\/gpt-x\) ended without an answer\./)
    assert.equal(reports().filter(text => text.includes('finished and will do no further work')).length, 1) // it reported before
  })

  test('a helper that a helper starts is not on its parent’s wish', async () => {
    const one = await chat()
    await one.turn(script({ calls: [helper('hL', { model: 'gpt x' }, { calls: [helper('hM', { model: 'scripted two' }, { say: 'inner' })] }, { say: 'outer' })] }))
    assert.deepEqual([landed('hL'), landed('hM')], [['second gpt-x', 'second gpt-x'], ['first scripted-2']])
  })

  test('the list has the names that the person knows, and follows the profile', async () => {
    const one = await chat()
    const list = { calls: /** @type {[string, object][]} */ ([['list_subagent_models', {}]]) }
    await one.turn(script(list))
    const names = () => [...(one.results().at(-1)?.text ?? '').matchAll(/^- (.*?):/gm)].map(([, label]) => label)
    assert.deepEqual(names(), ['"Scripted One" (scripted/scripted-1)', '"Scripted Two" (scripted/scripted-2)', '"GPT X" (other/gpt-x)', '"Gone" (other/gone-1)'])
    assert.match(one.results()[0]?.text ?? '', /"Scripted One" .*context of 60K tokens, this chat's own model/)

    await harness.setRows([...harness.base, ...rows(ROUTES.filter(({ id }) => id !== 'gone-1'), ['gpt-x', 'new-1'])])
    const gone = () => one.turn(script({ calls: [helper('hN', { model: 'Gone' }, { say: 'never' })] }))
    for (let tries = 0; !(one.results().at(-1)?.text ?? '').includes('No model is named'); tries++) {
      assert.ok(tries < 50, 'the route is still there')
      await gone()
    }
    await one.turn(script(list))
    assert.deepEqual(names(), ['"Scripted One" (scripted/scripted-1)', '"Scripted Two" (scripted/scripted-2)', '"GPT X" (other/gpt-x)'])
    await one.turn(script({ calls: [helper('hO', { model: 'GPT X' }, { say: 'still there' })] }))
    assert.deepEqual([one.results().at(-1)?.text, landed('hO')], ['still there', ['second gpt-x']])
  })

  test('the pinned Harness has the tools by these names and takes no model by itself', async () => {
    const one = await chat()
    const { text = '' } = await one.wire.command(one.id, '/strata-models')
    assert.deepEqual(JSON.parse(text).seams, { list: true, start: true, end: true, subagent: true, subagent_fork: true })
    assert.deepEqual(JSON.parse(text).missing, [])
    await harness.setRows([...harness.base, ...rows().slice(0, 1)]) // the row goes
    const without = async () => {
      const bare = await chat()
      const words = `as it is ${bare.id}`
      await bare.turn(words)
      return (await model.request(words)).tools
    }
    let tools = await without()
    for (let tries = 0; tools.some((/** @type {any} */ tool) => tool.function.name === 'list_subagent_models'); tries++) {
      assert.ok(tries < 50, 'the row is still there')
      tools = await without()
    }
    const { parameters } = tools.find((/** @type {any} */ tool) => tool.function.name === 'subagent').function
    assert.deepEqual(Object.keys(parameters.properties), ['description', 'prompt', 'run_in_background'])
    await one.turn('again') // a chat that had them has the Harness's own again
    const again = model.requests.at(-1).tools.map((/** @type {any} */ tool) => tool.function.name)
    assert.equal(again.includes('list_subagent_models'), false)
  })
})
