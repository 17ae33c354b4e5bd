// @ts-check
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { mount } from '../models/mount.mjs'
import { Starts } from '../models/starts.mjs'

const wasm = process.env.STRATA_WASM || new URL('../dist/strata.wasm', import.meta.url)
const sha256 = readFileSync(new URL('../dist/strata.wasm.sha256', import.meta.url), 'utf8').trim()
const ROUTES = [
  { provider: 'a', id: 'one', name: 'Model One', connection: 'A', efforts: ['low', 'high'] },
  { provider: 'b', id: 'two', name: 'Model Two', connection: 'B' },
]

/** A tool of a newer Harness, which takes a model itself; it keeps what it was called with. */
function nativeTool(output = [{ type: 'text', text: 'done' }]) {
  const text = { type: 'string' }
  /** @type {any[]} */
  const calls = []
  return {
    calls, name: 'subagent', description: 'Delegate.',
    parameters: { type: 'object', properties: { description: text, prompt: text, provider: text, model: text, reasoning_effort: text }, required: ['description', 'prompt', 'provider', 'model'] },
    output: { schema: {}, render: () => [] },
    execute: async (/** @type {any} */ args) => (calls.push(args), { kind: 'foreground', runId: 'r', output }),
  }
}

/** What of a Harness the row looks at. @param {any[]} tools its own @param {object} [service] of helpers */
function fakeHarness(tools, service = { start: async () => ({}) }) {
  /** @type {Map<string, any>} */
  const own = new Map()
  /** @type {Record<string, Function>} */
  const listeners = {}
  /** @type {string[]} */
  const warned = []
  /** @type {Function[]} */
  const disposers = []
  /** @type {any} */
  const agent = {
    session: { id: 's', events: [{ type: 'request/header', data: { header: { config: { provider: 'b', model: 'two' } } } }] },
    ctx: { inject: (/** @type {any} */ _, /** @type {Function} */ run) => {
      run({ tools: { register: (/** @type {any} */ tool) => own.set(tool.name, tool) } })
      return { dispose: async () => own.clear() }
    } },
  }
  /** @type {any} */
  let command
  const ctx = {
    logger: { warn: (/** @type {string} */ text) => warned.push(text) },
    tools: { get: (/** @type {string} */ name) => own.get(name) ?? tools.find(tool => tool.name === name) },
    llm: {
      listProviders: () => [{ id: 'a', name: 'A' }, { id: 'b', name: 'B' }],
      listModels: async (/** @type {string} */ provider) => [{ id: provider === 'a' ? 'one' : 'two', name: 'x' }],
    },
    agents: { list: () => [agent] },
    commands: { register: (/** @type {any} */ one) => { command = one } },
    on: (/** @type {string} */ name, /** @type {Function} */ run) => { listeners[name] = run },
    effect: (/** @type {() => Function} */ run) => disposers.push(run()),
    subagents: service,
  }
  return {
    ctx, agent, own, warned,
    tool: (/** @type {string} */ name) => own.get(name),
    dispose: () => Promise.all(disposers.reverse().map(run => run())),
    assemble: async () => (await listeners['system-prompt/assemble']?.({}, { scope: agent }, async () => ({ tools: [...own.values()].map(({ name, description, parameters }) => ({ name, description, parameters })) }))).tools,
    status: async () => JSON.parse((await command.handler({})).text),
  }
}

