// @ts-check
/**
 * The plugin's sync ops as the seams ask them. Whatever goes wrong with them, the Harness's own figures stand; it is
 * said once.
 * @module
 */
import { Feed } from './feed.mjs'
import { failureOf, piece, reader, routeOf } from './facts.mjs'

/** @typedef {import('./facts.mjs').Session} Session */
/** @typedef {'pressure' | 'context-overflow' | 'manual'} Trigger */
/** @typedef {{tokens: number, window?: number, source: 'measured' | 'estimated', density: number, fixed?: number, compact?: boolean, hopeless?: boolean, stuck?: string, outline?: boolean, kept?: string}} Measured */

export class Figures {
  #instance
  #ready
  #ceilings
  /** @type {WeakMap<Session, Trigger>} what a compaction that is under way is for */
  #under = new WeakMap()
  /** @type {WeakMap<Session, {provider: string, model: string}>} the model that the next message goes to */
  #next = new WeakMap()
  #warn
  #feed
  /** @type {WeakSet<Session>} whose log cannot be read */
  #unread = new WeakSet()
  /** What of the session's log this Harness does not show as Strata reads it, in one sentence. @type {string[]} */
  missing = []

  /**
   * @param {object} parts
   * @param {() => import('../lib/hot.mjs').Instance | undefined} parts.instance undefined until it runs
   * @param {() => Promise<unknown>} parts.ready until it runs, or cannot
   * @param {(message: unknown) => number} parts.price
   * @param {(text: string) => void} parts.warn
   * @param {Record<string, number>} parts.ceilings
   */
  constructor({ instance, ready, price, warn, ceilings }) {
    this.#instance = instance
    this.#ready = ready
    this.#ceilings = ceilings
    this.#warn = warn
    this.price = price
    let told = false
    this.#feed = new Feed((op, head) => {
      try {
        return this.#instance()?.callSync(op, head).value
      } catch (error) {
        if (!told) warn(`context: ${op}: ${/** @type {Error} */ (error).message}`)
        told = true
        return undefined
      }
    }, price)
  }

  /** Takes the next event of a session's log. @param {Session} session @param {any} event */
  event(session, event) {
    this.#safely(session, () => this.#feed.event(session, event))
  }

  /** @param {Session} session @param {string} op @param {object} [head] @returns {any} */
  #ask(session, op, head) {
    return this.#safely(session, () => this.#feed.ask(session, op, head))
  }

  /**
   * Whatever a log of another Harness does to its reader, the caller is the Harness. One that cannot be read is not
   * read on: figures of a part of it would be wrong.
   * @template T @param {Session} session @param {() => T} run @returns {T | undefined}
   */
  #safely(session, run) {
    if (this.#unread.has(session)) return undefined
    try {
      return run()
    } catch (error) {
      this.#lost(session, error)
      return undefined
    }
  }

  /** @param {Session} session @param {unknown} error */
  #lost(session, error) {
    this.#unread.add(session)
    if (this.missing.length > 0) return
    this.missing.push('The chat\'s log is not as Strata knows it, so the Harness\'s own figures decide.')
    this.#warn(`context: ${this.missing[0]} ${/** @type {Error} */ (error).message}`)
  }

  /** @param {Session} session @param {{surface?: number, routed?: number}} [priced] the Harness's own price of its messages @returns {Measured | undefined} */
  measure(session, priced) {
    return this.#ask(session, 'measure', priced)
  }

  /** The same, once the plugin has read what it has missed of the session's log. @param {Session} session @returns {Promise<Measured | undefined>} undefined where it does not run */
  async known(session) {
    await this.#ready()
    const measured = this.measure(session)
    if (measured !== undefined) return measured
    if (this.#unread.has(session)) return undefined
    await this.#feed.catchUp(session).catch(error => this.#lost(session, error))
    return this.measure(session)
  }

  /** The reply that a request is to ask for; 0 leaves it. @param {Session} session @param {any} options of the request @returns {number} */
  cap(session, options) {
    const route = routeOf(options)
    const header = this.#safely(session, () => session.requestHeader())
    const own = options.maxTokens !== undefined && header?.adapterDefaults?.maxTokens !== true
    return this.#ask(session, 'cap', { asked: options.maxTokens ?? 0, own, route, most: this.#ceilings[route] ?? 0 })?.maxTokens ?? 0
  }

  /** Whether a request was refused for its length. @param {Session} session @param {any} options @param {any} failure @param {number} reply the longer reply that it asked for than the Harness would, in tokens; 0 where it did not @returns {{overflow?: boolean, cap?: boolean}} */
  refused(session, options, failure, reply) {
    return this.#ask(session, 'refused', { route: routeOf(options), ...failureOf(failure), reply }) ?? {}
  }

  /** What is to be summarized. @param {Session} session @param {Trigger} trigger @param {readonly {seq: number, tokens: number, heuristicTokens?: number}[]} nodes the meter's @param {boolean} pruned */
  select(session, trigger, nodes, pruned) {
    return this.#safely(session, () => {
      const at = reader(session)
      const pieces = nodes.map(({ seq, tokens: price, heuristicTokens: tokens = price }) => { // the plugin scales by itself
        const message = session.deriveEventMessage(at(seq))
        return { ...(message === null ? { tokens } : piece(message, tokens)), seq }
      })
      return this.#feed.ask(session, 'select', { trigger, nodes: pieces, pruned })
    })
  }

  /** Keeps which model the next message goes to. @param {Session} session @param {{provider: string, model: string}} route */
  announce(session, route) {
    this.#next.set(session, route)
  }

  /** The model of the next message where it is not that of the last request: its window decides. @param {Session} session */
  moved(session) {
    const next = this.#next.get(session)
    const last = session.requestContext() ?? session.requestHeader()?.config
    return next !== undefined && (next.provider !== last?.provider || next.model !== last?.model) ? next : undefined
  }

  /** Runs a compaction under its trigger. @template T @param {Session} session @param {Trigger} trigger @param {() => Promise<T>} run @returns {Promise<T>} */
  async during(session, trigger, run) {
    this.#under.set(session, trigger)
    try {
      return await run()
    } finally {
      this.#under.delete(session)
    }
  }

  /** What a session's compaction is for: the engine's word, or what its log says. @param {Session} session @returns {Trigger} */
  trigger(session) {
    const known = this.#under.get(session)
    if (known !== undefined) return known
    return this.#safely(session, () => {
      const at = reader(session)
      for (let seq = session.seq - 1; seq >= 0; seq--) {
        const { type, data } = at(seq)
        if (type === 'compaction/start') return data.turn === null ? 'manual' : undefined
      }
      return undefined
    }) ?? 'pressure'
  }
}
