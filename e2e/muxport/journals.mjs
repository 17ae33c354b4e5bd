// @ts-check
/**
 * The modern logs of all sessions, fed from the old ones, and who follows them.
 * @module
 */
import { Failure } from './failure.mjs'
import { ModernLog } from './modernlog.mjs'
import { records } from './records.mjs'

/** @typedef {import('./modernlog.mjs').Event} Event */
/** @typedef {import('./modernlog.mjs').Item} Item */
/** @typedef {import('./queue.mjs').Queue<any>} Queue */

/** One session's log. */
class Journal {
  /** Of the last live frame; starts over with each new agent. */
  revision = 0
  /** @type {Set<{queue: Queue, live: boolean}>} */
  followers = new Set()
  /** @param {ModernLog} log @param {any} header */
  constructor(log, header) {
    this.log = log
    this.header = header
  }

  /** Takes what is new of the old log. @param {readonly Event[]} events */
  catchUp(events) {
    if (events.length < this.log.taken) throw new Error('the log is shorter than it was')
    for (const old of events.slice(this.log.taken)) this.take(old)
    for (const item of this.log.insert()) this.#tell(item)
  }

  /** Takes the next old event. @param {Event} old */
  take(old) {
    for (const item of this.log.take(old)) this.#tell(item)
  }

  /** @param {Item} item */
  #tell(item) {
    if ('event' in item) {
      for (const { queue } of this.followers) queue.push({ type: 'event', event: item.event })
      return
    }
    const frame = this.#frame(item)
    for (const { queue, live } of this.followers) if (live) queue.push({ type: 'assistant-stream', frame })
  }

  /** @param {Exclude<Item, {event: Event}>} item */
  #frame(item) {
    const revision = ++this.revision
    if ('start' in item) {
      const { attemptId, startedAfterSeq, turn, step } = item.start
      return { type: 'start', attemptId, revision, startedAfterSeq, turn, step }
    }
    if ('end' in item) return { type: 'end', attemptId: item.end.attemptId, revision, index: item.end.chunks.length, outcome: item.outcome }
    const { attemptId, index, time, chunk } = item
    return { type: 'chunk', attemptId, revision, index, time, chunk }
  }

  /** The state of the live frames, for a snapshot. */
  get stream() {
    const { revision, log: { attempt } } = this
    if (!attempt) return { revision }
    const { attemptId, startedAfterSeq, turn, step, chunks } = attempt
    return { revision, activeAttempt: { attemptId, startedAfterSeq, turn, step, nextIndex: chunks.length, stream: records(chunks) } }
  }
}

export class Journals {
  /** @type {Map<string, Journal>} */
  #journals = new Map()

  /**
   * @param {any} ctx @param {import('./catalog.mjs').Catalog} catalog @param {number} descriptorVersion
   */
  constructor(ctx, catalog, descriptorVersion) {
    this.ctx = ctx
    this.catalog = catalog
    this.descriptorVersion = descriptorVersion
    ctx.on('session/created', (/** @type {any} */ session) => {
      const journal = this.#live(session)
      journal.revision = journal.log.attempts = 0
    })
    ctx.on('session/event', (/** @type {any} */ session, /** @type {Event} */ event) => {
      const journal = this.#journals.get(session.id)
      if (journal?.log.taken === event.seq) journal.take(event)
      else this.#live(session)
      if (event.type === 'subagent/descriptor') this.#note(session, event.data)
    })
  }

  /**
   * A session's log, of an attached or a stored one. Unknown: session/not-found.
   * @param {string} sessionId
   * @returns {Promise<Journal>}
   */
  async of(sessionId) {
    const attached = this.ctx.sessions.get(sessionId)
    if (attached) return this.#live(attached)
    const { meta, events } = await this.inspect(sessionId)
    const since = this.ctx.sessions.get(sessionId)
    return since ? this.#live(since) : this.#feed(meta, events)
  }

  /** The log of an attached session; undefined for another. @param {string} sessionId */
  attached(sessionId) {
    const session = this.ctx.sessions.get(sessionId)
    return session && this.#live(session)
  }

  /**
   * A stored session, without waking it.
   * @param {string} sessionId
   * @returns {Promise<{meta: any, events: Event[]}>}
   */
  async inspect(sessionId) {
    const stored = await this.ctx.sessionPersistence.list()
    if (!stored.some((/** @type {any} */ meta) => meta.id === sessionId && meta.cwd !== undefined)) {
      throw new Failure('session/not-found', `session "${sessionId}" not found`, { sessionId })
    }
    return this.ctx.sessionPersistence.inspect(sessionId)
  }

  /** @param {any} session */
  #live(session) {
    return this.#feed(session.header, session.events)
  }

  /** @param {any} header @param {readonly Event[]} events */
  #feed(header, events) {
    let journal = this.#journals.get(header.id)
    if (journal && events.length < journal.log.taken) { // cut back: what follows it has a hole
      for (const { queue } of journal.followers) queue.end(new Error('the session log was cut back'))
      journal = undefined
    }
    if (!journal) {
      const insertions = (/** @type {number} */ old) => this.catalog.before(header.id, old)
      journal = new Journal(new ModernLog(header.id, insertions, this.descriptorVersion), header)
      this.#journals.set(header.id, journal)
    }
    journal.catchUp(events)
    return journal
  }

  /** @param {any} child @param {any} descriptor */
  #note(child, descriptor) {
    const parent = child.header.parentSession && this.ctx.sessions.get(child.header.parentSession)
    if (!parent) return
    this.#live(parent) // up to here
    this.catalog.note(parent.id, parent.seq, child.header, descriptor)
    this.#live(parent) // and the note
  }
}
