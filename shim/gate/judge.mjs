// @ts-check
/**
 * One tool call through the gate's plugin: facts, the lookups they ask for, decide, and confirm for what must be
 * asked. Nothing is decided here: a fault becomes the op table's default, which asks, and what cannot be asked is a no.
 * @module
 */
import { realPaths } from '../lib/effects/paths.mjs'
import { GitSettingsReader } from '../lib/gitconfig.mjs'
import { LIMITS } from '../lib/messages.mjs'

/**
 * @typedef {import('../lib/hot.mjs').Instance} Instance
 * @typedef {import('../lib/effects/session.mjs').Session} Session
 * @typedef {{name: string, arguments: unknown, callId: string, signal: AbortSignal, agent?: {session: Session}}} Execution
 * @typedef {{decision: string, reason?: string, rule?: string, digest?: string}} Decision
 * @typedef {{allowed: boolean, reason?: string, digest: string}} Verdict
 */

/** What the model reads when even the op table is of no use. */
const NO = 'The person could not be asked about this call, so it did not run. Nothing was changed. Tell the person what you wanted to do.'

export class Judge {
  #instance
  #modes
  #git

  /** @param {Instance} instance the gate's plugin @param {import('./modes.mjs').Modes} modes */
  constructor(instance, modes) {
    this.#instance = instance
    this.#modes = modes
    this.#git = new GitSettingsReader((repository, listing) => instance.callSync('git', repository, listing).value)
  }

  /** The call as the plugin takes it. @param {Execution} exec */
  call(exec) {
    const session = exec.agent?.session
    const { root, mode, startMode } = this.#modes.of(session)
    const cwd = session?.header.cwd ?? process.cwd()
    return {
      tool: exec.name, arguments: exec.arguments, mode, ...(startMode && { startMode }), cwd, workspace: cwd,
      platform: process.platform, root, session: session?.id ?? '', callId: exec.callId,
    }
  }

  /** @param {Execution} exec @returns {Promise<Verdict>} */
  async verdict(exec) {
    const call = this.call(exec)
    const { decision, looked } = await this.decide(call)
    const digest = decision.digest || this.#digestOf(call)
    if (digest === undefined) return { allowed: false, reason: NO, digest: '' }
    if (decision.decision === 'allow') return { allowed: true, digest }
    if (decision.decision === 'deny') return { allowed: false, reason: decision.reason || NO, digest }
    return this.#confirm(exec, looked, { ...decision, digest })
  }

  /** The digest of a call as it stands now. @param {Execution} exec @returns {string | undefined} */
  digest(exec) {
    return this.#digestOf(this.call(exec))
  }

  /**
   * What the plugin says of a call, without asking anybody.
   * @param {ReturnType<Judge['call']>} call
   * @returns {Promise<{decision: Decision, looked: object}>} looked: the call with what was looked up
   */
  async decide(call) {
    try {
      const facts = this.#instance.callSync('facts', call)
      if (facts.fault !== undefined) throw facts.fault // without its facts the plugin would judge on the words alone
      const git = facts.value.git ? await this.#git.of(call.cwd) : undefined
      const looked = { ...call, git, realpaths: realPaths((facts.value.paths ?? []).slice(0, LIMITS.MaxPaths)) }
      return { decision: this.#instance.callSync('decide', looked).value, looked }
    } catch {
      return { decision: /** @type {Decision} */ (this.#instance.ops.get('decide')?.default ?? { decision: 'ask' }), looked: call }
    }
  }

  /** @param {object} call @returns {string | undefined} */
  #digestOf(call) {
    try {
      return this.#instance.callSync('digest', call).value.digest || undefined
    } catch {
      return undefined
    }
  }

  /** @param {Execution} exec @param {object} call @param {Decision & {digest: string}} decision @returns {Promise<Verdict>} */
  async #confirm(exec, call, decision) {
    const { digest } = decision
    try {
      const { value } = await this.#instance.call('confirm', { call, decision }, undefined, { signal: exec.signal, context: exec })
      return value.decision === 'allow' ? { allowed: true, digest } : { allowed: false, reason: value.message || NO, digest }
    } catch {
      const fallback = /** @type {{message?: string} | undefined} */ (this.#instance.ops.get('confirm')?.default)
      return { allowed: false, reason: fallback?.message ?? NO, digest }
    }
  }
}
