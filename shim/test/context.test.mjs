// @ts-check
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, readdir, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { suite, test } from 'node:test'
import { transcript, whole } from '../context/facts.mjs'
import { Feed } from '../context/feed.mjs'
import { Figures } from '../context/figures.mjs'
import { adjusted, priced, wrapMeasure } from '../context/meter.mjs'
import { Requests } from '../context/requests.mjs'
import { Instance } from '../lib/hot.mjs'
import { loadModule } from '../lib/module.mjs'

const wasm = new URL('../dist/strata.wasm', import.meta.url)
const module = await loadModule(wasm, readFileSync(`${wasm.pathname}.sha256`, 'utf8').trim())
const fresh = (/** @type {any} */ effects = {}) => new Instance({ module, plugin: 'context', effects })
const price = (/** @type {any} */ { content }) => 4 + content.reduce((/** @type {number} */ sum, /** @type {any} */ { text = '' }) => sum + Math.ceil(text.length / 4) + 4, 0)
const message = (/** @type {string} */ role, /** @type {string} */ text) => ({ role, source: { kind: role === 'user' ? 'user' : 'model' }, content: [{ type: 'text', text }] })

/** A session as the Harness has it, in short. */
class Session {
  id = 's'
  /** @type {any[]} */
  log = []
  get events() {
    return [...this.log]
  }
  get seq() {
    return this.log.length
  }
  deriveEventMessage = (/** @type {any} */ { data }) => data.message ?? data
  requestHeader = () => this.log.findLast(({ type }) => type === 'request/header')?.data.header
  requestContext = () => this.log.findLast(({ type }) => type === 'request/context')?.data

  /** @param {string} type @param {any} data @param {any} [surfaceOp] */
  add(type, data, surfaceOp) {
    const event = { seq: this.seq, type, data, surfaceOp }
    this.log.push(event)
    return event
  }

  begin(window = 65_536) {
    this.add('request/header', { header: { system: 'x'.repeat(15_984), config: { provider: 'p', model: 'm', maxTokens: 5000 }, adapterDefaults: { maxTokens: true } } })
    this.add('request/context', { provider: 'p', model: 'm', contextWindow: window })
  }

  /** @param {string} text */
  said(text) {
    return this.add('user/message', message('user', text), 'append')
  }

  /** @param {string} text @param {number} prompt */
  answered(text, prompt) {
    return this.add('assistant/message', { message: message('assistant', text), usage: { inputTokens: prompt - 1000, cacheReadTokens: 1000, outputTokens: 7 } }, 'append')
  }
}

/** @param {any} [instance] */
function figuresOn(instance = fresh()) {
  const warned = /** @type {string[]} */ ([])
  const figures = new Figures({ instance: () => instance, ready: async () => {}, price, warn: text => warned.push(text), ceilings: { 'p/short': 700 } })
  return { figures, warned, instance }
}

