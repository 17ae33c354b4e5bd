// @ts-check
/**
 * What the gate writes into session logs: a helper of a Manual chat may ask, and without a gate no session stays open.
 * @module
 */
import { isHelper } from './modes.mjs'

/** @typedef {{session: import('../lib/effects/session.mjs').Session}} Agent */

const PLAN = 'strata-plan'

/** The last approval policy in a session's log. @param {Agent['session']} session */
export function policyOf({ events }) {
  return events.findLast(({ type }) => type === 'approval/policy')?.data.policy
}

/**
 * Lets a helper of a Manual chat ask on its own session. The Harness starts helpers with a policy that rejects every
 * question unseen.
 * @param {Agent} agent @param {import('./modes.mjs').Modes} modes
 */
export function letHelperAsk({ session }, modes) {
  if (!isHelper(session) || modes.of(session).mode !== 'manual' || policyOf(session) === 'ask') return
  session.append('approval/policy', { policy: 'ask' })
}

/**
 * Closes what would be open without a gate: every live session of a Manual tree goes to Plan.
 * @param {import('../lib/effects/session.mjs').SessionStore} sessions
 * @param {import('./modes.mjs').Modes} modes
 * @param {{set(session: unknown, preset: string): void} | undefined} presets the Harness's permission service
 * @returns {string[]} ids of the sessions it closed
 */
export function closeManual(sessions, modes, presets) {
  const open = sessions.list().filter(session => {
    const { mode, ours } = modes.of(session)
    return mode === 'manual' && (ours || isHelper(session))
  })
  for (const session of open) {
    try {
      if (presets === undefined) throw new Error('no permission service')
      presets.set(session, PLAN)
    } catch { // the preset is not in this Harness's table: its two knobs by hand
      session.append('sandbox/mode', { mode: 'read-only' })
      session.append('approval/policy', { policy: 'never' })
    }
  }
  return open.map(({ id }) => id)
}
