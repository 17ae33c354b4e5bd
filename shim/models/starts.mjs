// @ts-check
/**
 * Puts a helper agent on a model where the Harness's own tool cannot: the tool runs as it is, and what it asks the
 * Harness's service for gets the model on the way. So foreground, background and continuable helpers, their limits,
 * results and errors stay the Harness's own.
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { hasMethods } from '../lib/probe.mjs'
import { wrapMethod } from '../lib/wrap.mjs'

/**
 * A helper that is to be started.
 * @typedef {object} Wanted
 * @property {string} label for messages
 * @property {{provider: string, model: string}} [on] nothing leaves it to the Harness
 * @property {string} [effort] thinking level
 * @property {boolean} [named] whether the call named the model: then no other will do
 */

export class Starts {
  #service
  /** @type {AsyncLocalStorage<Wanted & {taken?: boolean, born?: boolean}>} */
  #wanted = new AsyncLocalStorage()
  /** The model of each helper that was born here, for messages. @type {WeakMap<any, string>} */
  #labels = new WeakMap()
  /** Helpers that reported to their parent since they were last told of. @type {WeakSet<any>} */
  #reported = new WeakSet()

  /** @param {any} service the Harness's, of helper agents */
  constructor(service) {
    this.#service = service
  }

  /** Whether helpers can be put on a model here. */
  get possible() {
    return hasMethods(this.#service, 'start')
  }

  /** Whether the end of a helper in the background can be told with its reason. Where there are none, nothing is amiss. */
  get tells() {
    return !hasMethods(this.#service, 'startContinuable') || hasMethods(this.#service.continuations, 'notifySettlement')
  }

  /** Takes its place in the service. @returns {() => void} leaves it */
  mount() {
    const starts = this
    const undo = [
      wrapMethod(this.#service, 'start', original => async function (/** @type {any[]} */ ...[provider, request, ...rest]) {
        const wanted = starts.#take()
        // @ts-ignore the service's own this
        const run = await original.call(this, provider, placed(request, wanted), ...rest)
        return wanted === undefined ? run : { ...run, dispose: () => run.dispose(), result: run.result.then((/** @type {any} */ result) => told(result, run, wanted)) }
      }),
      wrapMethod(this.#service, 'startContinuable', original => function (/** @type {any[]} */ ...[spec, ...rest]) {
        // @ts-ignore the service's own this
        return original.call(this, { ...spec, request: placed(spec.request, starts.#take()) }, ...rest)
      }),
      wrapMethod(this.#service, 'reportFrom', original => async function (/** @type {any[]} */ ...[agent, ...rest]) {
        // @ts-ignore the service's own this
        const id = await original.call(this, agent, ...rest)
        starts.#reported.add(agent)
        return id
      }),
      // What the Harness tells a parent of a helper in the background; no public method is on that way.
      wrapMethod(this.#service?.continuations, 'notifySettlement', original => function (/** @type {any[]} */ ...[activation, end, ...rest]) {
        // @ts-ignore the manager's own this
        return original.call(this, activation, starts.#settled(activation, end), ...rest)
      }),
    ]
    return () => undo.reverse().forEach(restore => restore())
  }

  /**
   * Runs the Harness's tool, whose helper is to be on a model.
   * @template T
   * @param {Wanted} wanted @param {() => Promise<T>} tool
   * @returns {Promise<T>}
   */
  async run(wanted, tool) {
    if (!this.possible) {
      if (wanted.named) throw new Error(`Nothing was started: this Harness starts helpers in another way, so none can be put on ${wanted.label}. Without \`model\` one runs on the chat’s own.`)
      return tool()
    }
    const one = { ...wanted }
    const value = await this.#wanted.run(one, tool)
    if (one.named && !('taken' in one)) throw new Error(`The helper could not be put on ${one.label}: this Harness starts helpers in another way.`)
    return value
  }

  /** An agent is there: where it is the helper, it gets its thinking level. @param {any} agent */
  created(agent) {
    const wanted = this.#wanted.getStore()
    if (wanted?.taken !== true || wanted.born === true) return
    wanted.born = true
    this.#labels.set(agent, wanted.label)
    const { on, effort } = wanted
    if (on === undefined || effort === undefined) return
    agent.ctx.on('agent/request', async (/** @type {unknown} */ _, /** @type {() => Promise<any>} */ next) => {
      const request = await next()
      const same = request.provider === on.provider && request.model === on.model
      return same ? { ...request, reasoningEffort: effort } : request
    })
  }

  /** The end of a helper in the background, as its parent is to read it. @param {any} activation @param {any} end */
  #settled(activation, end) {
    const agent = activation?.handle?.agent
    const turn = lastEnd(agent)
    const answered = this.#reported.delete(agent) || turn?.reason?.kind !== 'completed'
    const label = this.#labels.get(agent) ?? modelOf(agent) ?? 'its model'
    const why = reason({ ...end, structured: answered || undefined }, turn, label)
    return why === undefined ? end : { ...end, stopReason: 'error', output: [{ type: 'text', text: why }, ...isEmpty(end.output) ? [] : end.output] }
  }

  /** What the next start is for. Helpers of the helper are not, although they are started from within. */
  #take() {
    const wanted = this.#wanted.getStore()
    if (wanted === undefined || wanted.taken === true) return undefined
    wanted.taken = true
    return wanted
  }
}

/** @param {any} request @param {Wanted | undefined} wanted */
function placed(request, wanted) {
  return wanted?.on === undefined ? request : { ...request, agentOptions: { ...request.agentOptions, ...wanted.on } }
}

/** A helper's end with its reason. @param {any} result @param {any} run @param {Wanted} wanted */
function told(result, run, { label }) {
  const why = reason(result, lastEnd(run.localAgent), label)
  if (why === undefined || result.stopReason === 'error' && result.diagnostic !== undefined) return result
  return { ...result, stopReason: 'error', diagnostic: why }
}

/**
 * The reason of a bad end: the Harness says neither why a helper failed nor that one ended without an answer.
 * @param {{stopReason: string, structured?: unknown, output?: any[]}} result
 * @param {any} turn how the helper's last turn ended
 * @param {string} label of the model
 * @returns {string | undefined} undefined for any other end
 */
function reason({ stopReason, structured, output }, turn, label) {
  if (stopReason === 'completed' && structured === undefined && isEmpty(output)) return `The helper on ${label} ended without an answer.`
  if (stopReason !== 'error') return undefined
  const why = turn?.reason?.error?.message
  return `The helper on ${label} failed${why ? `: ${why}` : '.'}`
}

/** @param {any} agent @param {string} type @returns {any} the data of its newest event of a type */
function newest(agent, type) {
  return agent?.session?.events?.findLast((/** @type {{type: string}} */ event) => event.type === type)?.data
}

/** @param {any} agent */
const lastEnd = agent => newest(agent, 'turn/end')

/** @param {any} agent @returns {string | undefined} the key of the model that was asked last */
function modelOf(agent) {
  const { provider, model } = newest(agent, 'request/header')?.header?.config ?? {}
  return provider && model ? `${provider}/${model}` : undefined
}

/** Whether there is nothing for the parent to read. @param {any[]} [output] blocks */
export function isEmpty(output = []) {
  return output.every(block => UNREAD.has(block?.type) || block?.type === 'text' && !String(block.text ?? '').trim())
}

// The Harness gives a parent none of these.
const UNREAD = new Set(['reasoning', 'tool-call'])
