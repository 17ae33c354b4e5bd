// @ts-check
/**
 * One tool call through the gate's plugin: facts, the lookups they ask for, decide, and confirm for what must be
 * asked. Nothing is decided here: a fault becomes the op table's default, which asks, and what cannot be asked is a no.
 * @module
 */
import { entriesOf, isFolder, realPaths } from '../lib/effects/paths.mjs'
import { GitSettingsReader } from '../lib/gitconfig.mjs'
import { LIMITS } from '../lib/messages.mjs'
import { Delegation } from './delegation.mjs'
import { subjectOf } from './journal.mjs'
import { strictest } from './modes.mjs'

/**
 * @typedef {import('../lib/hot.mjs').Instance} Instance
 * @typedef {import('../lib/effects/session.mjs').Session} Session
 * @typedef {{name: string, arguments: unknown, callId: string, signal: AbortSignal, agent?: {session: Session}}} Execution
 * @typedef {{decision: string, reason?: string, rule?: string, key?: string, args?: Record<string, string>, parts?: object[], digest?: string}} Decision
 * @typedef {ReturnType<Judge['call']>} Call
 * @typedef {{allowed: boolean, reason?: string, digest: string}} Verdict
 */

/** Chats without anybody that are remembered at once; as many as the plugin remembers. */
const MAX_UNATTENDED = 500

/** What the model reads when even the op table is of no use. */
const NO = 'The person could not be asked about this call, so it did not run. Nothing was changed. Tell the person what you wanted to do.'

export class Judge {
  #instance
  #modes
  #git
  #journal
  /** Questions under way, by session and call. @type {Map<string, {root: string, written: Promise<unknown>}>} */
  #asking = new Map()
  /** Root sessions of the newest chats where nobody is there to ask. @type {Set<string>} */
  #unattended = new Set()

  /**
   * @param {Instance} instance the gate's plugin
   * @param {import('./modes.mjs').Modes} modes
   * @param {Pick<import('./journal.mjs').Journal, 'add'>} [journal] gets what was decided without a question
   */
  constructor(instance, modes, journal) {
    this.#instance = instance
    this.#modes = modes
    this.#journal = journal
    this.delegation = new Delegation(modes)
    this.#git = new GitSettingsReader((repository, listing) => instance.callSync('git', repository, listing).value)
  }

  /** The call as the plugin takes it. @param {Execution} exec */
  call(exec) {
    return this.callOf(exec.agent?.session, exec)
  }

  /** A call of a session. @param {Session | undefined} session @param {{name: string, arguments: unknown, callId: string}} what */
  callOf(session, { name, arguments: args, callId }) {
    const { root, mode, startMode, said } = this.#modes.of(session)
    const cwd = session?.header.cwd ?? process.cwd()
    return {
      tool: name, arguments: args, mode, ...(startMode && { startMode }), cwd, workspace: cwd,
      platform: process.platform, root, session: session?.id ?? '', callId, ...(said && { said }),
      ...(this.#unattended.has(root) && { unattended: true }),
    }
  }

  /** Notes that nobody is there to ask in a chat. @param {string} root its session */
  markUnattended(root) {
    this.#unattended.delete(root)
    this.#unattended.add(root)
    for (const oldest of this.#unattended) {
      if (this.#unattended.size <= MAX_UNATTENDED) break
      this.#unattended.delete(oldest)
    }
  }

  /** @param {Execution} exec @returns {Promise<Verdict>} */
  async verdict(exec) {
    const call = this.call(exec)
    const { decision, looked } = await this.decide(call)
    const digest = decision.digest || this.#digestOf(call)
    if (digest === undefined) return { allowed: false, reason: NO, digest: '' }
    if (decision.decision === 'ask') {
      const key = keyOf(call.session, call.callId)
      const confirmed = this.#confirm(exec, looked, { ...decision, digest })
      const asking = { root: call.root, written: confirmed }
      this.#asking.set(key, asking)
      const verdict = await confirmed
      if (this.#asking.get(key) === asking) this.#asking.delete(key)
      return verdict.allowed ? this.#still(exec, call, verdict) : verdict
    }
    const { decision: decided, rule = '', reason = NO } = decision
    this.note(call, { decision: decided, rule, digest })
    return decided === 'allow' ? { allowed: true, digest } : { allowed: false, reason, digest }
  }

  /**
   * Writes a decision down that the plugin did not write down itself.
   * @param {Call} call @param {{decision: string, rule: string, by?: string, outcome?: string, digest?: string}} decided
   */
  note(call, decided) {
    this.#journal?.add({
      time: Date.now(), root: call.root, session: call.session, call: call.callId, tool: call.tool, what: subjectOf(call.arguments),
      mode: strictest(call.mode, call.startMode ?? ''), ...decided,
    })
  }

  /**
   * A yes, if the mode did not become one that refuses the call while the question was open.
   * @param {Execution} exec @param {Call} asked @param {Verdict} verdict @returns {Promise<Verdict>}
   */
  async #still(exec, asked, verdict) {
    const call = this.call(exec)
    if (call.mode === asked.mode && call.startMode === asked.startMode) return verdict
    const { decision: { decision, rule = '', reason = NO } } = await this.decide(call)
    if (decision !== 'deny') return verdict
    this.note(call, { decision, rule, digest: verdict.digest })
    return { allowed: false, reason, digest: verdict.digest }
  }

