// @ts-check
/**
 * One guest: a WebAssembly instance behind the canonical ABI of proto/wit/strata-plugin.wit. It carries values in
 * and out and enforces what the interface says; whose call it is, effects, deadlines and defaults are hot.mjs's.
 * The rules are those of wasm/conformance/README.md.
 * @module
 */
import { GuestMemory, Violation, cut } from './memory.mjs'
import { CODES, LIMITS, MESSAGES, PluginError, RULES, fill } from './messages.mjs'
import { wasiImports } from './wasi.mjs'

const GUEST = 'strata:plugin/guest@0.1.0#'
const HOST = 'strata:plugin/host@0.1.0'
const STATUS = /** @type {const} */ (['done', 'failed', 'waiting'])
const LEVEL = /** @type {const} */ (['debug', 'info', 'warn', 'error'])

export const HOST_IMPORTS = Object.freeze(['log', 'now', 'random', 'done', 'failed', 'effect'])
export const EXPORTS = Object.freeze(['memory', '_initialize', 'cabi_realloc',
  ...['describe', 'init', 'call', 'resume', 'cancel'].map(name => GUEST + name)])
export { HOST }

const encoder = new TextEncoder()

/**
 * @typedef {{token: number, kind: string, head: Uint8Array, value: unknown, body: Uint8Array}} Effect asked for in a step
 * @typedef {{ok: true, head: Uint8Array, value: any, body: Uint8Array} | {ok: false, error: PluginError}} End of a call
 * @typedef {{end?: End, effects: Effect[]}} Step what an export left behind: an end, or effects to carry out
 * @typedef {typeof LEVEL[number]} Level
 * @typedef {{log?: (level: Level, text: string) => void, stderr?: (text: string) => void, now?: () => number}} Sinks now: Unix milliseconds, the machine's clock when left out
 * @typedef {{id: number, sync: boolean, end?: End, effects: Effect[], open: Set<number>}} Frame
 */

export class Guest {
  /** Why it is dead; nothing enters it afterwards. @type {PluginError | undefined} */
  dead
  #exports
  #memory
  #sinks
  #stderr = ''
  /** The frame of the export on the stack. @type {Frame | undefined} */
  #frame
  /** Tokens of the open effects of each call that waits. @type {Map<number, Set<number>>} */
  #open = new Map()

