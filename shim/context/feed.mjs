// @ts-check
/**
 * Feeds the plugin with what a session's log says, event by event, so that a measurement costs what has changed and
 * no more. A plugin that has not seen all of a log is replayed to in chunks; until then there are no figures of it.
 * @module
 */
import { contextFact, reader } from './facts.mjs'

/** @typedef {import('../lib/effects/session.mjs').Session} Session */
/** @typedef {{next: number, cursor: number, pending: object[], behind: boolean, replay?: Promise<void>}} Fed next: seq of the next event to be looked at; cursor: where the plugin stands */

const FLUSH = 64 // events
const CHUNK = 500

export class Feed {
  /** @type {WeakMap<Session, Fed>} */
  #fed = new WeakMap()
  #ask
  #price

  /**
   * @param {(op: string, head: object) => any} ask a sync op of the plugin; undefined when it cannot be asked now
   * @param {(message: unknown) => number} price the Harness's own
   */
  constructor(ask, price) {
    this.#ask = ask
    this.#price = price
  }

  /** Takes the next event of a session's log. @param {Session} session @param {any} event */
  event(session, event) {
    const fed = this.#of(session)
    if (event.seq < fed.next) return // an op was asked about the session meanwhile, and took it
    if (fed.behind || event.seq !== fed.next) return void (fed.behind = true)
    this.#take(session, fed, event)
    if (fed.pending.length >= FLUSH) this.#flush(session, fed)
  }

  /**
   * Asks an op about a session that the plugin has seen all of.
   * @param {Session} session @param {string} op @param {object} [head]
   * @returns {any} undefined while it has not
   */
  ask(session, op, head = {}) {
    const fed = this.#of(session)
    if (fed.behind || fed.next !== session.seq) {
      if (session.seq - fed.next > CHUNK) return void this.catchUp(session)
      if (!this.#chunk(session, fed, session.seq)) return undefined
      fed.behind = false
    }
    if (!this.#flush(session, fed)) return undefined
    const answer = this.#ask(op, { session: session.id, cursor: fed.cursor, ...head })
    if (answer?.stale) {
      Object.assign(fed, start(), { behind: true })
      return void this.catchUp(session)
    }
    return answer
  }

  /** Replays a session's log, giving way between chunks. @param {Session} session @returns {Promise<void>} */
  catchUp(session) {
    const fed = this.#of(session)
    return fed.replay ??= (async () => {
      fed.behind = true
      while (fed.next < session.seq) {
        await new Promise(resolve => setImmediate(resolve))
        if (!this.#chunk(session, fed, Math.min(session.seq, fed.next + CHUNK))) return
      }
      fed.behind = false
    })().finally(() => { delete fed.replay })
  }

  /** @param {Session} session */
  #of(session) {
    let fed = this.#fed.get(session)
    if (fed === undefined) this.#fed.set(session, fed = start())
    return fed
  }

  /** @param {Session} session @param {Fed} fed @param {any} event */
  #take(session, fed, event) {
    fed.next = event.seq + 1
    const fact = contextFact(session, event, this.#price)
    if (fact !== undefined) fed.pending.push(fact)
  }

  /** @param {Session} session @param {Fed} fed @param {number} to */
  #chunk(session, fed, to) {
    const at = reader(session)
    for (let seq = fed.next; seq < to; seq++) this.#take(session, fed, at(seq))
    return this.#flush(session, fed)
  }

  /** @param {Session} session @param {Fed} fed @returns {boolean} whether the plugin has all that was taken */
  #flush(session, fed) {
    if (fed.pending.length === 0 && fed.cursor > 0) return true
    const answer = this.#ask('observe', { session: session.id, cursor: fed.cursor, events: fed.pending })
    if (answer === undefined || answer.stale) {
      Object.assign(fed, start(), { behind: true })
      return false
    }
    fed.cursor = answer.cursor
    fed.pending = []
    return true
  }
}

/** @returns {Fed} */
const start = () => ({ next: 0, cursor: 0, pending: [], behind: false })
