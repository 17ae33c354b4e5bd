// @ts-check
/**
 * A row that runs the effects of session logs on the Harness's own sessions: `/lab-session {kind, value}`.
 * @module
 */
import { sessionEffects } from '../../lib/effects/session.mjs'

export const name = 'lab'
export const inject = ['commands', 'sessions']

/** @param {any} ctx */
export function apply(ctx) {
  const effects = sessionEffects(ctx.sessions)
  ctx.commands.register({
    name: 'lab-session',
    description: 'Runs an effect on this session',
    input: { hint: '{kind, value}' },
    recordInput: false,
    handler: async (/** @type {{rawInput: string, agent: any}} */ { rawInput, agent: { session } }) => {
      const { kind, value } = JSON.parse(rawInput)
      const filled = { session: session.id, ...value }
      const { seq, surface: { replaceGeneration } } = session
      if (value.expect === 'now') filled.expect = { revision: seq, generation: replaceGeneration }
      try {
        const answer = await /** @type {any} */ (effects[kind])({ kind, value: filled }, {})
        return { kind: 'success', text: JSON.stringify({ ...answer.value, seq }) }
      } catch (error) {
        return { kind: 'success', text: JSON.stringify({ code: /** @type {any} */ (error).code, grew: session.seq - seq }) }
      }
    },
  })
}
