// @ts-check
/**
 * A plugin as the rest of the shim sees it: a lasting handle that serves one plugin. Behind it stands a guest,
 * dropped after a trap and made again at the next call; new bytes can be swapped in while calls run.
 *
 * Ops whose row says `worker` run in a thread of their own when they are called by `call` (thread.mjs), with a guest
 * of their own. In Node's main thread nothing can stop a guest that runs, so there deadlines hold between exports
 * only: a sync op's deadline is not enforced.
 * @module
 */
import { nextId, startGeneration } from './generation.mjs'
import { parseHead } from './memory.mjs'
import { CODES, MESSAGES, PluginError, asPluginError, fill } from './messages.mjs'
import { Thread } from './thread.mjs'

const encoder = new TextEncoder()
const EMPTY = new Uint8Array(0)
const FAULTS = new Set([CODES.Trap, CODES.Deadline, CODES.Panic])
const DRAIN_MS = 5_000

/**
 * @typedef {import('./abi.mjs').Level} Level
 * @typedef {import('./abi.mjs').End} End
 * @typedef {import('./abi.mjs').Step} Step
 * @typedef {import('./abi.mjs').Effect} Effect
 * @typedef {import('./module.mjs').PluginModule} PluginModule
 * @typedef {import('./generation.mjs').Op} Op
 * @typedef {import('./generation.mjs').Generation} Generation
 * @typedef {{head: Uint8Array, value: any, body: Uint8Array, fault?: PluginError}} Answer fault: the answer is the op's default, for this reason
 * @typedef {{kind: string, n: number, head: Uint8Array, value: any, body: Uint8Array}} EffectRequest n: from 1, in the order the call asked
 * @typedef {{plugin: string, op: string, context: any, signal: AbortSignal, ask: (op: string, head: unknown) => any}} EffectCall
 * signal: aborts when the call ends; ask: runs a sync op of the plugin itself, for an effect that it decides about
 * @typedef {{value?: unknown, head?: Uint8Array, body?: Uint8Array}} EffectAnswer
 * @typedef {(request: EffectRequest, call: EffectCall) => EffectAnswer | Promise<EffectAnswer>} EffectHandler
 * @typedef {Record<string, EffectHandler>} Effects
 * @typedef {{signal?: AbortSignal, context?: unknown}} CallOptions context: passed to the effects as it is
 * @typedef {{id: number, op: Op, asked: number, context: unknown, abort: AbortController, finish: (end: End) => void}} Call
 * @typedef {object} InstanceOptions
 * @property {PluginModule} module
 * @property {string} plugin
 * @property {unknown} [config] JSON value for init, or its bytes
 * @property {Effects} [effects]
 * @property {(level: Level, text: string) => void} [log]
 * @property {(text: string) => void} [stderr]
 * @property {(fault: PluginError) => void} [onTrap]
 * @property {() => number} [now] Unix milliseconds, for tests that have a clock of their own
 */

export class Instance {
  #options
  #config
  /** @type {Generation | undefined} */
  #now
  /** @type {Set<Generation>} */
  #all = new Set()
  /** @type {Map<string, Op>} */
  #ops = new Map()
  #closed = false
  /** That of the worker ops, while there is one. @type {Thread | undefined} */
  #thread
  /** How often a guest was made, and how many of them trapped. */
  stats = { started: 0, trapped: 0 }

  /**
   * Starts the first guest.
   * @param {InstanceOptions} options
   * @throws {PluginError} when the module does not serve this plugin
   */
  constructor(options) {
    this.#options = options
    this.#config = toBytes(options.config)
    this.#now = this.#start(options.module)
  }

  /** The op table of the module that serves now. */
  get ops() {
    return this.#ops
  }

  /** SHA-256 of the module that new calls run on. */
  get sha256() {
    return this.#options.module.sha256
  }

  /**
   * Runs one op.
   * @param {string} name
   * @param {unknown} [head] a JSON value, or the bytes of one
   * @param {Uint8Array} [body]
   * @param {CallOptions} [options]
   * @returns {Promise<Answer>} rejects with a PluginError
   */
  async call(name, head, body = EMPTY, { signal, context } = {}) {
    const { op, bytes } = this.#admit(name, head)
    if (op.worker) return this.#answer(op, await this.#apart(op, bytes, body, { ...(signal && { signal }), context }))
    if (op.sync) return this.callSync(name, bytes, body)
    if (signal?.aborted) throw cancelled()
    const from = this.#generation(op)
    if (!('guest' in from)) return from
    const end = await new Promise((/** @type {(end: End) => void} */ resolve) => {
      this.#begin(from, op, bytes, body, context, signal, resolve)
    })
    return this.#answer(op, end)
  }

