// @ts-check
/**
 * The effect `ask`: one question through the Harness's approval service, on the session that made the call.
 * @module
 */
import { expectHead } from '../lib/effects/shape.mjs'
import { CODES, PluginError } from '../lib/messages.mjs'
import { policyOf } from './helpers.mjs'

/**
 * @typedef {object} Approval the Harness's approval service
 * @property {(request: {agent: unknown, toolName: string, callId: string, reason: string, signal: AbortSignal}) => Promise<string>} request
 * @typedef {object} AskOptions
 * @property {() => Approval | undefined} approval
 * @property {import('./answers.mjs').Answers} answers
 * @property {(agent: any) => void} prepare makes sure that this agent's session can ask
 * @typedef {{calls: number}} Waiting how many calls wait for one answer
 * @typedef {{exec: import('./judge.mjs').Execution, call: import('./judge.mjs').Call, decision: import('./judge.mjs').Decision}} AskContext
 * @typedef {{outcome: string, digest?: string, note?: string, scope?: string, pattern?: string, expires?: number}} Answer
 */

/** @param {AskOptions} options @returns {import('../lib/hot.mjs').EffectHandler} its context is an AskContext */
export function askEffect({ approval, answers, prepare }) {
  /** Cards that questions share, while they are open and the call that put them is not over. @type {Map<string, {digest: string, waiting: Waiting, answer: Promise<Answer>}>} */
  const cards = new Map()

  /** @param {any} value @param {AskContext} context @param {AbortSignal} signal @param {Waiting} waiting @returns {Promise<Answer>} */
  async function put({ reason, digest }, { exec, call, decision }, signal, waiting) {
    const { agent, callId, name } = exec
    const service = approval()
    if (agent === undefined || service === undefined) return { outcome: 'unavailable' }
    const question = answers.open({ call, decision, digest, waiting })
    try {
      prepare(agent)
      const silent = policyOf(agent.session) === 'never' // the Harness then says no by itself
      const outcome = await service.request({ agent, toolName: name, callId, reason, signal: AbortSignal.any([exec.signal, signal]) })
      const { answer } = question
      if (answer === undefined) return { outcome: silent && outcome === 'rejected' ? 'unavailable' : outcome }
      const { allow, digest: of, note, scope, pattern, expires } = answer
      return {
        outcome: outcome === 'allowed-once' && !allow ? 'rejected' : outcome, // of two answers that contradict each other the no holds
        digest: of, ...(note && { note }), ...(scope && { scope }), ...(pattern && { pattern }), ...(expires && { expires }),
      }
    } catch {
      return { outcome: 'unavailable' } // no open turn, or the log refused: nobody was asked
    } finally {
      question.close()
    }
  }

  return async ({ kind, value }, { context, signal }) => {
    expectHead(kind, value, { session: 'string', callId: 'string', tool: 'string', reason: 'string', digest: 'string', share: 'string?' })
    const { exec: { agent, callId, name }, call } = /** @type {AskContext} */ (context)
    if (value.session !== (agent?.session.id ?? '') || value.callId !== callId || value.tool !== name) {
      throw new PluginError(CODES.Refused, 'The gate may ask about its own call only.')
    }
    if (!value.share) return { value: await put(value, context, signal, { calls: 1 }) }

    const key = JSON.stringify([call.root, value.share])
    for (let card; (card = cards.get(key)) !== undefined;) {
      card.waiting.calls++
      const answer = await card.answer
      card.waiting.calls--
      if (signal.aborted) return { value: { outcome: 'cancelled' } }
      if (answer.outcome === 'allowed-once' || answer.outcome === 'rejected') return { value: { ...answer, card: card.digest } }
    } // the one that asked was called off: this one asks
    const waiting = { calls: 1 }
    const card = { digest: value.digest, waiting, answer: put(value, context, signal, waiting) }
    cards.set(key, card)
    const answer = await card.answer
    const reaches = answer.outcome === 'rejected' || answer.outcome === 'allowed-once' && answer.scope !== 'once'
    // Until the call is over, what was answered is not yet where another one would find it.
    if (reaches && !signal.aborted) signal.addEventListener('abort', () => cards.delete(key), { once: true })
    else cards.delete(key)
    return { value: answer }
  }
}
