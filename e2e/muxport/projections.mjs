// @ts-check
/**
 * Projections as the modern wire has them (harness-wire.md §5.4): the values of 0.1.0, the ones that 0.2.x has beside
 * them, and modern seqs.
 * @module
 */

export class Projections {
  /** @param {any} ctx @param {import('./journals.mjs').Journals} journals @param {boolean} newer whether it is 0.2.x */
  constructor(ctx, journals, newer) {
    this.ctx = ctx
    this.journals = journals
    this.newer = newer
  }

  /**
   * All values of a session as of now, without waking it.
   * @param {string} sessionId
   * @returns {Promise<{asOfSeq: number, values: Record<string, unknown>}>}
   */
  async of(sessionId) {
    const attached = this.attached(sessionId)
    if (attached) return attached
    const { events } = await this.journals.inspect(sessionId)
    const journal = await this.journals.of(sessionId)
    return this.attached(sessionId) ?? this.#modern(journal, this.ctx.sessionProjections.restore({}, events, 0).snapshot, undefined)
  }

  /**
   * Those of an attached session.
   * @param {string} sessionId
   * @returns {{asOfSeq: number, values: Record<string, unknown>} | undefined}
   */
  attached(sessionId) {
    const session = this.ctx.sessions.get(sessionId)
    const journal = this.journals.attached(sessionId)
    return session && journal && this.#modern(journal, this.ctx.sessionProjections.snapshot(session), this.ctx.agents.get(sessionId))
  }

  /** @param {any} journal @param {{asOfSeq: number, values: any}} old @param {any} agent */
  #modern({ log }, old, agent) {
    const values = Object.fromEntries(Object.entries(old.values).map(([key, value]) => [key, this.value(key, value)]))
    if (this.newer) {
      values.inbox = inbox(agent)
      values.subagentCatalog = log.events.filter((/** @type {any} */ e) => e.type === 'subagent/catalog').map(child)
    }
    return { asOfSeq: log.seqOf(old.asOfSeq), values }
  }

  /** One value. @param {string} key @param {any} value */
  value(key, value) {
    return key === 'permissions' && this.newer ? { currentValue: value.currentValue } : value
  }
}

/** What waits, by where it goes. @param {any} agent */
export function inbox(agent) {
  return { 'next-turn': [...agent?.inbox.nextTurn ?? []], 'next-step': [...agent?.inbox.nextStep ?? []] }
}

/** @param {import('./modernlog.mjs').Event} event */
function child({ data: { childId, childCreatedAt, mode, label } }) {
  return { id: childId, createdAt: childCreatedAt, mode, ...label === undefined ? {} : { label } }
}