  /**
   * Runs a sync op and gives its answer at once.
   * @param {string} name
   * @param {unknown} [head]
   * @param {Uint8Array} [body]
   * @returns {Answer}
   * @throws {PluginError}
   */
  callSync(name, head, body = EMPTY) {
    const { op, bytes } = this.#admit(name, head)
    if (!op.sync) throw new TypeError(`${name} is not a sync op`)
    const from = this.#generation(op)
    if (!('guest' in from)) return from
    let end
    try {
      end = from.guest.call(nextId(from), { op: name, sync: true }, bytes, body).end
    } catch (error) {
      end = { ok: /** @type {const} */ (false), error: this.#trapped(from, error) }
    }
    return this.#answer(op, /** @type {End} */ (end))
  }

  /**
   * Serves new calls from another module. Calls in flight end on the old one, at most `drainMs` later.
   * @param {PluginModule} module
   * @param {{drainMs?: number}} [options]
   * @throws {PluginError} when the new module does not start; the old one then stays
   */
  swap(module, { drainMs = DRAIN_MS } = {}) {
    const old = this.#now
    this.#now = this.#start(module)
    this.#options = { ...this.#options, module }
    const thread = this.#thread
    this.#thread = undefined
    if (thread !== undefined) setTimeout(() => thread.close(), drainMs).unref()
    if (old === undefined) return
    if (old.calls.size === 0) return void this.#all.delete(old)
    old.timer = setTimeout(() => this.#end(old), drainMs)
    old.timer.unref()
  }

  /** Ends all calls with `cancelled`; later ones end so too. */
  close() {
    this.#closed = true
    for (const generation of this.#all) this.#end(generation)
    this.#thread?.close()
    this.#now = undefined
  }

  /** @param {string} name @param {unknown} head */
  #admit(name, head) {
    if (this.#closed) throw cancelled()
    const op = this.#ops.get(name)
    if (op === undefined) throw new PluginError(CODES.UnknownOp, fill(MESSAGES.UnknownOp, { plugin: this.#options.plugin, op: name }))
    const bytes = toBytes(head)
    if (head instanceof Uint8Array) {
      try {
        parseHead(bytes)
      } catch (cause) {
        throw new PluginError(CODES.BadInput, MESSAGES.Head, { cause })
      }
    }
    return { op, bytes }
  }

  /** The running generation, or a fresh one; when none can be started, the op's default. @param {Op} op @returns {Generation | Answer} */
  #generation(op) {
    if (this.#now !== undefined) return this.#now
    try {
      return this.#now = this.#start(this.#options.module)
    } catch (error) {
      return withDefault(op, asPluginError(error))
    }
  }

  /** @param {PluginModule} from @returns {Generation} */
  #start({ module }) {
    const { plugin, log, stderr, now } = this.#options
    this.stats.started++
    const generation = startGeneration(module, plugin, this.#config, { ...(log && { log }), ...(stderr && { stderr }), ...(now && { now }) })
    this.#ops = generation.ops
    this.#all.add(generation)
    return generation
  }

  /**
   * @param {Generation} from @param {Op} op @param {Uint8Array} head @param {Uint8Array} body
   * @param {unknown} context @param {AbortSignal | undefined} signal @param {Call['finish']} resolve
   */
  #begin(from, op, head, body, context, signal, resolve) {
    const id = nextId(from)
    const abort = new AbortController()
    const onAbort = () => this.#giveUp(from, call, cancelled())
    const timer = op.deadlineMs ? setTimeout(() => this.#giveUp(from, call, deadline(op)), op.deadlineMs) : undefined
    signal?.addEventListener('abort', onAbort, { once: true })
    /** @type {Call} */
    const call = {
      id, op, asked: 0, context, abort,
      finish: end => {
        if (!from.calls.delete(id)) return
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        abort.abort()
        if (from !== this.#now && from.calls.size === 0) this.#end(from)
        resolve(end)
      },
    }
    from.calls.set(id, call)
    this.#step(from, call, () => from.guest.call(id, { op: op.name, sync: false }, head, body))
  }

  /** Runs an export of a call, then ends the call or starts the effects it asked for. @param {Generation} from @param {Call} call @param {() => Step} run */
  #step(from, call, run) {
    let step
    try {
      step = run()
    } catch (error) {
      return call.finish({ ok: false, error: this.#trapped(from, error, call) })
    }
    if (step.end !== undefined) return call.finish(step.end)
    for (const effect of step.effects) void this.#perform(from, call, effect)
  }

  /** Runs an op in the thread; a thread that cannot be started is a fault. @param {Op} op @param {Uint8Array} head @param {Uint8Array} body @param {CallOptions} options @returns {Promise<End>} */
  async #apart(op, head, body, options) {
    try {
      return await (this.#thread ??= this.#startThread()).call(op, head, body, options)
    } catch (error) {
      const { code, message, details } = asPluginError(error)
      return { ok: false, error: new PluginError(code === CODES.Cancelled || FAULTS.has(/** @type {any} */ (code)) ? code : CODES.Trap, message, { cause: error, ...(details && { details }) }) }
    }
  }

  #startThread() {
    const { module: { module }, plugin, log = () => {}, stderr = () => {}, onTrap } = this.#options
    this.stats.started++
    const thread = new Thread({
      module, plugin, config: this.#config, log, stderr,
      perform: (effect, { op, context, signal }) => this.#carryOut(effect, op, context, signal),
      onEnd: fault => {
        if (this.#thread === thread) this.#thread = undefined
        if (fault === undefined) return
        this.stats.trapped++
        onTrap?.(fault)
      },
    })
    return thread
  }

  /** Carries one effect out for the guest here. Never enters it before the export that asked has returned. @param {Generation} from @param {Call} call @param {Effect} effect */
  async #perform(from, call, effect) {
    const { ok, head, body } = await this.#carryOut({ ...effect, n: ++call.asked }, call.op, call.context, call.abort.signal)
    if (from.guest.dead !== undefined || from.calls.get(call.id) !== call) return // nobody waits any more
    this.#step(from, call, () => from.guest.resume(call.id, effect.token, ok, head, body))
  }

  /** @param {Effect & {n: number}} effect @param {Op} op @param {unknown} context @param {AbortSignal} signal @returns {Promise<import('./thread.mjs').Carried>} */
  async #carryOut({ kind, head, value, body, n }, op, context, signal) {
    try {
      const answer = await this.#handler(op, kind)({ kind, head, value, body, n }, {
        plugin: this.#options.plugin, op: op.name, context, signal,
        ask: (name, asked) => this.callSync(name, asked).value,
      })
      return { ok: true, head: answer.head ?? toBytes(answer.value ?? {}), body: answer.body ?? EMPTY }
    } catch (error) {
      const { code, message } = error instanceof PluginError ? error : this.#unexpected(op, kind, error)
      return { ok: false, head: toBytes({ code, message }), body: EMPTY }
    }
  }

  /** An effect that broke tells the plugin no more than that. @param {Op} op @param {string} kind @param {unknown} error */
  #unexpected(op, kind, error) {
    this.#options.log?.('warn', `effect ${kind} of ${op.name}: ${asPluginError(error).message}`)
    return new PluginError(CODES.Failed, fill(MESSAGES.EffectFailed, { kind }))
  }

  /** @param {Op} op @param {string} kind @returns {EffectHandler} */
  #handler(op, kind) {
    if (!op.effects?.includes(kind)) throw new PluginError(CODES.NotGranted, fill(MESSAGES.NotGranted, { op: op.name, kind }))
    const handler = this.#options.effects?.[kind]
    if (handler === undefined) throw new PluginError(CODES.Refused, fill(MESSAGES.NoEffect, { kind }))
    return handler
  }

  /** Ends a call from this side and tells the guest. @param {Generation} from @param {Call} call @param {PluginError} error */
  #giveUp(from, call, error) {
    if (from.calls.get(call.id) !== call) return
    call.finish({ ok: false, error })
    if (from.guest.dead !== undefined) return
    try {
      from.guest.cancel(call.id)
    } catch (cause) {
      this.#trapped(from, cause)
    }
  }

  /** Drops a guest that died: its other calls fail. Gives the error of the call that was entered. @param {Generation} from @param {unknown} error @param {Call} [entered] @returns {PluginError} */
  #trapped(from, error, entered) {
    const fault = asPluginError(error)
    this.stats.trapped++
    if (this.#now === from) this.#now = undefined
    const others = new PluginError(CODES.Trap, MESSAGES.Trap, { cause: fault })
    for (const call of [...from.calls.values()]) if (call !== entered) call.finish({ ok: false, error: others })
    this.#all.delete(from)
    this.#options.onTrap?.(fault)
    return fault
  }

  /** Gives up what still runs on a generation and drops it. @param {Generation} generation */
  #end(generation) {
    clearTimeout(generation.timer)
    this.#all.delete(generation)
    for (const call of [...generation.calls.values()]) this.#giveUp(generation, call, cancelled())
  }

  /** @param {Op} op @param {End} end @returns {Answer} */
  #answer(op, end) {
    if (end.ok) return { head: end.head, value: end.value, body: end.body }
    if (FAULTS.has(/** @type {any} */ (end.error.code))) return withDefault(op, end.error)
    throw end.error
  }
}

/** @param {Op} op @param {PluginError} fault @returns {Answer} @throws the fault, when the op has no default */
function withDefault(op, fault) {
  if (op.default === undefined || op.default === null) throw fault
  return { head: toBytes(op.default), value: structuredClone(op.default), body: EMPTY, fault }
}

/** @param {unknown} value @returns {Uint8Array} */
function toBytes(value) {
  if (value === undefined) return EMPTY
  return value instanceof Uint8Array ? value : encoder.encode(JSON.stringify(value))
}

const cancelled = () => new PluginError(CODES.Cancelled, MESSAGES.Cancelled)

/** @param {Op} op */
function deadline(op) {
  return new PluginError(CODES.Deadline, fill(MESSAGES.Deadline, { ms: /** @type {number} */ (op.deadlineMs) }))
}
