// @ts-check
/**
 * The rows of `session/list` (harness-wire.md §6.1).
 * @module
 */

/**
 * An attached session's row.
 * @param {any} ctx @param {import('./projections.mjs').Projections} projections @param {any} session
 */
export function summary(ctx, projections, { id, header, events }) {
  const prompted = events.findLast((/** @type {any} */ e) => e.type === 'user/message' && e.data.source.kind === 'user')
  const agent = ctx.agents.get(id)
  return row(projections, {
    sessionId: id,
    updatedAt: Math.max(header.createdAt, prompted?.time ?? 0),
    running: agent?.status === 'running',
    blank: !events.some((/** @type {any} */ e) => e.type === 'turn/start'),
    parentSessionId: header.parentSession,
    origin: header.origin,
    cwd: header.cwd,
  }, agent !== undefined, projections.attached(id), 'sequenced')
}

/**
 * A row of 0.1.0 as a modern one.
 * @param {any} ctx @param {import('./projections.mjs').Projections} projections @param {any} old
 */
export function listed(ctx, projections, old) {
  const values = projections.attached(old.sessionId)
  if (values) return row(projections, old, ctx.agents.get(old.sessionId) !== undefined, values, 'sequenced')
  // What a sleeping session's cache says is a hint; as of which event, in the new numbers, only its log tells.
  const cached = old.projections && {
    asOfSeq: 0, values: Object.fromEntries(Object.entries(old.projections.values).map(([key, value]) => [key, projections.value(key, value)])),
  }
  return row(projections, old, false, cached, 'cached')
}

/**
 * @param {import('./projections.mjs').Projections} projections
 * @param {any} fields @param {boolean} agentAvailable @param {any} values @param {'sequenced' | 'cached'} kind
 */
function row({ newer }, { sessionId, updatedAt, running, blank, ...rest }, agentAvailable, values, kind) {
  const optional = {
    agentAvailable: newer ? agentAvailable : undefined,
    parentSessionId: rest.parentSessionId,
    origin: rest.origin,
    cwd: rest.cwd,
    projections: values && (newer ? { kind, ...values } : values),
  }
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
  return { sessionId, updatedAt, running, blank, ...given }
}
