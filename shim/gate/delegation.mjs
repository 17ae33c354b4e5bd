// @ts-check
/**
 * How many helpers of a chat are at work: a fact that the gate's plugin decides on. A call that starts one counts from
 * the moment it is judged, so that of several calls at once none is missed, until its helper is there or it has ended.
 * @module
 */

/** @typedef {import('./modes.mjs').Session} Session */

export class Delegation {
  #modes
  /** Calls that are about to start a helper, by the session that called. @type {Map<string, Set<string>>} */
  #starting = new Map()

  /** @param {import('./modes.mjs').Modes} modes */
  constructor(modes) {
    this.#modes = modes
  }

  /**
   * Counts, then takes the call in.
   * @param {string} root @param {string} session that calls @param {string} callId
   * @returns {number} helpers of the root session that are at work or about to be, without this call's
   */
  take(root, session, callId) {
    const atWork = this.#modes.helpersOf(root)
    let count = atWork.filter(({ busy }) => busy).length
    for (const caller of [root, ...atWork.map(({ id }) => id)]) {
      if (!this.#modes.inTurn(caller)) this.#starting.delete(caller) // what was denied elsewhere has no end
      count += this.#starting.get(caller)?.size ?? 0
    }
    if (this.#starting.get(session)?.has(callId)) return count - 1 // it is judged once more
    this.#starting.set(session, (this.#starting.get(session) ?? new Set()).add(callId))
    return count
  }

  /** The provider whose limit holds. @param {string} root */
  providerOf(root) {
    return this.#modes.providerOf(root)
  }

  /** A helper is there: one of its parent's calls counts no more. @param {string} parent its session */
  born(parent) {
    for (const oldest of this.#starting.get(parent) ?? []) return this.release(parent, oldest)
  }

  /** A call has ended, or was refused. @param {string} session @param {string} callId */
  release(session, callId) {
    const calls = this.#starting.get(session)
    if (calls?.delete(callId) && calls.size === 0) this.#starting.delete(session)
  }
}
