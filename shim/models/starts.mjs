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
 */

export class Starts {
  #service
  /** @type {AsyncLocalStorage<Wanted & {taken?: boolean, born?: boolean}>} */
  #wanted = new AsyncLocalStorage()

  /** @param {any} service the Harness's, of helper agents */
  constructor(service) {
    this.#service = service
  }

  /** Whether helpers can be put on a model here. */
  get possible() {
    return hasMethods(this.#service, 'start')
  }

  /** Takes its place in the service. @returns {() => void} leaves it */
  mount() {
    const starts = this
    const undo = [wrapMethod(this.#service, 'start', original => async function (/** @type {any[]} */ ...[provider, request, ...rest]) {
      const wanted = starts.#take()
      // @ts-ignore the service's own this
      const run = await original.call(this, provider, placed(request, wanted), ...rest)
      return wanted === undefined ? run : { ...run, dispose: () => run.dispose(), result: run.result.then((/** @type {any} */ result) => told(result, run, wanted)) }
    })]
    if (hasMethods(this.#service, 'startContinuable')) {
      undo.push(wrapMethod(this.#service, 'startContinuable', original => function (/** @type {any[]} */ ...[spec, ...rest]) {
        // @ts-ignore the service's own this
        return original.call(this, { ...spec, request: placed(spec.request, starts.#take()) }, ...rest)
      }))
    }
    return () => undo.reverse().forEach(restore => restore())
  }

  /**
   * Runs the Harness's tool, whose helper is to be on a model.
   * @template T
   * @param {Wanted} wanted @param {() => Promise<T>} tool
   * @returns {Promise<T>}
   */
  async run(wanted, tool) {
    const one = { ...wanted }
    const value = await this.#wanted.run(one, tool)
    if (one.on !== undefined && !('taken' in one)) throw new Error(`The helper could not be put on ${one.label}: this Harness starts helpers in another way.`)
    return value
  }

  /** An agent is there: where it is the helper, it gets its thinking level. @param {any} agent */
  created(agent) {
    const wanted = this.#wanted.getStore()
    if (wanted?.taken !== true || wanted.born === true) return
    wanted.born = true
    const { on, effort } = wanted
    if (on === undefined || effort === undefined) return
    agent.ctx.on('agent/request', async (/** @type {unknown} */ _, /** @type {() => Promise<any>} */ next) => {
      const request = await next()
      const same = request.provider === on.provider && request.model === on.model
      return same ? { ...request, reasoningEffort: effort } : request
    })
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

/**
 * A helper's end with its reason: the Harness says neither why one failed nor that one ended without an answer.
 * @param {any} result @param {any} run @param {Wanted} wanted
 */
function told(result, run, { label }) {
  if (result.stopReason === 'completed' && result.structured === undefined && isEmpty(result.output)) {
    return { ...result, stopReason: 'error', diagnostic: `The helper on ${label} ended without an answer.` }
  }
  if (result.stopReason !== 'error' || result.diagnostic !== undefined) return result
  const end = run.localAgent?.session?.events?.findLast((/** @type {{type: string}} */ { type }) => type === 'turn/end')
  const why = end?.data?.reason?.error?.message
  return { ...result, diagnostic: `The helper on ${label} failed${why ? `: ${why}` : '.'}` }
}

/** @param {any[]} [output] blocks */
export function isEmpty(output = []) {
  return output.every(block => block?.type === 'text' && !String(block.text ?? '').trim())
}
