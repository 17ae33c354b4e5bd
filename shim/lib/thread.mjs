// @ts-check
/**
 * A guest in a thread of its own, for ops whose row says `worker`: what takes its time there holds nobody up here, and
 * what does not end is stopped. It shares nothing with the guest of the main thread. Effects are carried out here.
 * @module
 */
import { Worker } from 'node:worker_threads'
import { CODES, LIMITS, MESSAGES, PluginError, fill } from './messages.mjs'

/** How long a thread that nobody uses is kept, at most: another page may follow. */
const IDLE_MS = 60_000

/**
 * @typedef {import('./generation.mjs').Op} Op
 * @typedef {import('./abi.mjs').End} End
 * @typedef {import('./abi.mjs').Effect} Effect
 * @typedef {{op: Op, context: unknown, signal: AbortSignal}} Caller whose effect is carried out
 * @typedef {{ok: boolean, head: Uint8Array, body: Uint8Array}} Carried
 * @typedef {{id: number, op: Op, asked: number, context: unknown, abort: AbortController, finish: (end: End) => void}} Call
 * @typedef {object} ThreadOptions
 * @property {WebAssembly.Module} module
 * @property {string} plugin
 * @property {Uint8Array} config
 * @property {(effect: Effect & {n: number}, caller: Caller) => Promise<Carried>} perform
 * @property {(level: import('./abi.mjs').Level, text: string) => void} log
 * @property {(text: string) => void} stderr
 * @property {(fault?: PluginError) => void} onEnd it is gone; fault: because the guest died
 * @property {number} [idleMs] how long it is kept unused
 */

export class Thread {
  #options
  #worker
  /** @type {Map<number, Call>} */
  #calls = new Map()
  /** Of the messages that the guest has not answered, in order: whose they are. The first one is being run. @type {number[]} */
  #sent = []
  #last = 0
  #over = false
  /** @type {NodeJS.Timeout | undefined} */
  #step
  /** @type {NodeJS.Timeout | undefined} */
  #idle
  #ready = /** @type {PromiseWithResolvers<void>} */ (Promise.withResolvers())

  /** @param {ThreadOptions} options */
  constructor({ module, plugin, config, ...options }) {
    this.#options = options
    this.#worker = new Worker(new URL('./threadguest.mjs', import.meta.url), { workerData: { module, plugin, config }, env: {}, execArgv: [] })
    this.#worker.unref()
    this.#worker.on('message', message => this.#told(message))
    this.#worker.on('error', cause => this.#die(new PluginError(CODES.Trap, MESSAGES.Trap, { cause, details: cause.message })))
    this.#ready.promise.catch(() => {}) // told to each call
  }

