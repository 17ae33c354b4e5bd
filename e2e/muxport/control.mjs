// @ts-check
/**
 * `session/control` in both of its shapes (harness-wire.md §5.3).
 * @module
 */
import { inbox } from './projections.mjs'
import { Queue } from './queue.mjs'

/** @typedef {import('./plugin.mjs').Parts} Parts */

export class Control {
  /** @type {Set<Queue<any>>} */
  #clients = new Set()
  /** What is running beside the chats, by session. @type {Map<string, any[]>} */
  #jobs = new Map()

  /** @param {Omit<Parts, 'control'>} parts */
  constructor(parts) {
    this.parts = parts
    const { ctx, journals, projections, newer } = parts
    // A value is told of before its event is taken here; its seq is known a moment later.
    const later = (/** @type {string} */ sessionId, /** @type {string} */ key, /** @type {() => unknown} */ value, /** @type {number} */ old) => {
      queueMicrotask(() => {
        const seq = journals.attached(sessionId)?.log.seqOf(old)
        if (seq !== undefined) this.#tell({ type: 'projection', sessionId, key, value: value(), seq })
      })
    }
    ctx.sessionProjections.onChanged((/** @type {any} */ session, /** @type {string} */ key, /** @type {any} */ value, /** @type {number} */ old) => {
      later(session.id, key, () => projections.value(key, value), old)
    })
    if (!newer) return
    ctx.on('session/event', (/** @type {any} */ session, /** @type {any} */ { type, seq }) => {
      if (type === 'agent/inbox/spliced') later(session.id, 'inbox', () => inbox(ctx.agents.get(session.id)), seq)
      const parent = session.header.parentSession
      if (type === 'subagent/descriptor' && ctx.sessions.get(parent)) {
        later(parent, 'subagentCatalog', () => projections.attached(parent)?.values.subagentCatalog, ctx.sessions.get(parent).seq - 1)
      }
    })
  }

  /** Takes a frame of the in-process API's downlink. @param {any} payload */
  frame({ type, sessionId, items, jobs }) {
    if (this.parts.newer) return
    if (type === 'session/queue') this.#tell({ type: 'queue', sessionId, items: items.map(queueItem) })
    if (type === 'session/jobs') {
      this.#jobs.set(sessionId, jobs)
      this.#tell({ type: 'jobs', sessionId, jobs })
    }
  }

  /** The stream. @param {AbortSignal} signal */
  async *open(signal) {
    const queue = /** @type {Queue<any>} */ (new Queue())
    queue.push({ type: 'baseline', value: this.#baseline() })
    this.#clients.add(queue)
    try {
      yield* queue.read(signal)
    } finally {
      this.#clients.delete(queue)
    }
  }

  #baseline() {
    const { ctx, projections, newer } = this.parts
    /** @type {string[]} */
    const ids = ctx.sessions.list().map((/** @type {any} */ session) => session.id)
    const of = (/** @type {(id: string) => unknown} */ value) => Object.fromEntries(ids.map(id => [id, value(id)]))
    const values = of(id => projections.attached(id))
    if (newer) return { projections: values }
    return { queues: of(id => queued(ctx.agents.get(id))), jobs: of(id => this.#jobs.get(id) ?? []), projections: values }
  }

  /** @param {object} frame */
  #tell(frame) {
    for (const queue of this.#clients) queue.push(frame)
  }
}

/** What waits, as 0.1.5 lists it. @param {any} agent */
function queued(agent) {
  const { 'next-turn': turn, 'next-step': step } = inbox(agent)
  return [
    ...turn.map(message => queueItem({ id: message.id, placement: 'queued', message })),
    ...step.map(message => queueItem({ id: message.id, placement: message.source.kind === 'user' ? 'steering' : 'context', message })),
  ]
}

/** @param {any} item */
function queueItem({ id, placement, message }) {
  const rpcId = message.source.rpcId === undefined ? {} : { rpcId: message.source.rpcId }
  return { id, placement, ...rpcId, message: { id: message.id, content: message.content } }
}
