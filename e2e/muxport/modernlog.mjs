// @ts-check
/**
 * The log of a 0.1.0 session as a modern one.
 *
 * The two differ in what is durable. In 0.1.0 every piece of an answer is an event, `assistant/chunk`, with a seq of
 * its own; a modern log has none, but an `assistant/message` whose `stream` holds them as records, or, for an attempt
 * that gave no message, an `assistant/attempt`. A modern seq has no holes. So the log is folded anew:
 *
 *   - chunks are taken out and collected by attempt: those of one turn and step up to the message, or up to what shows
 *     that none comes (another try, a compaction, the end of the step or turn, a chunk after a finish);
 *   - an attempt without a message becomes an inserted `assistant/attempt`, at the place where that shows;
 *   - `subagent/catalog`, which 0.1.0 has not, is inserted into the parent's log where it was noted (Catalog);
 *   - what remains is numbered anew from 0, and every seq inside an event follows.
 *
 * The fold depends on the old events (and the noted insertions) alone, so that a log read again, also by another
 * process, has the same numbers.
 * @module
 */
import { records } from './records.mjs'

/** @typedef {{type: string, seq: number, time: number, data: any, surfaceOp?: any, sourceEventSeqs?: number[], ignorable?: true}} Event */
/** @typedef {{attemptId: string, startedAfterSeq: number, turn: number, step: number, chunks: import('./records.mjs').Timed[], finished: boolean}} Attempt */
/**
 * What one old event becomes, in order: events, and what is seen of an attempt while it is made.
 * @typedef {{event: Event} | {start: Attempt} | {chunk: any, time: number, index: number, attemptId: string} | {end: Attempt, outcome: any}} Item
 */

/** Old events after which an attempt without a message will not get one. */
const gaveUp = new Set(['llm/retry', 'llm/retry-started', 'compaction/start', 'step/end', 'turn/end'])

export class ModernLog {
  /** @type {Event[]} */
  events = []
  /** The modern seq as of each old one: of the event, or of the newest one at that time. @type {number[]} */
  #asOf = []
  /** @type {Attempt | undefined} */
  attempt
  /** Attempts so far, of this life of the agent: the next life uses their ids again. */
  attempts = 0
  #old = 0
  /** How many of the insertions before the next old event are in. */
  #inserted = 0

  /**
   * @param {string} sessionId
   * @param {(old: number) => Omit<Event, 'seq'>[]} insertions events to put in before an old seq
   * @param {number} descriptorVersion what `subagent/descriptor` says of its version
   */
  constructor(sessionId, insertions, descriptorVersion) {
    this.sessionId = sessionId
    this.insertions = insertions
    this.descriptorVersion = descriptorVersion
  }