  /**
   * Instantiates the module and runs _initialize.
   * @param {WebAssembly.Module} module
   * @param {Sinks} [sinks]
   * @throws {PluginError} `trap` when the start of the module traps
   */
  constructor(module, sinks = {}) {
    this.#sinks = sinks
    const stderr = (/** @type {string} */ text) => {
      if (this.#stderr.length < LIMITS.MaxLogBytes) this.#stderr += text
      this.#sinks.stderr?.(cut(text, LIMITS.MaxLogBytes))
    }
    const instance = new WebAssembly.Instance(module, {
      wasi_snapshot_preview1: wasiImports(() => this.#exports.memory, stderr),
      [HOST]: this.#imports(),
    })
    this.#exports = /** @type {any} */ (instance.exports)
    this.#memory = new GuestMemory(this.#exports.memory, this.#exports.cabi_realloc)
    this.#guard(undefined, () => this.#exports._initialize())
  }

  /** @returns {End} the manifest, or why there is none */
  describe() {
    return /** @type {End} */ (this.#enter(0, true, () => this.#exports[`${GUEST}describe`]()).end)
  }

  /** @param {string} plugin @param {Uint8Array} config @returns {End} */
  init(plugin, config) {
    const enter = () => this.#exports[`${GUEST}init`](...this.#memory.lower(encoder.encode(plugin)), ...this.#memory.lower(config))
    return /** @type {End} */ (this.#enter(0, true, enter).end)
  }

  /**
   * Starts a call and runs it until it ends or waits for effects only.
   * @param {number} id not in use
   * @param {{op: string, sync: boolean}} row
   * @param {Uint8Array} head @param {Uint8Array} body
   * @returns {Step}
   */
  call(id, { op, sync }, head, body) {
    return this.#enter(id, sync, () => this.#exports[`${GUEST}call`](
      id, ...this.#memory.lower(encoder.encode(op)), ...this.#memory.lower(head), ...this.#memory.lower(body)))
  }

  /**
   * Hands the answer of an open effect to its call.
   * @param {number} id @param {number} token @param {boolean} ok @param {Uint8Array} head @param {Uint8Array} body
   * @returns {Step}
   */
  resume(id, token, ok, head, body) {
    this.#open.get(id)?.delete(token)
    return this.#enter(id, false, () => this.#exports[`${GUEST}resume`](
      id, token, ok ? 1 : 0, ...this.#memory.lower(head), ...this.#memory.lower(body)))
  }

  /** Gives a call up: it is over for both sides. @param {number} id */
  cancel(id) {
    this.#open.delete(id)
    this.#guard(undefined, () => this.#exports[`${GUEST}cancel`](id))
  }

  /**
   * Runs one export and checks that its status and what it pushed agree.
   * @param {number} id @param {boolean} sync @param {() => number} run
   * @returns {Step}
   */
  #enter(id, sync, run) {
    /** @type {Frame} */
    const frame = { id, sync, effects: [], open: this.#open.get(id) ?? new Set() }
    this.#guard(frame, () => this.#settle(frame, run()))
    return frame
  }

  /**
   * Enters the guest with `frame` as the one it may push for. Whatever it throws is a trap: the guest is dead.
   * @param {Frame | undefined} frame @param {() => void} run
   */
  #guard(frame, run) {
    if (this.dead !== undefined) throw this.dead
    this.#frame = frame
    this.#stderr = ''
    try {
      run()
    } catch (error) {
      throw this.dead = this.#fault(error)
    } finally {
      this.#frame = undefined
    }
  }

  /** @param {Frame} frame @param {number} returned */
  #settle(frame, returned) {
    const status = STATUS[returned]
    if (status === undefined) throw new Violation(RULES.Enum)
    const { end, id, open } = frame
    if (status === 'waiting') {
      if (end !== undefined) throw new Violation(RULES.Status)
      if (id === 0) throw new Violation(RULES.CallZero)
      if (frame.sync) throw new Violation(RULES.SyncWait)
      if (open.size === 0) throw new Violation(RULES.Stuck)
      this.#open.set(id, open)
      return
    }
    if (end === undefined) throw new Violation(RULES.Silent)
    if (end.ok !== (status === 'done')) throw new Violation(RULES.Status)
    this.#open.delete(id)
  }

  /** @param {unknown} error @returns {PluginError} */
  #fault(error) {
    const rule = error instanceof Violation ? error.message : undefined
    const message = rule === undefined ? MESSAGES.Trap : fill(MESSAGES.Violation, { rule })
    const technical = rule ?? (error instanceof Error ? error.message : String(error))
    return new PluginError(CODES.Trap, message, { cause: error, details: this.#stderr.trim().split('\n')[0] || technical })
  }

  /** The frame that `id` may push for. @param {number} id @returns {Frame} */
  #mine(id) {
    const frame = this.#frame
    if (frame === undefined || frame.id !== id >>> 0) throw new Violation(RULES.Foreign)
    return frame
  }

  /** @param {Frame} frame @param {End} end */
  #finish(frame, end) {
    if (frame.end !== undefined) throw new Violation(RULES.Twice)
    frame.end = end
  }

  /** @param {Frame} frame @param {Effect} effect */
  #ask(frame, effect) {
    if (frame.end !== undefined) throw new Violation(RULES.AfterEnd)
    if (frame.id === 0) throw new Violation(RULES.CallZero)
    if (frame.sync) throw new Violation(RULES.Sync)
    if (frame.open.has(effect.token)) throw new Violation(RULES.Token)
    if (frame.open.size >= LIMITS.MaxOpenEffects) throw new Violation(RULES.TooMany)
    frame.open.add(effect.token)
    frame.effects.push(effect)
  }

  /** The imports of the world. They only enqueue. @returns {Record<string, (...values: number[]) => unknown>} */
  #imports() {
    return {
      now: () => BigInt((this.#sinks.now ?? Date.now)()),
      random: () => crypto.getRandomValues(new BigUint64Array(1))[0],
      log: (level = 0, at = 0, size = 0) => {
        const text = this.#memory.text(at, size)
        const name = LEVEL[level]
        if (name === undefined) throw new Violation(RULES.Enum)
        this.#sinks.log?.(name, cut(text, LIMITS.MaxLogBytes))
      },
      done: (id = 0, ...at) => {
        const frame = this.#mine(id)
        this.#finish(frame, { ok: true, ...this.#memory.payload(...at) })
      },
      failed: (id = 0, cp = 0, cn = 0, mp = 0, mn = 0) => {
        const frame = this.#mine(id)
        this.#finish(frame, { ok: false, error: new PluginError(this.#memory.text(cp, cn), this.#memory.text(mp, mn)) })
      },
      effect: (id = 0, token = 0, kp = 0, kn = 0, ...at) => {
        const frame = this.#mine(id)
        const kind = this.#memory.text(kp, kn)
        this.#ask(frame, { token: token >>> 0, kind, ...this.#memory.payload(...at) })
      },
    }
  }
}
