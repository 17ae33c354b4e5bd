// @ts-check
/**
 * `$events` and `$events/result` (harness-wire.md §4): who listens, what waits for an answer, and who answered.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { any, exactly, id, string, tagged } from './keys.mjs'
import { Queue } from './queue.mjs'

/**
 * What became of a waterfall: an answer, an error for the one who asked, or nobody wants to answer.
 * @typedef {{kind: 'result', value?: any} | {kind: 'rejected', error: any} | {kind: 'next'}} Outcome
 * @typedef {{event: string, eventId: string, agentId: string, request: any}} Question
 * @typedef {{question: Question, delivered: Set<string>, settle: (outcome: Outcome) => void}} Pending
 */

export class Events {
  /** @type {Map<string, Queue<any>>} */
  #clients = new Map()
  /** @type {Map<string, Pending>} */
  #pending = new Map()

  /** Tells every client. @param {string} event @param {unknown[]} args */
  emit(event, args) {
    for (const queue of this.#clients.values()) queue.push({ type: 'emit', event, args })
  }

  /**
   * Asks every client, now and when one comes later. The first result is the answer; `next` takes the client out, and
   * that of the last one is the outcome.
   * @param {string} event @param {string} agentId @param {object} request
   * @returns {{eventId: string, outcome: Promise<Outcome>, withdraw: () => void}}
   */
  ask(event, agentId, request) {
    const question = { event, eventId: randomUUID(), agentId, request }
    /** @type {PromiseWithResolvers<Outcome>} */
    const { promise, resolve } = Promise.withResolvers()
    const pending = { question, delivered: /** @type {Set<string>} */ (new Set()), settle: resolve }
    this.#pending.set(question.eventId, pending)
    for (const [clientId, queue] of this.#clients) this.#deliver(pending, clientId, queue)
    return { eventId: question.eventId, outcome: promise, withdraw: () => this.#close(pending, undefined) }
  }

  /** The stream. @param {AbortSignal} signal */
  async *open(signal) {
    const clientId = randomUUID()
    const queue = /** @type {Queue<any>} */ (new Queue())
    queue.push({ type: 'ready', clientId, host: { home: homedir() } })
    this.#clients.set(clientId, queue)
    for (const pending of this.#pending.values()) this.#deliver(pending, clientId, queue)
    try {
      yield* queue.read(signal)
    } finally {
      this.#clients.delete(clientId)
      for (const { delivered } of this.#pending.values()) delivered.delete(clientId)
    }
  }

  /** An answer. @param {{clientId: string, eventId: string, outcome: Outcome}} args */
  result({ clientId, eventId, outcome }) {
    if (!this.#clients.has(clientId)) throw new Error(`no $events client "${clientId}"`)
    const pending = this.#pending.get(eventId)
    if (!pending?.delivered.delete(clientId)) return
    if (outcome.kind === 'next' && pending.delivered.size > 0) return
    this.#close(pending, outcome)
  }

  /** @param {Pending} pending @param {string} clientId @param {Queue<any>} queue */
  #deliver({ question, delivered }, clientId, queue) {
    delivered.add(clientId)
    queue.push({ type: 'waterfall', ...question })
  }

  /** @param {Pending} pending @param {Outcome | undefined} outcome undefined: it is withdrawn */
  #close({ question: { eventId }, delivered, settle }, outcome) {
    if (!this.#pending.delete(eventId)) return
    for (const clientId of delivered) this.#clients.get(clientId)?.push({ type: 'cancel', eventId })
    if (outcome) settle(outcome)
  }
}

const outcome = tagged('kind', {
  result: { 'value?': any },
  next: {},
  rejected: { error: exactly({ 'name': string, 'message': string, 'code?': string, 'details?': any }) },
})
const result = exactly({ clientId: id, eventId: id, outcome })

/** @param {Events} events @returns {{streams: import('./plugin.mjs').Streams, calls: import('./plugin.mjs').Calls}} */
export function eventMethods(events) {
  return {
    streams: { $events: { parameters: {}, open: (_args, signal) => events.open(signal) } },
    calls: {
      '$events/result': {
        parameters: undefined, // what is malformed here is gateway/internal, not one of the codes of arguments
        async call(args) {
          result(args, '$events/result')
          events.result(args)
        },
      },
    },
  }
}