suite('models on doubles of other Harnesses', () => {
  test('a Harness whose tool takes a model gets its exact route', async () => {
    const native = nativeTool()
    const harness = fakeHarness([native])
    mount(/** @type {any} */ (harness.ctx), { sha256, wasm: /** @type {any} */ (wasm), routes: ROUTES })
    const [subagent, list] = await harness.assemble()
    assert.deepEqual([subagent.name, Object.keys(subagent.parameters.properties), subagent.parameters.required, list.name],
      ['subagent', ['description', 'prompt', 'model', 'reasoning_effort'], ['description', 'prompt'], 'list_subagent_models'])
    assert.match(subagent.description, /^Delegate\.\n\nUse this tool when/)
    const call = (/** @type {object} */ more) => harness.tool('subagent').execute({ description: 'd', prompt: 'p', ...more }, { agent: harness.agent })
    await call({ model: 'model one', reasoning_effort: 'HIGH' })
    await call({ provider: 'b', model: 'two' })
    await call({})
    await assert.rejects(call({ model: 'modle one' }), /^Error: Did you mean "Model One" \(a\/one\)\?/)
    await assert.rejects(call({ model: { no: 'name' } }), /No model is named/)
    assert.deepEqual(native.calls, [
      { description: 'd', prompt: 'p', provider: 'a', model: 'one', reasoning_effort: 'high' },
      { description: 'd', prompt: 'p', provider: 'b', model: 'two' },
      { description: 'd', prompt: 'p' },
    ])
    const { text } = await harness.tool('list_subagent_models').execute({}, { agent: harness.agent })
    assert.match(text, /"Model Two" \(b\/two\): .*this chat's own model/)
    await harness.dispose()
    assert.equal(harness.own.size, 0)
  })

  test('an empty answer is an error', async () => {
    const harness = fakeHarness([nativeTool([{ type: 'text', text: ' \n' }])])
    mount(/** @type {any} */ (harness.ctx), { sha256, wasm: /** @type {any} */ (wasm), routes: ROUTES })
    await assert.rejects(harness.tool('subagent').execute({ model: 'one', description: 'd', prompt: 'p' }, { agent: harness.agent }), /ended without an answer/)
    await harness.dispose()
  })

  test('a renamed tool is left alone, and that is said once', async () => {
    const warned = async (/** @type {string[]} */ ...names) => {
      const harness = fakeHarness(names.map(name => ({ ...nativeTool(), name })))
      mount(/** @type {any} */ (harness.ctx), { sha256, wasm: /** @type {any} */ (wasm), routes: ROUTES })
      const { subagent, subagent_fork } = (await harness.status()).seams
      await harness.dispose()
      return [subagent, subagent_fork, harness.warned.map(text => text.split(',')[0])]
    }
    const no = (/** @type {string} */ name) => `An agent has no tool named ${name}`
    assert.deepEqual(await warned('subagent', 'subagent_fork'), [true, true, []])
    assert.deepEqual(await warned('delegate', 'subagent_fork'), [false, true, [no('subagent')]])
    assert.deepEqual(await warned('subagent', 'fork'), [true, false, [no('subagent_fork')]])
    assert.deepEqual(await warned('delegate'), [false, false, [no('subagent'), no('subagent_fork')]])
  })

  test('without the plugin the tools are the Harness’s own again, and that is said once', async () => {
    const harness = fakeHarness([nativeTool(), { ...nativeTool(), name: 'subagent_fork' }])
    mount(/** @type {any} */ (harness.ctx), { sha256: '0'.repeat(64), wasm: /** @type {any} */ (wasm), routes: ROUTES })
    await harness.assemble()
    assert.deepEqual([[...harness.own], harness.warned.length], [[], 1])
    await harness.dispose()
  })

  test('a job in the background is put on the model, and what is started beside it is not', async () => {
    /** @type {any[]} */
    const asked = []
    const service = { start: async (/** @type {string} */ provider, /** @type {any} */ request) => {
      asked.push([provider, request.agentOptions])
      return { id: 'r', result: Promise.resolve({ output: [], stopReason: 'completed' }), dispose() {} }
    } }
    const starts = new Starts(service)
    const undo = starts.mount()
    const on = { provider: 'a', model: 'one' }
    /** @type {Promise<any> | undefined} */
    let job
    await starts.run({ label: 'Model One', on }, async () => { job = service.start('spawn', { agentOptions: { maxTokens: 5 } }) })
    const { result } = await job
    assert.deepEqual(await result, { output: [], stopReason: 'error', diagnostic: 'The helper on Model One ended without an answer.' })
    await starts.run({ label: 'Model One', on, named: true }, async () => {
      await service.start('spawn', {})
      await service.start('spawn', {}) // a helper's own, within
    })
    await assert.rejects(starts.run({ label: 'Model One', on, named: true }, async () => {}), /could not be put on Model One/)
    undo()
    await service.start('spawn', {})
    assert.deepEqual(asked, [['spawn', { maxTokens: 5, ...on }], ['spawn', on], ['spawn', undefined], ['spawn', undefined]])
  })

  test('a Harness without the start that is wrapped starts nothing on a wrong model', async () => {
    /** @type {any[]} */
    const ran = []
    const tool = { ...nativeTool(), parameters: { type: 'object', properties: { prompt: { type: 'string' } } }, execute: async (/** @type {any} */ args) => (ran.push(args), { kind: 'foreground', output: [] }) }
    /** @type {any} */
    const service = {}
    const harness = fakeHarness([tool, { ...tool, name: 'subagent_fork' }], service)
    mount(/** @type {any} */ (harness.ctx), { sha256, wasm: /** @type {any} */ (wasm), routes: ROUTES })
    await harness.assemble()
    const call = (/** @type {object} */ more) => harness.tool('subagent').execute({ prompt: 'p', ...more }, { agent: harness.agent })
    await assert.rejects(call({ model: 'one' }), /^Error: Nothing was started: .* none can be put on "Model One" \(a\/one\)\./)
    assert.deepEqual(ran, [])
    await call({})
    assert.deepEqual([ran, Object.keys(service), (await harness.status()).seams.start, harness.warned.length], [[{ prompt: 'p' }], [], false, 1])
    assert.match(harness.warned[0] ?? '', /starts helper agents in another way/)
    await harness.dispose()
    assert.deepEqual(Object.keys(service), [])
  })

  test('the end of a helper in the background is told with its reason and its model', async () => {
    const text = (/** @type {string} */ said) => ({ type: 'text', text: said })
    const helper = (/** @type {object} */ reason) => ({ ctx: { on() {} }, session: { events: [
      { type: 'request/header', data: { header: { config: { provider: 'a', model: 'one' } } } },
      { type: 'turn/end', data: { reason } },
    ] } })
    /** @type {any[]} */
    const told = []
    const service = {
      start: async () => ({}),
      startContinuable: async (/** @type {any} */ { agent }) => starts.created(agent),
      reportFrom: async (/** @type {any} */ _agent) => 'id',
      continuations: { notifySettlement: (/** @type {any} */ _, /** @type {any} */ end) => told.push(end) },
    }
    const starts = new Starts(service)
    const { notifySettlement } = service.continuations
    const undo = starts.mount()
    const failed = helper({ kind: 'error', error: { message: 'no key' } })
    const done = helper({ kind: 'completed' })
    const reported = helper({ kind: 'completed' })
    const stopped = helper({ kind: 'aborted' })
    await starts.run({ label: 'Model One', on: { provider: 'a', model: 'one' }, named: true }, () => service.startContinuable({ agent: failed, request: {} }))
    await service.reportFrom(reported)
    const end = (/** @type {any} */ agent, /** @type {string} */ stopReason, /** @type {any[]} */ ...output) =>
      service.continuations.notifySettlement({ handle: { agent } }, { stopReason, ...(output.length > 0 && { output }) })
    end(failed, 'error')
    end(failed, 'error', text('so far'))
    end(done, 'completed')
    end(done, 'completed', text(' \n'), { type: 'reasoning', text: 'hm' })
    end(done, 'completed', text('the answer'))
    end(reported, 'completed')
    end(stopped, 'completed')
    end(stopped, 'aborted')
    service.continuations.notifySettlement({}, { stopReason: 'error' })
    undo()
    assert.equal(service.continuations.notifySettlement, notifySettlement)
    assert.deepEqual(told, [
      { stopReason: 'error', output: [text('The helper on Model One failed: no key')] },
      { stopReason: 'error', output: [text('The helper on Model One failed: no key'), text('so far')] },
      { stopReason: 'error', output: [text('The helper on a/one ended without an answer.')] },
      { stopReason: 'error', output: [text('The helper on a/one ended without an answer.')] },
      { stopReason: 'completed', output: [text('the answer')] },
      { stopReason: 'completed' },
      { stopReason: 'completed' },
      { stopReason: 'aborted' },
      { stopReason: 'error', output: [text('The helper on its model failed.')] },
    ])
    assert.deepEqual([starts.tells, new Starts({ start() {} }).tells, new Starts({ start() {}, startContinuable() {} }).tells], [true, true, false])
  })
})