  /**
   * Runs one op to its end.
   * @param {Op} op @param {Uint8Array} head @param {Uint8Array} body
   * @param {import('./hot.mjs').CallOptions} options
   * @returns {Promise<End>} rejects when there is no guest
   */
  async call(op, head, body, { signal, context }) {
    await this.#ready.promise
    if (this.#over) throw new PluginError(CODES.Trap, MESSAGES.Trap)
    clearTimeout(this.#idle)
    return new Promise(resolve => {
      const id = this.#nextId()
      const abort = new AbortController()
      const onAbort = () => this.#giveUp(call, new PluginError(CODES.Cancelled, MESSAGES.Cancelled))
      const timer = op.deadlineMs ? setTimeout(() => this.#late(call), op.deadlineMs) : undefined
      /** @type {Call} */
      const call = {
        id, op, asked: 0, context, abort,
        finish: end => {
          if (!this.#calls.delete(id)) return
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          abort.abort()
          this.#rest()
          resolve(end)
        },
      }
      this.#calls.set(id, call)
      this.#send({ do: 'call', id, row: { op: op.name, sync: op.sync === true }, head, body })
      signal?.addEventListener('abort', onAbort, { once: true })
      if (signal?.aborted) onAbort()
    })
  }

  /** Ends it and, with `cancelled`, its calls. */
  close() {
    const error = new PluginError(CODES.Cancelled, MESSAGES.Cancelled)
    this.#stop(error)
    for (const call of [...this.#calls.values()]) call.finish({ ok: false, error })
  }

  /** @param {{do: string, id: number} & Record<string, unknown>} message */
  #send(message) {
    if (this.#over) return
    this.#sent.push(message.id)
    if (this.#sent.length === 1) this.#watch()
    this.#worker.postMessage(message)
  }

  /** No single export runs longer than it may. */
  #watch() {
    clearTimeout(this.#step)
    if (this.#sent.length === 0) return
    const ms = LIMITS.MaxStepMs
    this.#step = setTimeout(() => this.#die(new PluginError(CODES.Deadline, fill(MESSAGES.Step, { ms }))), ms)
    this.#step.unref()
  }

  /** @param {any} message */
  #told(message) {
    switch (message.on) {
      case 'ready': return this.#ready.resolve()
      case 'log': return this.#options.log(message.level, message.text)
      case 'stderr': return this.#options.stderr(message.text)
      case 'refused': {
        const error = revive(message.error)
        this.#ready.reject(error)
        return this.#stop(error)
      }
      case 'dead': return this.#die(revive(message.error))
    }
    this.#sent.shift()
    this.#watch()
    const call = this.#calls.get(message.id)
    if (call === undefined) return // given up meanwhile
    if (message.end !== undefined) return call.finish(message.end.ok ? message.end : { ok: false, error: revive(message.end.error) })
    for (const effect of message.effects ?? []) void this.#perform(call, effect)
  }

  /** @param {Call} call @param {Effect} effect */
  async #perform(call, effect) {
    const { ok, head, body } = await this.#options.perform({ ...effect, n: ++call.asked }, { op: call.op, context: call.context, signal: call.abort.signal })
    if (this.#calls.get(call.id) === call) this.#send({ do: 'resume', id: call.id, token: effect.token, ok, head, body })
  }

  /** The deadline of a call has passed: whoever is inside an export of it is stopped. @param {Call} call */
  #late(call) {
    const error = new PluginError(CODES.Deadline, fill(MESSAGES.Deadline, { ms: call.op.deadlineMs ?? 0 }))
    if (this.#sent[0] === call.id) this.#die(error)
    else this.#giveUp(call, error)
  }

  /** @param {Call} call @param {PluginError} error */
  #giveUp(call, error) {
    if (this.#calls.get(call.id) !== call) return
    call.finish({ ok: false, error })
    this.#send({ do: 'cancel', id: call.id })
  }

  /** The guest is gone: the call whose export ran fails with why, the others with `trap`. @param {PluginError} fault */
  #die(fault) {
    if (this.#over) return
    const [running] = this.#sent
    this.#stop(fault)
    const others = new PluginError(CODES.Trap, MESSAGES.Trap, { cause: fault })
    for (const call of [...this.#calls.values()]) call.finish({ ok: false, error: call.id === running ? fault : others })
  }

  /** @param {PluginError} why */
  #stop(why) {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#step)
    clearTimeout(this.#idle)
    this.#ready.reject(why)
    void this.#worker.terminate()
    this.#options.onEnd(why.code === CODES.Cancelled ? undefined : why)
  }

  /** Ends a thread that nobody uses after a while. */
  #rest() {
    if (this.#calls.size > 0 || this.#over) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.close(), this.#options.idleMs ?? IDLE_MS)
    this.#idle.unref()
  }

  #nextId() {
    do this.#last = (this.#last + 1) >>> 0
    while (this.#last === 0 || this.#calls.has(this.#last) || this.#sent.includes(this.#last))
    return this.#last
  }
}

/** @param {{code: string, message: string, details?: string}} error */
const revive = ({ code, message, details }) => new PluginError(code, message, { ...(details !== undefined && { details }) })
