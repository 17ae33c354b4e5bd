// @ts-check
/**
 * Effects `session.read` and `session.commit`, on the Harness's live session log.
 * @module
 */
import { CODES, LIMITS, MESSAGES, PluginError } from '../messages.mjs'
import { expectHead } from './shape.mjs'

/**
 * @typedef {{type: string, seq: number, time: number, data: any, surfaceOp?: unknown}} SessionEvent
 * @typedef {object} Session the part of a Harness session that the shim uses
 * @property {string} id
 * @property {{cwd?: string, parentSession?: string, origin?: string, delegationDepth?: number}} header
 * @property {readonly SessionEvent[]} events
 * @property {number} seq the next event's
 * @property {{replaceGeneration: number}} surface
 * @property {(type: string, data: unknown, options?: {surfaceOp?: unknown, sourceEventSeqs?: number[]}) => SessionEvent} append
 * @typedef {{type: string, data: unknown, surfaceOp?: unknown, sourceEventSeqs?: number[]}} Item one event to append
 * @typedef {{get(id: string): Session | undefined, list(): Session[]}} SessionStore
 */

/** @param {SessionStore} sessions @returns {import('../hot.mjs').Effects} */
export function sessionEffects(sessions) {
  /** @param {string} id */
  const find = id => {
    const session = sessions.get(id)
    if (session === undefined) throw new PluginError(CODES.NotFound, MESSAGES.SessionMissing)
    return session
  }
  return {
    'session.read'({ kind, value }) {
      expectHead(kind, value, { session: 'string', from: 'whole', max: 'whole?' })
      const { seq, events } = find(value.session)
      const from = Math.max(value.from, 0)
      const end = from + Math.min(value.max || LIMITS.SessionEventsMax, LIMITS.MaxSessionEventsMax)
      return { value: { events: events.slice(from, end), revision: seq, ...(end < seq && { next: end }) } }
    },
    'session.commit'({ kind, value }) {
      expectHead(kind, value, { session: 'string', expect: 'record', events: 'records' })
      expectHead(kind, value.expect, { revision: 'whole', generation: 'whole' })
      for (const event of value.events) expectHead(kind, { ...event, data: 'data' in event }, { type: 'string', data: 'flag' })
      return { value: { seqs: commit(find(value.session), value.expect, plain(value.events)) } }
    },
  }
}

/** Without negative zero, which a session log refuses. @param {any} value */
const plain = value => JSON.parse(JSON.stringify(value))

/**
 * Checks and appends in one synchronous step.
 * @param {Session} session @param {{revision: number, generation: number}} expect
 * @param {Item[]} events
 * @returns {number[]} the seqs they got
 */
function commit(session, expect, events) {
  if (session.seq !== expect.revision || session.surface.replaceGeneration !== expect.generation) {
    throw new PluginError(CODES.Conflict, MESSAGES.Conflict)
  }
  rehearse(session, events)
  return events.map(({ type, data, ...options }) => session.append(type, data, surfaceOptions(options)).seq)
}

/** @param {{surfaceOp?: unknown, sourceEventSeqs?: number[]}} given @returns the surface options that are set */
function surfaceOptions({ surfaceOp, sourceEventSeqs }) {
  return { ...(surfaceOp != null && { surfaceOp }), ...(sourceEventSeqs != null && { sourceEventSeqs }) }
}

/**
 * Proves that every event will be taken, so that the commit never stops half way: the events are put through a
 * second surface over a copy of the log. One event alone is taken or refused whole by the log itself.
 * @param {Session} session @param {Item[]} events
 */
function rehearse(session, events) {
  if (events.length < 2) return
  const log = [...session.events]
  const Surface = /** @type {any} */ (session.surface.constructor)
  const surface = typeof Surface === 'function' ? new Surface(log) : undefined
  if (typeof surface?.validateNext !== 'function') {
    throw new PluginError(CODES.Refused, 'This Harness cannot take several events in one step.')
  }
  for (const { type, data, ...options } of events) {
    const event = { type, seq: log.length, time: Date.now(), data, ...surfaceOptions(options) }
    surface.validateNext(event)
    log.push(event)
  }
}
