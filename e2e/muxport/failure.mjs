// @ts-check
/**
 * Refusals with a code of the modern wire (harness-wire.md §2.5), and what the codes of 0.1.0 are called there.
 * @module
 */

/** A refusal that a client gets to see: `{code, message, details}`. */
export class Failure extends Error {
  /** @param {string} code @param {string} message @param {Record<string, unknown>} [details] */
  constructor(code, message, details = {}) {
    super(message)
    this.code = code
    this.details = details
  }
}

/** The names of 0.1.0 that do not follow the rule below. @type {Record<string, string>} */
const renamed = {
  'internal': 'gateway/internal',
  'bad-request': 'gateway/bad-request',
  'cancelled': 'gateway/cancelled',
  'session-not-found': 'session/not-found',
  'session-conflict': 'session/conflict',
  'workspace-attach-failed': 'session/workspace-attach-failed',
  'attachment-error': 'session/attachment-invalid',
  'model-discovery-failed': 'llm/model-discovery-rejected',
}

/** Families whose prefix became a namespace, longest first; all others are of a session. */
const families = ['agent-preset', 'subagent', 'workspace', 'settings', 'credential', 'job', 'directory-picker']

/**
 * Gives a code of 0.1.0 under its modern name.
 * @param {string} code
 */
export function modernCode(code) {
  if (renamed[code] !== undefined) return renamed[code]
  const family = families.find(one => code.startsWith(`${one}-`))
  return family === undefined ? `session/${code}` : `${family}/${code.slice(family.length + 1)}`
}

/**
 * What an exception looks like to a client. Any that is no Failure is `gateway/internal`, with its message only.
 * @param {unknown} error
 * @returns {{code: string, message: string, details: Record<string, unknown>}}
 */
export function wireError(error) {
  if (error instanceof Failure) return { code: error.code, message: error.message, details: error.details }
  return { code: 'gateway/internal', message: error instanceof Error ? error.message : String(error), details: {} }
}

/**
 * Unwraps an answer of the in-process API of 0.1.0.
 * @param {{result: {ok: true, value?: any} | {ok: false, error: {code: string, message: string, details?: any}}}} answer
 * @returns {any}
 */
export function valueOf({ result }) {
  if (result.ok) return result.value
  const { code, message, details } = result.error
  const modern = modernCode(code)
  throw new Failure(modern, message, modern === 'gateway/internal' ? {} : details)
}
