// @ts-check
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'
import { after, before, suite, test } from 'node:test'
import { bin, sha256, shim, startHarness, wasm } from './kit.mjs'

const WINDOW = 60_000
const PER_TOKEN = 1.8
const LAYER_MS = 30_000 // until the Harness has taken a changed layer in
const PRESET = path.join(path.dirname(bin), '../config/agent-presets/standard/agent.cordis.yml')

/** Requests that the model got: characters, and the reply that was asked for. @type {{chars: number, reply: number, summary: boolean}[]} */
const asked = []

/** Whether the model makes no summaries. */
let unable = false

/** A model that counts 1.8 characters a token, and reports it. */
async function denseModel() {
  const server = http.createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { model, messages, max_completion_tokens: reply } = JSON.parse(text)
    const last = JSON.stringify(messages.at(-1).content)
    const summary = last.includes('You are now acting as a compaction engine')
    asked.push({ chars: text.length, reply, summary })
    const tokens = Math.ceil(text.length / PER_TOKEN)
    if (tokens > WINDOW || unable && text.includes('You are now acting as a compaction engine')) {
      response.writeHead(tokens > WINDOW ? 413 : 400)
      return void response.end()
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (/** @type {object} */ more) => response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, ...more })}\n\n`)
    send({ choices: [{ index: 0, delta: { role: 'assistant', content: summary ? '## Current Work\n- all of it' : 'seen' }, finish_reason: null }] })
    send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    send({ choices: [], usage: { prompt_tokens: tokens, completion_tokens: 5, total_tokens: tokens + 5 } })
    response.end('data: [DONE]\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}/v1`, close: () => void server.close().closeAllConnections() }
}

/** The Harness's own price of a message. @param {any} message @returns {number} */
const price = ({ content }) => 4 + content.reduce((/** @type {number} */ sum, /** @type {any} */ block) => sum + blockPrice(block), 0)
const quarter = (/** @type {string} */ text) => Math.ceil(text.length / 4)

/** @param {any} block @returns {number} */
function blockPrice(block) {
  switch (block.type) {
    case 'text': case 'reasoning': return quarter(block.text) + 4
    case 'tool-call': return quarter(block.name) + quarter(block.arguments) + 4
    case 'tool-result': return block.content.reduce((/** @type {number} */ sum, /** @type {any} */ inner) => sum + blockPrice(inner), 4)
  }
  return quarter(JSON.stringify(block)) + 4
}

