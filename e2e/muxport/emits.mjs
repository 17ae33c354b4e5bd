// @ts-check
/**
 * What `$events` clients are told as it happens (harness-wire.md §4.2).
 * @module
 */
import { summary } from './summary.mjs'

/** Host events that are passed on as they are, and their modern names. @type {Record<string, string>} */
const forwarded = {
  'agent-preset/selected': 'agent-preset/selected',
  'commands/change': 'commands/change',
  'llm/adapters-updated': 'llm/adapters-updated',
  'settings/document-updated': 'settings/document-updated',
  'credentials/updated': 'credentials/reference-updated',
}

export class Emits {
  /**
   * @param {any} ctx
   * @param {import('./projections.mjs').Projections} projections
   * @param {(event: string, args: unknown[]) => void} emit to every client
   */
  constructor(ctx, projections, emit) {
    this.emit = emit
    const added = (/** @type {any} */ session) => emit('api-session/added', [summary(ctx, projections, session)])
    ctx.on('session/created', added)
    ctx.on('session/disposed', (/** @type {any} */ session) => emit('api-session/removed', [session.id]))
    ctx.on('agent/status', (/** @type {any} */ { agent, status }) => emit('api-session/status', [agent.id, status === 'running']))
    ctx.on('agent/error', (/** @type {any} */ { agent, error }) => this.error(agent.id, String(error?.message ?? error)))
    ctx.on('session/event', (/** @type {any} */ session, /** @type {any} */ event) => {
      if (event.type === 'user/message' && event.data.source.kind === 'user') emit('api-session/activity', [session.id, event.time])
      if (event.type === 'goal/change') emit('goal/activation-changed', [activation(session.id, event.data)])
    })
    if (projections.newer) { // agentAvailable has changed
      ctx.on('agent/created', (/** @type {any} */ { agent }) => added(agent.session))
      ctx.on('agent/disposed', (/** @type {any} */ { agent }) => { if (ctx.sessions.get(agent.id)) added(agent.session) })
    }
    for (const [old, name] of Object.entries(forwarded)) ctx.on(old, (/** @type {unknown[]} */ ...args) => emit(name, args))
  }

  /** A session's agent failed. @param {string} sessionId @param {string} message */
  error(sessionId, message) {
    this.emit('api-session/error', [sessionId, message])
  }
}

/** @param {string} sessionId @param {any} change */
function activation(sessionId, { operation, goal }) {
  if (!goal) return { sessionId }
  const armed = goal.phase === 'active' && ['create', 'resume', 'edit'].includes(operation)
  return { sessionId, goal: { id: goal.id, revision: goal.revision, activation: armed ? 'armed' : 'disarmed' } }
}
