// @ts-check
/**
 * What measuring a chat costs: one measurement after every tenth event of a log of 20,000 events, and the whole work
 * at 5,000, 10,000 and 20,000 events, which must grow with the log and no faster.
 * @module
 */
import { readFileSync } from 'node:fs'
import { Feed } from '../context/feed.mjs'
import { Instance } from '../lib/hot.mjs'
import { loadModule } from '../lib/module.mjs'

const wasm = new URL('../dist/strata.wasm', import.meta.url)
const module = await loadModule(wasm, readFileSync(`${wasm.pathname}.sha256`, 'utf8').trim())
const price = (/** @type {any} */ message) => Math.ceil(message.content[0].text.length / 4) + 8

/** A session whose log grows; every fifth event is a message, the others are pieces of answers. */
class Log {
  id = 'bench'
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
    const full = { seq, ...event }
    this.#events.push(full)
    return full
  }
}

const SPIN_MS = 0.025

/** @param {number} events @returns {{total: number, samples: number[], idle: number[]}} milliseconds; idle: as long doing nothing */
function run(events) {
  const instance = new Instance({ module, plugin: 'context' })
  const feed = new Feed((op, head) => instance.callSync(op, head).value, price)
  const log = /** @type {any} */ (new Log())
  const samples = []
  const idle = []
  let total = 0
  for (let n = 0; n < events; n++) {
    const event = log.add()
    const from = performance.now()
    feed.event(log, event)
    if (n % 10 === 9) {
      const start = performance.now()
      if (feed.ask(log, 'measure')?.stale !== undefined) throw new Error('stale')
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
run(2000) // warm
const sizes = [5000, 10_000, 20_000]
const rounds = Array.from({ length: ROUNDS }, () => sizes.map(run))
const totals = sizes.map((events, i) => {
  const total = median(rounds.map(round => /** @type {any} */ (round[i]).total))
  console.log(`${events} events: ${total.toFixed(0)} ms in all, ${(total * 1000 / events).toFixed(1)} µs an event`)
  return total
})
const of = (/** @type {number} */ share) => median(rounds.map(round => at(/** @type {any} */ (round.at(-1)).samples, share)))
const p99 = of(0.99)
const noise = median(rounds.map(round => at(/** @type {any} */ (round.at(-1)).idle, 0.99)))
console.log(`measure at 20,000 events, median of ${ROUNDS} rounds: p50 ${of(0.5).toFixed(3)} ms, p99 ${p99.toFixed(3)} ms; limit ${LIMIT_MS} ms: ${p99 < LIMIT_MS ? 'held' : 'MISSED'}; a loop of ${SPIN_MS} ms that does nothing: p99 ${noise.toFixed(3)} ms`)
console.log(`four times the events take ${(/** @type {number} */ (totals[2]) / /** @type {number} */ (totals[0])).toFixed(1)} times as long`)