suite('the meter', () => {
  const service = () => ({ measure: (/** @type {any} */ _session) => ({ totalTokens: 10, surfaceTokens: 5, baseline: { tokens: 4 }, nodes: [] }) })

  test('is wrapped once, whoever wraps it again, and restored', () => {
    const meter = /** @type {any} */ (Object.create(service()))
    const original = meter.measure
    const first = wrapMeasure(meter, (_s, result) => ({ ...result, totalTokens: result.totalTokens + 1 }))
    const once = meter.measure
    const second = wrapMeasure(meter, (_s, result) => ({ ...result, totalTokens: result.totalTokens + 2 }))
    assert.equal(meter.measure, once)
    assert.equal(meter.measure({}).totalTokens, 12)
    first() // of a row that is gone already
    assert.equal(meter.measure({}).totalTokens, 12)
    assert.equal(meter.measure({}, { system: 'another envelope' }).totalTokens, 10)
    second()
    assert.equal(meter.measure, original)
  })

  test('reports 1 and 2: prices of messages are scaled for decisions alone, and only where the ledger has its own', () => {
    const { figures } = figuresOn()
    const session = /** @type {any} */ (new Session())
    session.begin()
    session.said('x'.repeat(8000))
    session.answered('ok', 12_000) // for 6,008 of the Harness's
    const result = (/** @type {any[]} */ nodes) => Object.freeze({ totalTokens: 6016, surfaceTokens: 2008 + 9, baseline: { tokens: 6000 }, surfaceDeltaTokens: 16, nodes: Object.freeze(nodes) })
    const old = [{ seq: 2, tokens: 2008 }, { seq: 3, tokens: 9 }]
    const measured = adjusted(figures)(session, result(old))
    assert.deepEqual([measured.totalTokens, measured.baseline.tokens + measured.surfaceDeltaTokens, measured.nodes], [12_018, 12_018, old])
    const split = adjusted(figures)(session, result([{ seq: 2, tokens: 9000, heuristicTokens: 2008 }, { seq: 3, tokens: 9, heuristicTokens: 9 }]))
    assert.deepEqual(split.nodes, [{ seq: 2, tokens: 9000, heuristicTokens: 2008 }, { seq: 3, tokens: 18, heuristicTokens: 9 }])
    assert.ok(Object.isFrozen(split) && Object.isFrozen(split.nodes))
    assert.deepEqual(structuredClone(split), { ...split }) // it goes where the Harness's own does
  })

  test('is never below what the route counts for messages, as for pictures', () => {
    const { figures } = figuresOn()
    const session = /** @type {any} */ (new Session())
    session.begin()
    session.said('a picture')
    const nodes = [{ seq: 2, tokens: 60_000, heuristicTokens: 11 }]
    const result = { totalTokens: 64_000, surfaceTokens: 60_000, baseline: { tokens: 0 }, surfaceDeltaTokens: 64_000, nodes }
    assert.equal(adjusted(figures)(session, result).totalTokens, 64_000)
    assert.deepEqual([figures.measure(session, priced(result))?.compact, figures.measure(session)?.compact], [true, undefined])
  })

  test('a measurement looks at no message, and their prices are reckoned once', () => {
    const { figures } = figuresOn()
    const session = /** @type {any} */ (new Session())
    session.begin()
    session.said('x'.repeat(8000))
    session.answered('ok', 12_000)
    let looks = 0
    const nodes = Object.freeze(Array.from({ length: 20_000 }, (_, seq) => Object.freeze({ seq, tokens: 1, get heuristicTokens() { return looks++, 1 } })))
    const result = Object.freeze({ totalTokens: 6016, surfaceTokens: 2017, baseline: { tokens: 6000 }, surfaceDeltaTokens: 16, nodes })
    const measure = adjusted(figures)
    const all = Array.from({ length: 1000 }, () => measure(session, result))
    assert.equal(all.at(-1)?.totalTokens, 12_018)
    assert.equal(looks, 0, 'a measurement looked at messages')
    const [first, ...others] = all.map(({ nodes }) => nodes)
    assert.ok(first.length === nodes.length && others.every(list => list === first))
    assert.ok(looks < 3 * nodes.length, `${looks} looks at ${nodes.length} messages`)
  })

  test('the same is summarized, whatever the Harness keeps beside the ledger\'s prices', () => {
    const { figures } = figuresOn()
    const session = /** @type {any} */ (new Session())
    session.begin()
    for (let n = 0; n < 10; n++) {
      session.said('x'.repeat(8000))
      session.answered('ok', 4000 * n + 8000)
    }
    const old = session.log.slice(2).map((/** @type {any} */ event) => ({ seq: event.seq, tokens: price(session.deriveEventMessage(event)) }))
    const later = old.map((/** @type {any} */ { seq, tokens }) => ({ seq, tokens: 2 * tokens, heuristicTokens: tokens }))
    const choice = figures.select(session, 'pressure', old, true)
    assert.equal(choice.start, 2)
    assert.deepEqual(figures.select(session, 'pressure', later, true), choice)
    const result = { totalTokens: 1, surfaceTokens: 2 * 20_170, baseline: { tokens: 1 }, surfaceDeltaTokens: 0, nodes: later } // priced by the route
    assert.notEqual(adjusted(figures)(session, result), result)
  })

  test('leaves the Harness its own figures where the plugin cannot be asked', () => {
    const { figures, warned } = figuresOn({ callSync() { throw new Error('gone') } })
    const session = /** @type {any} */ (new Session())
    session.begin()
    const result = { totalTokens: 1, surfaceTokens: 0, baseline: { tokens: 1 }, nodes: [] }
    for (let n = 0; n < 3; n++) assert.equal(adjusted(figures)(session, result), result)
    assert.equal(warned.length, 1)
  })
})

