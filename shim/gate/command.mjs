// @ts-check
/**
 * The command `/strata-gate`: alone it answers JSON for the host, `status` a sentence for a person. The other words
 * are the host's, with JSON behind them and JSON in the answer:
 *
 *   answer {callId, session?, digest, allow, note?, scope?, pattern?, expires?}   kept until its question closes
 *   settled {callId, session?}                         answered once the answer is in the decision log
 *   questions                                          what this chat and its helpers ask right now
 *   explain {tool, arguments, callId?, mode?}          how a call is decided and why; in another mode than the chat's
 *   permissions · revoke ID · remember {tool, pattern, scope, expires?}
 *   unattended                                         nobody is there to ask in this chat
 * @module
 */
import { ABI, asPluginError } from '../lib/messages.mjs'

/**
 * @typedef {object} CommandParts
 * @property {() => {instance: import('../lib/hot.mjs').Instance, judge: import('./judge.mjs').Judge} | undefined} gate
 * @property {import('./modes.mjs').Modes} modes
 * @property {import('./answers.mjs').Answers} answers
 * @property {import('./watch.mjs').Watch} watch
 * @property {() => import('../lib/probe.mjs').Seams} seams
 * @typedef {{instance: import('../lib/hot.mjs').Instance, judge: import('./judge.mjs').Judge, session: import('../lib/effects/session.mjs').Session, rest: string}} Said
 */

const UNREADABLE = 'That cannot be read. Use /strata-gate status.'

/** @param {CommandParts} parts @returns {object} a command definition of the Harness */
export function gateCommand({ gate, modes, answers, watch, seams }) {
  /** @type {Record<string, (said: Said) => unknown>} each gives the JSON of its answer, or throws a sentence */
  const words = {
    ''({ instance, session }) {
      const { mode, startMode, root } = modes.of(session)
      return {
        gate: 'on', abi: ABI, sha256: instance.sha256, mode, ...(startMode && { startMode }), root,
        ...seams(), started: instance.stats.started, trapped: instance.stats.trapped, unseen: watch.unseen,
      }
    },
    answer({ instance, session, rest }) {
      const refused = answers.take(session.id, rest, ({ call }, { pattern, scope }) => {
        const { scopes, reason } = offer(instance, call, pattern)
        return scopes.includes(scope) ? undefined : reason ?? 'A yes to this cannot reach that far.'
      })
      if (refused !== undefined) throw new Error(refused)
      return { kept: true }
    },
    async settled({ judge, session, rest }) {
      const { callId, session: asking = session.id } = parse(rest)
      if (typeof callId !== 'string' || typeof asking !== 'string') throw new Error(UNREADABLE)
      await judge.settled(modes.of(session).root, asking, callId)
      return { settled: true }
    },
    questions: ({ instance, session }) => answers.of(modes.of(session).root).map(({ call, decision: { reason, key, args, parts }, digest, waiting: { calls } }) => ({
      session: call.session, callId: call.callId, tool: call.tool, digest, calls, reason, key, args, parts, offer: offer(instance, call),
    })),
    async explain({ instance, judge, session, rest }) {
      const { tool, arguments: args = {}, callId = '', mode } = parse(rest)
      if (typeof tool !== 'string' || (mode !== undefined && typeof mode !== 'string')) throw new Error(UNREADABLE)
      const { startMode, ...call } = judge.callOf(session, { name: tool, arguments: args, callId })
      const as = mode === undefined ? (startMode && { startMode }) : { mode: /** @type {import('./modes.mjs').Mode} */ (mode) }
      const { looked } = await judge.decide({ ...call, ...as })
      return (await instance.call('explain', looked)).value
    },
    permissions: async ({ instance }) => (await instance.call('permissions')).value,
    revoke: async ({ instance, rest }) => (await instance.call('forget', { id: rest.trim() })).value,
    async remember({ instance, session, rest }) {
      const { root } = modes.of(session)
      return (await instance.call('remember', { ...parse(rest), root, folder: session.header.cwd ?? process.cwd() })).value
    },
    async unattended({ instance, judge, session }) {
      const { root } = modes.of(session)
      judge.markUnattended(root) // for this life; the plugin's mark outlives it
      return (await instance.call('mark', { root })).value
    },
  }

  return {
    name: 'strata-gate',
    description: 'Shows whether the approval gate is on',
    input: { hint: '[status]' },
    recordInput: false, // a note is the person's; it reaches the log in the tool's result only
    /** @param {{agent: {session: import('../lib/effects/session.mjs').Session}, rawInput: string}} invocation */
    async handler({ agent: { session }, rawInput }) {
      const [, word = '', rest = ''] = /^\s*(\S*)\s*([^]*)$/.exec(rawInput) ?? []
      const running = gate()
      if (running === undefined) return failure('The gate is still starting. Try again in a moment.')
      if (word === 'status') {
        const text = [`The approval gate is on. This chat is in ${title(modes.of(session).mode)} mode.`, ...seams().missing].join(' ')
        return { kind: 'success', text }
      }
      const run = Object.hasOwn(words, word) ? words[word] : undefined
      if (run === undefined) return failure('The gate knows no such word. Use /strata-gate status.')
      try {
        return { kind: 'success', text: JSON.stringify(await run({ ...running, session, rest })) }
      } catch (error) {
        return failure(asPluginError(error).message)
      }
    },
  }
}

/** What can be saved with a yes to a call. @param {import('../lib/hot.mjs').Instance} instance @param {object} call @param {string} [pattern] @returns {{scopes: string[], scope: string, pattern?: string, reason?: string}} */
function offer(instance, call, pattern = '') {
  return instance.callSync('offer', { call, pattern }).value
}

/** @param {string} text @returns {any} an object */
function parse(text) {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch { // said below
  }
  throw new Error(UNREADABLE)
}

/** @param {string} text */
const failure = text => ({ kind: 'error', text })

/** @param {string} mode */
const title = mode => mode.charAt(0).toUpperCase() + mode.slice(1)
