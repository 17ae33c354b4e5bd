// @ts-check
/**
 * `session/follow` and `session/page` (harness-wire.md §5.1, §5.2).
 * @module
 */
import { addressCheck, agentOf, resolve } from './address.mjs'
import { Failure } from './failure.mjs'
import { exactly, integer, oneOf } from './keys.mjs'
import { Queue } from './queue.mjs'
import { newest } from './window.mjs'

/** @typedef {import('./plugin.mjs').Parts} Parts */

/** @param {Parts} parts @returns {{streams: import('./plugin.mjs').Streams, calls: import('./plugin.mjs').Calls}} */
export function follow(parts) {
  const { ctx, journals, newer } = parts
  const address = addressCheck(newer)
  /** @type {Record<string, import('./keys.mjs').Check>} */
  const turnWindow = newer ? { 'turnWindow?': exactly({ minMessages: integer, minTurns: integer }) } : {}
  const yes = oneOf(true)
  return {
    streams: {
      'session/follow': {
        parameters: { request: exactly({ address, 'maxMessages?': integer, 'assistantStream?': yes, ...turnWindow }) },
        open: ({ request }, signal) => following(parts, request, signal),
      },
    },
    calls: {
      'session/page': {
        parameters: { request: exactly({ address, 'throughSeq': integer, 'beforeSeq?': integer, 'maxMessages?': integer, ...turnWindow }) },
        async call({ request: { address, throughSeq, beforeSeq = Infinity, maxMessages, turnWindow } }) {
          positive(maxMessages)
          const { log } = await resolve(ctx, journals, address)
          if (throughSeq < -1 || throughSeq > log.lastSeq) throw new Failure('gateway/bad-request', `throughSeq ${throughSeq} is beyond the log`)
          return newest(log.events.slice(0, Math.min(throughSeq + 1, beforeSeq)), maxMessages ?? turnWindow?.minMessages)
        },
      },
    },
  }
}

/** @param {Parts} parts @param {any} request @param {AbortSignal} signal */
async function* following({ ctx, journals, projections, emits, newer }, request, signal) {
  const { address, maxMessages, turnWindow, assistantStream = false } = request
  positive(maxMessages)
  const known = await resolve(ctx, journals, address)
  const values = await projections.of(known.header.id)
  const journal = await journals.of(known.header.id) // from here to the follower nothing can come between
  const { log } = journal
  const follower = { queue: /** @type {Queue<any>} */ (new Queue()), live: assistantStream }
  const sleeping = address.kind === 'session' && ctx.agents.get(journal.header.id) === undefined
  const snapshot = {
    type: 'snapshot',
    header: header(journal.header, newer),
    cursor: log.lastSeq,
    ...newest(log.events, maxMessages ?? turnWindow?.minMessages),
    projections: projections.attached(journal.header.id) ?? values,
    ...assistantStream ? { assistantStream: journal.stream } : {},
  }
  journal.followers.add(follower)
  try {
    yield snapshot
    if (sleeping) agentOf(ctx, journal.header.id).catch(error => emits.error(journal.header.id, String(error)))
    yield* follower.queue.read(signal)
  } finally {
    journal.followers.delete(follower)
  }
}

/** @param {number} [messages] */
function positive(messages = 1) {
  if (messages <= 0) throw new Failure('gateway/bad-request', 'maxMessages must be positive')
}

/** @param {any} old @param {boolean} newer */
function header({ id, createdAt, cwd, parentSession, seedLength = 0, origin, delegationDepth, agentPreset }, newer) {
  const optional = { cwd, parentSession, origin, delegationDepth, agentPreset }
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
  return { version: newer ? 4 : 3, id, createdAt, isSeeded: seedLength > 0, ...given }
}