  /** How many old events were taken. */
  get taken() { return this.#old }

  /** The newest seq; −1 for an empty log. */
  get lastSeq() { return this.events.length - 1 }

  /**
   * The modern seq of an old event, or of the newest one before it where it is none any more.
   * @param {number} old
   */
  seqOf(old) {
    return old < 0 ? -1 : this.#asOf[Math.min(old, this.#asOf.length - 1)] ?? -1
  }

  /** The newest old seq that a modern one reaches up to. @param {number} seq */
  oldOf(seq) {
    return this.#asOf.findLastIndex(asOf => asOf <= seq)
  }

  /** Puts in what is noted to come before the next old event. @returns {Item[]} */
  insert() {
    const events = this.insertions(this.#old).slice(this.#inserted)
    this.#inserted += events.length
    return events.map(event => ({ event: this.#push(event) }))
  }

  /**
   * Takes the next old event.
   * @param {Event} old
   * @returns {Item[]}
   */
  take(old) {
    if (old.seq !== this.#old) throw new Error(`seq ${old.seq} follows ${this.#old - 1}`)
    const out = this.insert()
    if (old.type === 'assistant/chunk') out.push(...this.#chunk(old))
    else out.push(...this.#event(old))
    this.#asOf[this.#old++] = this.lastSeq
    this.#inserted = 0
    return out
  }

  /** @param {Event} old @returns {Item[]} */
  #chunk({ time, data: { turn, step, chunk } }) {
    /** @type {Item[]} */
    const out = []
    if (this.attempt && (this.attempt.finished || this.attempt.turn !== turn || this.attempt.step !== step)) out.push(...this.#giveUp(time))
    if (!this.attempt) {
      this.attempt = { attemptId: `${this.sessionId}:${++this.attempts}`, startedAfterSeq: this.lastSeq, turn, step, chunks: [], finished: false }
      out.push({ start: this.attempt })
    }
    const { attempt } = this
    out.push({ chunk, time, index: attempt.chunks.length, attemptId: attempt.attemptId })
    attempt.chunks.push({ time, chunk })
    attempt.finished = chunk.type === 'finish'
    return out
  }

  /** @param {Event} old @returns {Item[]} */
  #event(old) {
    /** @type {Item[]} */
    const out = []
    if (old.type === 'assistant/message') {
      const { turn, step } = old.data
      if (this.attempt && (this.attempt.turn !== turn || this.attempt.step !== step)) out.push(...this.#giveUp(old.time))
      return [...out, ...this.#commit({ ...this.#convert(old), sourceEventSeqs: undefined })]
    }
    if (gaveUp.has(old.type)) out.push(...this.#giveUp(old.time))
    return [...out, { event: this.#push(this.#convert(old)) }]
  }

  /** Ends an attempt that gives no message. @param {number} time @returns {Item[]} */
  #giveUp(time) {
    if (!this.attempt) return []
    const { turn, step } = this.attempt
    return this.#commit({ type: 'assistant/attempt', time, data: { turn, step } })
  }

  /** Adds the event that an attempt ends in. @param {Omit<Event, 'seq'>} event @returns {Item[]} */
  #commit(event) {
    const { attempt } = this
    this.attempt = undefined
    const pushed = this.#push({ ...event, data: { ...event.data, stream: records(attempt?.chunks ?? []) } })
    if (!attempt) return [{ event: pushed }]
    return [{ event: pushed }, { end: attempt, outcome: { kind: 'committed', eventType: pushed.type, seq: pushed.seq } }]
  }

  /** @param {Omit<Event, 'seq'>} event @returns {Event} */
  #push({ type, time, data, ...rest }) {
    const event = /** @type {Event} */ ({ type, seq: this.events.length, time, data })
    for (const [key, value] of Object.entries(rest)) if (value !== undefined && key !== 'seq') Object.assign(event, { [key]: value })
    this.events.push(event)
    return event
  }

  /** An old event with modern names and seqs. @param {Event} old @returns {Event} */
  #convert(old) {
    const event = { ...old, data: this.#data(old) }
    if (old.sourceEventSeqs) {
      const seqs = this.#seqs(old.sourceEventSeqs)
      event.sourceEventSeqs = seqs.length > 0 ? seqs : undefined
    }
    if (old.surfaceOp?.op === 'replace') {
      event.surfaceOp = { op: 'replace', startSeq: this.seqOf(old.surfaceOp.start), endSeq: this.seqOf(old.surfaceOp.end) }
    }
    return event
  }

  /** @param {number[]} old */
  #seqs(old) {
    return [...new Set(old.map(seq => this.seqOf(seq)))]
  }

  /** @param {Event} old */
  #data({ type, data }) {
    switch (type) {
      case 'tool/result': return { ...data, message: toolMessage(data.message) }
      case 'request/header': {
        const { system: _, ...header } = data.header
        return { ...data, header }
      }
      case 'session/title':
      case 'session/title-llm-request':
        return data.messageSeqs === undefined ? data : { ...data, messageSeqs: this.#seqs(data.messageSeqs) }
      case 'command/done':
        return data.sourceEventSeq === undefined ? data : { ...data, sourceEventSeq: this.seqOf(data.sourceEventSeq) }
      case 'compaction/summary': {
        const { start, end } = data.shadowedRange
        return { ...data, shadowedRange: { start: this.seqOf(start), end: this.seqOf(end) }, shadowedSeqs: this.#seqs(data.shadowedSeqs) }
      }
      case 'subagent/descriptor': return { ...data, version: this.descriptorVersion }
    }
    return data
  }
}

/** 0.1.0 wraps a result into a block of its own. @param {any} message */
function toolMessage({ id, source, content: [result] }) {
  const { toolCallId, content, isError = false } = result
  return { id, role: 'tool', toolCallId, content, isError, source }
}