  /**
   * Waits until what was answered to a chat's question is in the decision log.
   * @param {string} root the chat's session @param {string} session the one that asked @param {string} callId
   */
  async settled(root, session, callId) {
    const asking = this.#asking.get(keyOf(session, callId))
    if (asking?.root === root) await asking.written
  }

  /** The digest of a call as it stands now. @param {Execution} exec @returns {string | undefined} */
  digest(exec) {
    return this.#digestOf(this.call(exec))
  }

  /**
   * What the plugin says of a call, without asking anybody.
   * @param {Call} call
   * @returns {Promise<{decision: Decision, looked: Call}>} looked: the call with what was looked up
   */
  async decide(call) {
    try {
      const facts = this.#instance.callSync('facts', call)
      if (facts.fault !== undefined) throw facts.fault // without its facts the plugin would judge on the words alone
      const delegation = facts.value.helpers
        ? { helpers: this.delegation.take(call.root, call.session, call.callId), provider: this.delegation.providerOf(call.root) }
        : {}
      const git = facts.value.git ? await this.#git.of(call.cwd) : undefined
      const realpaths = realPaths((facts.value.paths ?? []).slice(0, LIMITS.MaxPaths))
      for (const file of facts.value.files ?? []) if (isFolder(file)) realpaths[file] = ''
      for (const folder of facts.value.folders ?? []) Object.assign(realpaths, entriesOf(folder))
      const looked = { ...call, ...delegation, git, realpaths }
      return { decision: this.#instance.callSync('decide', { ...looked, brief: true }).value, looked }
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

  /** @param {Execution} exec @param {Call} call @param {Decision & {digest: string}} decision @returns {Promise<Verdict>} */
  async #confirm(exec, call, decision) {
    const { digest, rule = '' } = decision
    const asked = { call, decision, what: subjectOf(call.arguments) }
    try {
      const { value, fault } = await this.#instance.call('confirm', asked, undefined, { signal: exec.signal, context: { exec, call, decision } })
      if (fault !== undefined) throw fault
      return value.decision === 'allow' ? { allowed: true, digest } : { allowed: false, reason: value.message || NO, digest }
    } catch {
      const outcome = exec.signal.aborted ? 'cancelled' : 'unavailable'
      this.note(call, { decision: 'deny', rule, digest, outcome, by: exec.signal.aborted ? 'nobody' : 'fault' })
      const fallback = /** @type {{message?: string} | undefined} */ (this.#instance.ops.get('confirm')?.default)
      return { allowed: false, reason: fallback?.message ?? NO, digest }
    }
  }
}

/** @param {string} session @param {string} callId */
const keyOf = (session, callId) => JSON.stringify([session, callId])
