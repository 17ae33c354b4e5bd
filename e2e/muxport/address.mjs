// @ts-check
/**
 * Which session a request means (harness-wire.md §5.1).
 * @module
 */
import { Failure } from './failure.mjs'
import { id, oneOf, tagged } from './keys.mjs'

/** @typedef {{kind: 'session', sessionId: string} | {kind: 'subagent', parentSessionId: string, childSessionId: string, mode: string}} Address */

/** @param {boolean} newer whether it is 0.2.x @returns {import('./keys.mjs').Check} */
export const addressCheck = newer => tagged('kind', {
  session: { sessionId: id },
  subagent: { parentSessionId: id, childSessionId: id, mode: newer ? oneOf('one-shot', 'continuable', 'unknown') : oneOf('one-shot', 'continuable') },
})

/**
 * The log that an address leads to.
 * @param {any} ctx @param {import('./journals.mjs').Journals} journals @param {Address} address
 */
export async function resolve(ctx, journals, address) {
  if (address.kind === 'session') {
    const journal = await journals.of(address.sessionId)
    if (journal.header.origin === 'subagent') throw ownedBySubagents(address.sessionId)
    return journal
  }
  const { parentSessionId, childSessionId, mode } = address
  const ids = { parentSessionId, childSessionId }
  const journal = await journals.of(childSessionId).catch(error => {
    throw error instanceof Failure && error.code === 'session/not-found' ? new Failure('subagent/not-found', `no subagent "${childSessionId}"`, ids) : error
  })
  const foreign = (/** @type {string} */ why) => new Failure('subagent/unauthorized', why, { childSessionId })
  if (journal.header.origin !== 'subagent' || journal.header.parentSession !== parentSessionId) throw foreign('the subagent is not this session\'s')
  const entry = (await ctx.subagents.listChildren(parentSessionId)).find((/** @type {any} */ one) => one.id === childSessionId)
  if (entry === undefined || entry.kind === 'diagnostic') { // it has no descriptor: not yet, or its log is broken
    const reason = entry?.reason ?? 'corrupt'
    throw new Failure('subagent/catalog-diagnostic', `subagent "${childSessionId}" is ${reason}`, { ...ids, reason })
  }
  if (mode !== 'unknown' && entry.mode !== mode) throw foreign(`the subagent is not ${mode}`)
  return journal
}

/** @param {string} sessionId */
export function ownedBySubagents(sessionId) {
  return new Failure('session/agent-busy', `session "${sessionId}" is owned by subagent routing`, { reason: 'use the subagent methods' })
}

/**
 * The live agent of an ordinary session; one that sleeps is woken.
 * @param {any} ctx @param {string} sessionId
 * @returns {Promise<any>} undefined for a session that is not there
 */
export async function agentOf(ctx, sessionId) {
  const live = ctx.agents.get(sessionId)
  if (live) {
    if (live.session.header.origin === 'subagent') throw ownedBySubagents(sessionId)
    return live
  }
  // The in-process API wakes a session for every call that needs its agent; this one changes nothing.
  const { result } = await ctx.apiProxy.sessions.models({ rpcId: 'muxport', payload: { sessionId } })
  if (!result.ok && result.error.code === 'agent-busy') throw ownedBySubagents(sessionId)
  if (!result.ok && result.error.code !== 'session-not-found') throw new Error(result.error.message)
  return ctx.agents.get(sessionId)
}
