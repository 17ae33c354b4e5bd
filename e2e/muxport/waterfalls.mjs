// @ts-check
/**
 * Approvals and questions (harness-wire.md §4.4 to §4.6) over the services of 0.1.0. What is asked here is asked on the
 * older wire of the same process too: whichever answers first wins, and the other is told.
 * @module
 */

/** @typedef {import('./events.mjs').Outcome} Outcome */

const OUTCOMES = new Set(['allowed-once', 'rejected', 'cancelled', 'unavailable'])

export class Waterfalls {
  /** Where the in-process API keeps an approval: its rpcId by the approval's id. @type {Map<string, string>} */
  #approvals = new Map()
  /** @type {Map<string, {withdraw: () => void}>} */
  #questions = new Map()

  /** @param {any} ctx @param {import('./events.mjs').Events} events */
  constructor(ctx, events) {
    this.ctx = ctx
    this.events = events
    ctx.on('approval/request', (/** @type {any} */ request, /** @type {() => Promise<string>} */ next) => this.#approval(request, next), { prepend: true })
  }

  /** Takes a frame of the in-process API's downlink. @param {string} rpcId @param {any} payload */
  frame(rpcId, payload) {
    switch (payload.type) {
      case 'approval/requested': this.#approvals.set(payload.approvalId, rpcId); break
      case 'approval/resolved': this.#approvals.delete(payload.approvalId); break
      case 'question/requested': this.#question(rpcId, payload); break
      case 'question/resolved': this.#questions.get(payload.questionRpcId)?.withdraw(); break
    }
  }

  /** @param {any} request @param {() => Promise<string>} next the older wire's own asking */
  async #approval({ agent, toolName, callId, reason }, next) {
    const optional = Object.fromEntries(Object.entries({ callId, reason }).filter(([, value]) => value !== undefined))
    const approvalId = openApproval(agent.session.events, callId)
    const asked = this.events.ask('approval/request', agent.id, { toolName, ...optional })
    const elsewhere = next()
    const ours = asked.outcome.then(approved)
    const outcome = await Promise.race([ours, elsewhere])
    asked.withdraw()
    await this.#respond(this.#approvals.get(approvalId), { sessionId: agent.id, approvalId, outcome: outcome === 'allowed-once' ? outcome : 'rejected' })
    return outcome
  }

  /** @param {string} rpcId @param {any} payload */
  #question(rpcId, { sessionId, questions }) {
    const asked = this.events.ask('user-questions/request', sessionId, { questions })
    this.#questions.set(rpcId, asked)
    void asked.outcome.then(outcome => this.#answer(rpcId, sessionId, outcome))
  }

  /** @param {string} rpcId @param {string} sessionId @param {Outcome} outcome */
  async #answer(rpcId, sessionId, outcome) {
    this.#questions.delete(rpcId)
    if (outcome.kind === 'result') return this.#respond(rpcId, { sessionId, answer: outcome.value })
    const error = { code: 'cancelled', message: 'nobody answers', details: {} }
    await this.ctx.apiProxy.respond({ rpcId, result: { ok: false, error } })
  }

  /** @param {string | undefined} rpcId @param {any} value */
  async #respond(rpcId, value) {
    if (rpcId !== undefined) await this.ctx.apiProxy.respond({ rpcId, result: { ok: true, value } })
  }
}

/** @param {Outcome} outcome */
function approved(outcome) {
  return outcome.kind === 'result' && OUTCOMES.has(outcome.value) ? outcome.value : 'unavailable'
}

/**
 * The approval that a request is about: the newest of its call that is not decided.
 * @param {readonly any[]} events @param {string | undefined} callId
 */
function openApproval(events, callId) {
  const decided = new Set()
  for (const { type, data } of events.toReversed()) {
    if (type === 'approval/decided') decided.add(data.id)
    if (type === 'approval/asked' && data.callId === callId && !decided.has(data.id)) return data.id
  }
}