suite('the context plugin on the real Harness', { timeout: 120_000 }, () => {
  /** @type {Awaited<ReturnType<typeof startHarness>>} */
  let harness
  /** @type {Awaited<ReturnType<typeof denseModel>>} */
  let model
  const row = (/** @type {object} */ more = {}) => ({ insert: [{ id: 'strata-context', name: path.join(shim, 'context.mjs'), config: { wasm, sha256: sha256(), ...more } }] })
  before(async () => {
    model = await denseModel()
    harness = await startHarness({
      rows: [row(), { id: 'agent-presets', config: { default: 'strata' } }], model: model.url,
      async prepare(_dir, home) { // the standard preset with our engine in the place of its own
        const dir = path.join(home, '.agent-presets/strata')
        await mkdir(dir, { recursive: true })
        const standard = await readFile(PRESET, 'utf8')
        const ours = standard.replace("- id: compaction-basic\n      name: '@deepseek-ai/dsh-compaction-basic'", `- id: compaction-strata\n      name: ${path.join(shim, 'compaction.mjs')}`)
        assert.notEqual(ours, standard)
        await writeFile(path.join(dir, 'agent.cordis.yml'), ours)
        await writeFile(path.join(dir, 'preset.yml'), 'name: Strata\ndescription: test\n')
      },
    })
  })
  after(async () => {
    model.close()
    assert.equal(await harness.stop(), 0, harness.stderr())
  })

  const log = (/** @type {number} */ chars) => '2026-11-30 ERROR worker[137]: exit code 0x7f\n'.repeat(Math.ceil(chars / 45)).slice(0, chars)
  const state = async (/** @type {import('./kit.mjs').Chat} */ chat) => JSON.parse((await harness.wire.command(chat.id, '/strata-context')).text ?? '')

  test('sizes are measured, a reply may be long, and a summary claims the Harness\'s own prices', async () => {
    const chat = await harness.wire.session(harness.workspace)
    const from = asked.length
    for (let turn = 0; turn < 12; turn++) {
      await chat.turn(log(12_000))
      const { reply } = asked.at(-1) ?? {}
      assert.ok(reply !== undefined && reply > 1000, `a reply of ${reply} tokens was asked for`) // the route reserves 1000
    }
    const { tokens, window, source, density, fixed, missing } = await state(chat)
    const { chars } = asked.at(-1) ?? { chars: 0 }
    assert.deepEqual({ window, source, missing }, { window: WINDOW, source: 'measured', missing: [] })
    assert.ok(Math.abs(tokens - chars / PER_TOKEN) < 600, `${tokens} tokens for ${chars / PER_TOKEN}`)
    assert.ok(density > 1.8 && fixed > 10_000, `density ${density}, fixed ${fixed}`)
    assert.equal(asked.slice(from).filter(({ chars }) => chars / PER_TOKEN > WINDOW).length, 0, 'a request was too long')

    const summaries = chat.events('compaction/summary')
    assert.ok(summaries.length > 0, 'nothing was summarized')
    const prices = new Map(chat.events().filter(event => event.surfaceOp != null).map(event => [event.seq, price(event.data.message ?? event.data)]))
    for (const { data: { shadowedSeqs, shadowedTokenCount } } of summaries) {
      assert.equal(shadowedTokenCount, shadowedSeqs.reduce((/** @type {number} */ sum, /** @type {number} */ seq) => sum + (prices.get(seq) ?? NaN), 0))
    }
    let ledger = 0
    for (const { type, seq, data, surfaceOp } of chat.events()) {
      if (type === 'compaction/summary') ledger -= data.shadowedTokenCount
      if (surfaceOp != null) ledger += prices.get(seq) ?? NaN
      assert.ok(ledger >= 0, `the ledger is at ${ledger}`)
    }
  })

  test('a row that is loaded anew takes the meter over, and there is one wrap', async () => {
    const chat = await harness.wire.session(harness.workspace)
    await chat.turn(log(9000))
    const before = await state(chat)
    for (const ceiling of [8000, 7000, 6000]) {
      const take = () => harness.setRows([...harness.base, row({ ceilings: { 'scripted/scripted-1': ceiling } }), { id: 'agent-presets', config: { default: 'strata' } }])
      await take()
      const end = Date.now() + LAYER_MS
      for (let again = Date.now() + LAYER_MS / 6; asked.at(-1)?.reply !== ceiling;) {
        assert.ok(Date.now() < end, `no request for ${ceiling} tokens, but ${JSON.stringify(asked.at(-1))}`)
        if (Date.now() > again) { // one change in many is not seen by the Harness's watch on a busy machine
          again = end
          await take()
        }
        await chat.turn('short')
      }
    }
    const now = await state(chat)
    assert.deepEqual([now.source, now.missing], ['measured', []])
    const { chars } = asked.at(-1) ?? { chars: 0 }
    assert.ok(now.tokens > before.tokens && Math.abs(now.tokens - chars / PER_TOKEN) < 600, `${now.tokens} tokens for ${chars / PER_TOKEN}`)
  })

  test('/compact says what it did, and nothing twice', async () => {
    const chat = await harness.wire.session(harness.workspace)
    for (let turn = 0; turn < 3; turn++) await chat.turn(log(6000))
    const before = await state(chat)
    assert.match((await harness.wire.command(chat.id, '/compact')).text ?? '', /^Compacted /)
    const after = await state(chat)
    assert.ok(after.tokens < before.tokens - 5000, `${before.tokens}, then ${after.tokens}`)
    assert.equal((await harness.wire.command(chat.id, '/compact')).text, 'No compactable history yet.')
    assert.equal(chat.events('compaction/start').length, 1)
    assert.match((await harness.wire.command(chat.id, '/strata-context status')).text ?? '', /^This chat is \d+% full \(\d+ of 60000 tokens, measured\)\.$/)
  })

  test('report 3: a summary that fails closes its bracket, and the next one is made', async () => {
    const chat = await harness.wire.session(harness.workspace)
    for (let turn = 0; turn < 2; turn++) await chat.turn(log(6000))
    unable = true
    const failed = await harness.wire.command(chat.id, '/compact').finally(() => { unable = false })
    assert.doesNotMatch(failed.text ?? '', /^Compacted /)
    assert.match((await harness.wire.command(chat.id, '/compact')).text ?? '', /^Compacted /)
    const begun = chat.events('compaction/start').map(({ data }) => data.compactionId)
    const ended = chat.events('compaction/end').map(({ data }) => [data.compactionId, data.error === undefined || data.error === null])
    assert.deepEqual(ended, [[begun[0], false], [begun[1], true]])
  })
})