suite('the log of another Harness', () => {
  test('is read event by event where it hands out no copy', async () => {
    const { figures } = figuresOn()
    const session = /** @type {any} */ (new Session())
    session.begin()
    session.said('x'.repeat(8000))
    session.answered('ok', 12_000)
    Object.defineProperty(session, 'events', { value: undefined })
    session.eventAt = (/** @type {number} */ seq) => session.log[seq]
    assert.equal((await figures.known(session))?.tokens, 12_018)
    assert.notEqual(figures.select(session, 'manual', [{ seq: 2, tokens: 2008 }, { seq: 3, tokens: 9 }], true), undefined)
    session.add('compaction/start', { turn: null })
    session.add('other', {})
    assert.equal(figures.trigger(session), 'manual')
  })

  test('leaves the Harness its own figures where it cannot be read, and says so once', async () => {
    const { figures, warned } = figuresOn()
    const session = /** @type {any} */ (new Session())
    session.begin()
    session.said('x'.repeat(8000))
    session.deriveEventMessage = () => { throw new Error('not so') }
    const result = { totalTokens: 1, surfaceTokens: 0, baseline: { tokens: 1 }, nodes: [] }
    for (let n = 0; n < 3; n++) assert.equal(adjusted(figures)(session, result), result)
    figures.event(session, session.said('more'))
    assert.equal(await figures.known(session), undefined)
    assert.equal(figures.cap(session, { provider: 'p', model: 'm' }), 0)
    assert.equal(figures.select(session, 'pressure', [{ seq: 2, tokens: 1 }], true), undefined)
    assert.deepEqual([warned.length, figures.missing], [1, ['The chat\'s log is not as Strata knows it, so the Harness\'s own figures decide.']])
  })
})

suite('the feed', () => {
  test('an instance that died is fed again, in chunks, and then says the same', async () => {
    let instance = fresh()
    const feed = new Feed((op, head) => instance.callSync(op, head).value, price)
    const session = /** @type {any} */ (new Session())
    session.begin()
    for (let n = 0; n < 1200; n++) {
      session.said(`message ${n}`)
      feed.event(session, session.answered('ok', 9000 + n))
    }
    await feed.catchUp(session)
    const before = feed.ask(session, 'measure')
    assert.deepEqual([before.source, before.stale], ['measured', undefined])
    instance = fresh()
    assert.equal(feed.ask(session, 'measure'), undefined) // until it was fed
    await feed.catchUp(session)
    assert.deepEqual(feed.ask(session, 'measure'), before)
  })

  test('an event that was taken already makes no copy of the log', () => {
    const feed = new Feed((op, head) => instance.callSync(op, head).value, price)
    const instance = fresh()
    const session = /** @type {any} */ (new Session())
    session.begin()
    feed.ask(session, 'measure') // from here on event by event
    let copies = 0
    Object.defineProperty(session, 'events', { get() { return copies++, [...session.log] } })
    for (let n = 0; n < 200; n++) {
      for (const add of [() => session.said(`message ${n}`), () => session.answered('ok', 9000 + n)]) {
        const event = add()
        feed.event(session, event)
        assert.equal(feed.ask(session, 'measure').cursor, session.seq)
        feed.event(session, event) // by a listener behind the one that asked
      }
    }
    assert.equal(copies, 0)
  })

  test('report 19: a fork, whose first events nobody told of, is measured by its log', () => {
    const { figures } = figuresOn()
    const session = /** @type {any} */ (new Session())
    session.begin()
    session.said('x'.repeat(8000))
    session.answered('ok', 12_000)
    figures.event(session, session.said('and now'))
    assert.equal(figures.measure(session)?.source, 'measured')
  })
})

