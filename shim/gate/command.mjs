// @ts-check
/**
 * The command `/strata-gate`: alone it answers JSON for the host, `status` a sentence for a person, and
 * `answer {…}` keeps what the host says about an open question.
 * @module
 */
import { ABI } from '../lib/messages.mjs'

/**
 * @typedef {object} CommandParts
 * @property {() => import('../lib/hot.mjs').Instance | undefined} instance
 * @property {import('./modes.mjs').Modes} modes
 * @property {import('./answers.mjs').Answers} answers
 * @property {import('./watch.mjs').Watch} watch
 * @property {() => import('../lib/probe.mjs').Seams} seams
 */

/** @param {CommandParts} parts @returns {object} a command definition of the Harness */
export function gateCommand({ instance, modes, answers, watch, seams }) {
  return {
    name: 'strata-gate',
    description: 'Shows whether the approval gate is on',
    input: { hint: '[status]' },
    recordInput: false, // a note is the person's; it reaches the log in the tool's result only
    /** @param {{agent: {session: import('../lib/effects/session.mjs').Session}, rawInput: string}} invocation */
    handler({ agent: { session }, rawInput }) {
      const [, verb = '', rest = ''] = /^\s*(\S*)\s*([^]*)$/.exec(rawInput) ?? []
      const gate = instance()
      if (gate === undefined) return { kind: 'error', text: 'The gate is still starting. Try again in a moment.' }
      const { mode, startMode, root } = modes.of(session)
      switch (verb) {
        case '':
          return success({
            gate: 'on', abi: ABI, sha256: gate.sha256, mode, ...(startMode && { startMode }), root,
            ...seams(), started: gate.stats.started, trapped: gate.stats.trapped, unseen: watch.unseen,
          })
        case 'status':
          return { kind: 'success', text: [`The approval gate is on. This chat is in ${title(mode)} mode.`, ...seams().missing].join(' ') }
        case 'answer': {
          const refused = answers.take(session.id, rest)
          return refused === undefined ? success({ kept: true }) : { kind: 'error', text: refused }
        }
        default:
          return { kind: 'error', text: 'The gate knows no such word. Use /strata-gate status.' }
      }
    },
  }
}

/** @param {object} value */
const success = value => ({ kind: 'success', text: JSON.stringify(value) })

/** @param {string} mode */
const title = mode => mode.charAt(0).toUpperCase() + mode.slice(1)
