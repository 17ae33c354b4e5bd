// @ts-check
/**
 * The effect `ask`: one question through the Harness's approval service, on the session that made the call.
 * @module
 */
import { expectHead } from '../lib/effects/shape.mjs'
import { CODES, PluginError } from '../lib/messages.mjs'

/**
 * @typedef {object} Approval the Harness's approval service
 * @property {(request: {agent: unknown, toolName: string, callId: string, reason: string, signal: AbortSignal}) => Promise<string>} request
 * @typedef {object} AskOptions
 * @property {() => Approval | undefined} approval
 * @property {import('./answers.mjs').Answers} answers
 * @property {(session: import('../lib/effects/session.mjs').Session) => string} rootOf the id of the chat's own session
 * @property {(agent: any) => void} prepare makes sure that this agent's session can ask
 */

/**
 * @param {AskOptions} options
 * @returns {import('../lib/hot.mjs').EffectHandler} its context is the execution that is judged
 */
export function askEffect({ approval, answers, rootOf, prepare }) {
  return async ({ kind, value }, { context: exec, signal }) => {
    expectHead(kind, value, { session: 'string', callId: 'string', tool: 'string', reason: 'string', digest: 'string' })
    const { agent, callId, name } = /** @type {import('./judge.mjs').Execution} */ (exec)
    const service = approval()
    if (agent === undefined || service === undefined) return { value: { outcome: 'unavailable' } }
    const session = agent.session.id
    if (value.session !== session || value.callId !== callId || value.tool !== name) {
      throw new PluginError(CODES.Refused, 'The gate may ask about its own call only.')
    }

    const question = answers.open({ root: rootOf(agent.session), session, callId, digest: value.digest })
    try {
      prepare(agent)
      const outcome = await service.request({
        agent, toolName: name, callId, reason: value.reason, signal: AbortSignal.any([exec.signal, signal]),
      })
      const { digest = '', note = '', allow } = question.answer ?? {}
      const contradicted = outcome === 'allowed-once' && allow === false
      return { value: { outcome: contradicted ? 'rejected' : outcome, ...(digest && { digest }), ...(note && { note }) } }
    } catch {
      return { value: { outcome: 'unavailable' } } // no open turn, or the log refused: nobody was asked
    } finally {
      question.close()
    }
  }
}