suite('requests', () => {
  /** @param {(options: any) => any[]} serve chunks of an answer */
  function world(serve) {
    const session = /** @type {any} */ (new Session())
    session.begin()
    const sent = /** @type {any[]} */ ([])
    /** @type {any} */
    const llm = {
      async * stream(/** @type {any} */ options) { // as the service: the listener, then the adapter
        yield* requests.stream(options, () => adapter(options))
      },
      resolveModelInfo: async () => ({ context: { contextWindow: 65_536 } }),
    }
    async function * adapter(/** @type {any} */ options) {
      sent.push(options)
      yield* serve(options)
    }
    const instance = fresh({
      llm: (/** @type {any} */ request, /** @type {any} */ call) => requests.effect(request, call), sleep: async () => ({}),
      'restore.put': (/** @type {any} */ request, /** @type {any} */ call) => requests.keep(request, call),
    })
    const { figures } = figuresOn(instance)
    const requests = new Requests({ llm, sessions: { get: () => session }, figures, plugin: async () => instance, mark: clone => clone, isTurn: ({ auxiliary }) => auxiliary !== true })
    const turn = async (/** @type {any} */ more = {}) => {
      const options = Object.freeze({ provider: 'p', model: 'm', sessionId: 's', maxTokens: 5000, messages: [message('user', 'hi')], ...more })
      const chunks = []
      for await (const chunk of llm.stream(options)) chunks.push(chunk)
      return chunks
    }
    return { session, sent, turn, figures }
  }
  const good = [{ type: 'text-delta', index: 0, text: 'hi' }, { type: 'finish', reason: { kind: 'stop' } }]
  const failure = (/** @type {string} */ code, /** @type {string} */ text) => [{ type: 'finish', reason: { kind: 'error', failure: { code, message: text } } }]

  test('a turn asks for a longer reply once, in a clone; others pass untouched', async () => {
    const { sent, turn } = world(() => good)
    assert.deepEqual(await turn(), good)
    await turn({ purpose: 'session-title', maxTokens: 50 })
    await turn({ model: 'short', maxTokens: 500 })
    await turn({ auxiliary: true, maxTokens: 60 }) // another plugin's, about this session
    assert.deepEqual(sent.map(({ maxTokens, purpose }) => [maxTokens, purpose]), [[32_768, undefined], [50, 'session-title'], [700, undefined], [60, undefined]])
    assert.ok(Object.isFrozen(sent[0]))
  })

  test('a refusal without the word context is one, and the same prompt is not sent again', async () => {
    const { session, sent, turn } = world(() => failure('INVALID_REQUEST', '413: '))
    session.said('x'.repeat(100_000))
    assert.equal((await turn())[0].reason.failure.code, 'CONTEXT_WINDOW_EXCEEDED')
    const again = await turn()
    assert.equal(again[0].reason.failure.code, 'CONTEXT_WINDOW_EXCEEDED')
    assert.match(again[0].reason.failure.message, /not sent again/)
    assert.equal(sent.length, 1)
  })

  test('a refusal of another request about the session says nothing of its chat', async () => {
    const { session, sent, turn } = world(({ auxiliary }) => (auxiliary ? failure('INVALID_REQUEST', '413: ') : good))
    session.said('x'.repeat(100_000))
    assert.equal((await turn({ auxiliary: true }))[0].reason.failure.code, 'INVALID_REQUEST')
    assert.deepEqual(await turn(), good)
    assert.equal(sent.length, 2)
  })

  for (const [wire, event] of /** @type {[string, (chunk: any) => [string, any]][]} */ ([
    ['0.1.0', chunk => ['assistant/chunk', { turn: 1, step: 1, chunk }]],
    ['0.1.5', chunk => ['assistant/attempt', { turn: 1, step: 1, stream: [{ type: 'text-chunks', index: 0, texts: ['a'] }, { type: 'chunk', chunk }] }]],
  ])) test(`what was refused is known from the log of ${wire} alone, by a plugin that has seen nothing of it`, async () => {
    const { session, sent, turn } = world(() => good)
    session.said('x'.repeat(100_000))
    for (let n = 0; n < 1200; n++) session.add('assistant/chunk', { chunk: { type: 'reasoning-delta', text: 'more' } })
    session.add(...event(failure('CONTEXT_WINDOW_EXCEEDED', '400: your messages resulted in 70000 tokens')[0]))
    session.add('turn/end', { turn: 1 })
    session.said('and again')
    assert.match((await turn())[0].reason.failure.message, /A prompt of about 70\d\d\d tokens .* not sent again/)
    assert.equal(sent.length, 0)
    session.add('user/message', message('user', 'in short'), { op: 'replace', start: 2, end: session.seq - 1 })
    assert.deepEqual(await turn(), good)
  })

  test('that summarizing frees nothing is known from the log alone, and that a summary is none', async () => {
    const { figures } = figuresOn()
    const session = /** @type {any} */ (new Session())
    session.begin()
    session.said('x'.repeat(100_000))
    for (let pass = 0; pass < 2; pass++) {
      session.add('compaction/start', { compactionId: `c${pass}`, turn: 1 })
      session.add('compaction/end', { compactionId: `c${pass}`, turn: 1, error: 'Error: Summarizing the earlier messages would free no room.' })
    }
    assert.match((await figures.known(session))?.stuck ?? '', /^Summarizing freed no room twice/)
    session.add('compaction/summary', { summary: [{ type: 'text', text: '## Primary Request and Intent\n(No summary of this part of the conversation could be made. This is how the person\'s messages began.)' }] })
    session.add('compaction/end', { compactionId: 'c2', turn: null })
    const { stuck, outline } = await figures.known(session) ?? {}
    assert.deepEqual({ stuck, outline }, { stuck: undefined, outline: true })
  })

  test('a reply that is too long for its server is asked for as the Harness would', async () => {
    const { sent, turn } = world(({ maxTokens }) => (maxTokens > 8000 ? failure('INVALID_REQUEST', '400: max_tokens must be at most 8192') : good))
    assert.deepEqual(await turn(), good)
    assert.deepEqual(await turn(), good)
    assert.deepEqual(sent.map(({ maxTokens }) => maxTokens), [32_768, 5000, 5000])
  })

  test('a longer reply that a strict server has no room for is asked for as the Harness would, and the prompt is not blocked', async () => {
    const prompt = 44_000
    const strict = (/** @type {any} */ { maxTokens }) => (prompt + maxTokens > 65_536
      ? [{ type: 'usage', usage: { inputTokens: 0, outputTokens: 0 } }, ...failure('INVALID_REQUEST', `400: This model's maximum context length is 65536 tokens. However, you requested ${prompt + maxTokens} tokens (${prompt} in the messages, ${maxTokens} in the completion).`)] // as the Harness has it
      : good)
    const { session, sent, turn } = world(strict)
    session.said('x'.repeat(72_000))
    assert.deepEqual(await turn({ maxTokens: 16_384 }), good)
    assert.deepEqual(await turn({ maxTokens: 16_384 }), good) // now that the prompt's size is known, within what it leaves
    assert.deepEqual(sent.map(({ maxTokens }) => maxTokens), [32_768, 16_384, 17_440])
  })

  test('report 15: what goes to the model of a history is the same messages, or a transcript without reasoning', async () => {
    const history = Array.from({ length: 30 }, (_, n) => ({ ...message(n % 2 ? 'assistant' : 'user', 'word '.repeat(400)), ...(n % 2 && { content: [{ type: 'reasoning', text: 'signed', signature: 's' }, { type: 'text', text: 'word '.repeat(400) }] }) }))
    const instruction = message('user', 'You are now acting as a compaction engine')
    const summary = [{ type: 'block-end', index: 0, block: { type: 'text', text: '## Current Work\n- all' } }, { type: 'usage', usage: { inputTokens: 9, outputTokens: 5 } }, { type: 'finish', reason: { kind: 'stop' } }]
    const { sent, turn } = world(({ messages }) => (messages.length > 2 ? failure('INVALID_REQUEST', 'your messages exceeded model token limit: 70000') : summary))
    const messages = [...history, instruction]
    const chunks = await turn({ purpose: 'compaction', maxTokens: 8192, messages })
    assert.equal(chunks.find(({ type }) => type === 'block-end').block.text, '## Current Work\n- all')
    assert.deepEqual(sent[0].messages, messages)
    assert.ok(sent.length > 1 && sent.slice(1).every(({ messages: [part, last], tools, system }) =>
      !JSON.stringify(part).includes('signed') && last.content[0].text === instruction.content[0]?.text && tools === undefined && system === undefined))
  })

  test('a summary is made by the model that the next message goes to', async () => {
    const good = [{ type: 'block-end', index: 0, block: { type: 'text', text: '## Current Work\n- all' } }, { type: 'finish', reason: { kind: 'stop' } }]
    const { session, sent, turn, figures } = world(({ model }) => (model === 'm' ? failure('INVALID_REQUEST', '400: this is not served') : good))
    const messages = [message('user', 'word '.repeat(4000)), message('user', 'You are now acting as a compaction engine')]
    assert.equal((await turn({ purpose: 'compaction', messages })).at(-1).reason.failure.code, 'NO_SUMMARY')
    figures.announce(session, { provider: 'p', model: 'other' })
    const from = sent.length
    assert.deepEqual((await turn({ purpose: 'compaction', messages })).at(-1).reason, { kind: 'stop' })
    assert.deepEqual(sent.slice(from).map(({ provider, model }) => `${provider}/${model}`), ['p/other'])
  })

  test('where no model makes a summary, what is left out is a file of the workspace, which follows no link', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'strata-'))
    try {
      const { session, turn } = world(() => failure('INVALID_REQUEST', '400: this is not served'))
      session.header = { cwd: folder }
      session.said('x'.repeat(240_000)) // above the window
      const of = (/** @type {string} */ said) => [message('user', said), message('assistant', 'and 😀'), message('user', 'You are now acting as a compaction engine')]
      const outline = async (/** @type {string} */ said) => (await turn({ purpose: 'compaction', messages: of(said) })).find(({ type }) => type === 'block-end')?.block.text ?? ''
      const kept = () => readdir(path.join(folder, '.strata/restore'))
      const said = 'what a person said '.repeat(4000)
      const { groups: { file = '' } = {} } = /the file (?<file>\S+\.md):/.exec(await outline(said)) ?? {}
      assert.match(file, /^\.strata\/restore\/[0-9a-f]{8}-[0-9a-f]{16}\.md$/)
      assert.equal(await readFile(path.join(folder, file), 'utf8'), of(said).slice(0, -1).map(transcript).join('\n\n'))
      assert.equal(await readFile(path.join(folder, '.strata/.gitignore'), 'utf8'), '*\n')
      assert.deepEqual(await Promise.all([file, '.strata', '.strata/restore'].map(async name => (await stat(path.join(folder, name))).mode & 0o777)), [0o600, 0o700, 0o700])
      assert.match(await outline(said), new RegExp(`the file ${file}:`)) // the same messages are the same file
      assert.deepEqual(await kept(), [path.basename(file)])
      await rm(path.join(folder, '.strata/restore'), { recursive: true })
      await mkdir(path.join(folder, 'away'))
      await symlink(path.join(folder, 'away'), path.join(folder, '.strata/restore'))
      assert.match(await outline(said), /Read files again where they are needed/)
      assert.deepEqual(await readdir(path.join(folder, 'away')), [])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('a summary that fails ends in a failure and leaves the next one alone', async () => {
    let down = true
    const { turn } = world(() => (down ? failure('AUTH', 'no') : [{ type: 'block-end', index: 0, block: { type: 'text', text: '## Current Work\n- all' } }, { type: 'finish', reason: { kind: 'stop' } }]))
    const messages = [message('user', 'word '.repeat(4000)), message('user', 'You are now acting as a compaction engine')]
    assert.equal((await turn({ purpose: 'compaction', messages })).at(-1).reason.failure.code, 'NO_SUMMARY')
    down = false
    assert.deepEqual((await turn({ purpose: 'compaction', messages })).at(-1).reason, { kind: 'stop' })
  })
})

test('a transcript has calls with their results, and cuts no character in two', () => {
  const text = transcript({ role: 'assistant', content: [
    { type: 'text', text: 'I look.' }, { type: 'tool-call', name: 'bash', arguments: '{"command":"ls"}' }, { type: 'image', attachment: 'a' },
  ] })
  assert.equal(text, '[assistant]\nI look.\n\n[tool call bash]\n{"command":"ls"}\n\n[assistant]\n[picture]')
  assert.equal(transcript({ role: 'user', content: [{ type: 'tool-result', isError: true, content: [{ type: 'text', text: 'no' }] }] }), '[tool result, an error]\nno')
  assert.deepEqual([whole('a😀b', 0, 2), whole('a😀b', 2, 4), whole('a😀b', 0, 3)], ['a', 'b', 'a😀'])
})
