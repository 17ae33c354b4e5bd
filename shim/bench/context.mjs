// @ts-check
/**
 * What measuring a chat costs, as the Harness's own meter asks for it, of either generation: one measurement after
 * every tenth event of a log of 20,000 events, and the whole work at 5,000, 10,000 and 20,000 events, which must grow
 * with the log and no faster. Ends with 1 where a limit is missed.
 * @module
 */
import { readFileSync } from 'node:fs'
import { Figures } from '../context/figures.mjs'
import { adjusted } from '../context/meter.mjs'
import { Instance } from '../lib/hot.mjs'
import { loadModule } from '../lib/module.mjs'

const wasm = new URL('../dist/strata.wasm', import.meta.url)
const module = await loadModule(wasm, readFileSync(`${wasm.pathname}.sha256`, 'utf8').trim())
const price = (/** @type {any} */ message) => Math.ceil(message.content[0].text.length / 4) + 8

/**
 * A session whose log grows; every fifth event is a message, the others are pieces of answers. Its messages' prices
 * are kept as a meter of the Harness does; later ones have the ledger's own beside them.
 */
class Log {
  id = 'bench'
  /** @type {object[]} */
  nodes = []
  surfaceTokens = 0
  /** @param {boolean} split */
  constructor(split) {
    this.split = split
  }
  /** @type {any[]} */
  #events = []
  get events() {
    return [...this.#events] // as the Harness's own: a copy
  }
  get seq() {
    return this.#events.length
  }
  deriveEventMessage = (/** @type {any} */ event) => event.data.message
  requestHeader = () => undefined
  requestContext = () => undefined

  add() {
    const seq = this.seq
    const event = seq === 0 ? { type: 'request/header', data: { header: { system: 'x'.repeat(6000), config: { provider: 'p', model: 'm' } } } }
      : seq === 1 ? { type: 'request/context', data: { contextWindow: 1_000_000 } }
        : seq % 5 ? { type: 'assistant/chunk', data: {} }
          : { type: seq % 10 ? 'user/message' : 'assistant/message', surfaceOp: 'append', data: { message: { content: [{ text: 'word '.repeat(seq % 97) }] }, ...(seq % 10 === 0 && { usage: { inputTokens: 100 + seq } }) } }
    const full = /** @type {any} */ ({ seq, ...event })
    this.#events.push(full)
    if ('surfaceOp' in full) {
      const tokens = price(full.data.message)
      this.surfaceTokens += tokens
      this.nodes.push(Object.freeze({ seq, tokens, ...(this.split && { heuristicTokens: tokens }) }))
    }
    return full
  }
}

const SPIN_MS = 0.025

/** @param {number} events @param {boolean} split the Harness keeps its ledger's prices apart @returns {{total: number, samples: number[], idle: number[]}} milliseconds; idle: as long doing nothing */
function run(events, split) {
  const instance = new Instance({ module, plugin: 'context' })
  const figures = new Figures({ instance: () => instance, ready: async () => {}, price, warn: text => { throw new Error(text) }, ceilings: {} })
  const measure = adjusted(figures)
  const log = /** @type {any} */ (new Log(split))
  const samples = []
  const idle = []
  let total = 0
  for (let n = 0; n < events; n++) {
    const event = log.add()
    const from = performance.now()
    figures.event(log, event)
    if (n % 10 === 9) {
      const start = performance.now()
      const result = { totalTokens: 0, surfaceTokens: log.surfaceTokens, surfaceDeltaTokens: 0, baseline: { kind: 'none', tokens: 0 }, nodes: log.nodes }
      if (measure(log, result) === result) throw new Error('stale')
      samples.push(performance.now() - start)
    }
    total += performance.now() - from
    if (n % 10 === 9) {
      const start = performance.now()
      while (performance.now() - start < SPIN_MS);
      idle.push(performance.now() - start)
    }
  }
  instance.close()
  return { total, samples, idle }
}

/** @param {number[]} list */
const median = list => /** @type {number} */ ([...list].sort((a, b) => a - b)[Math.floor(list.length / 2)])
/** @param {number[]} list @param {number} share */
const at = (list, share) => /** @type {number} */ ([...list].sort((a, b) => a - b)[Math.floor(list.length * share)])

const ROUNDS = 5
const LIMIT_MS = 1
const LIMIT_GROWTH = 6 // of four times the events; the square would be 16
const sizes = [5000, 10_000, 20_000]
run(2000, true) // warm
for (const split of [false, true]) {
  console.log(split ? 'the ledger\'s prices apart (heuristicTokens):' : 'the ledger\'s prices alone (0.1.0):')
  const rounds = Array.from({ length: ROUNDS }, () => sizes.map(events => run(events, split)))
  const totals = sizes.map((events, i) => {
    const total = median(rounds.map(round => /** @type {any} */ (round[i]).total))
    console.log(`  ${events} events: ${total.toFixed(0)} ms in all, ${(total * 1000 / events).toFixed(1)} µs an event`)
    return total
  })
  const of = (/** @type {number} */ share) => median(rounds.map(round => at(/** @type {any} */ (round.at(-1)).samples, share)))
  const p99 = of(0.99)
  const noise = median(rounds.map(round => at(/** @type {any} */ (round.at(-1)).idle, 0.99)))
  const growth = /** @type {number} */ (totals[2]) / /** @type {number} */ (totals[0])
  console.log(`  measure at 20,000 events, median of ${ROUNDS} rounds: p50 ${of(0.5).toFixed(3)} ms, p99 ${p99.toFixed(3)} ms; limit ${LIMIT_MS} ms: ${held(p99 < LIMIT_MS)}; a loop of ${SPIN_MS} ms that does nothing: p99 ${noise.toFixed(3)} ms`)
  console.log(`  four times the events take ${growth.toFixed(1)} times as long; limit ${LIMIT_GROWTH}: ${held(growth < LIMIT_GROWTH)}`)
}

/** @param {boolean} ok @returns {string} */
function held(ok) {
  if (!ok) process.exitCode = 1
  return ok ? 'held' : 'MISSED'
}
