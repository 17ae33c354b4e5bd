// @ts-check
/**
 * What the host says about an open question before it answers the Harness: the digest of what was shown, and the
 * person's note, which the Harness's own answer would drop.
 * @module
 */

const MAX_NOTE = 4_000
const MAX_PATTERN = 4_000
const SCOPES = ['once', 'chat', 'always']
const FOREIGN = 'This chat has no such open question.'

/** @typedef {{digest: string, allow: boolean, note: string, scope: string, pattern: string, expires: number}} Answer */
/**
 * @typedef {{call: import('./judge.mjs').Call, decision: import('./judge.mjs').Decision, digest: string, waiting: {calls: number}}} Asked
 * @typedef {Asked & {answer?: Answer, close(): void}} Question
 */

export class Answers {
  /** @type {Map<string, Set<Question>>} */
  #open = new Map()

  /** How many questions wait. */
  get size() {
    return this.#open.size
  }

  /**
   * Opens a question; close it when it is answered.
   * @param {Asked} asked `digest` is what a yes is bound to, `waiting` counts the calls that share the answer
   * @returns {Question}
   */
  open({ call, decision, digest, waiting }) {
    const key = keyOf(call.session, call.callId)
    const questions = this.#open.get(key) ?? new Set()
    this.#open.set(key, questions)
    /** @type {Question} */
    const question = {
      call,
      decision,
      digest,
      waiting,
      close: () => {
        questions.delete(question)
        if (questions.size === 0) this.#open.delete(key)
      },
    }
    questions.add(question)
    return question
  }

  /** The questions of a chat and its helpers. @param {string} root @returns {Question[]} */
  of(root) {
    return [...this.#open.values()].flatMap(questions => [...questions]).filter(({ call }) => call.root === root)
  }

  /**
   * Keeps an answer until its question is closed. It is said on the session that asks or, for a helper's question,
   * on the chat's own: the Harness runs no command on a helper's.
   * @param {string} session where it is said
   * @param {string} text JSON {callId, session?, digest, allow, note?, scope?, pattern?, expires?}; `session` is the one that asks
   * @param {(question: Question, answer: Answer) => string | undefined} [objection] why a yes cannot reach that far
   * @returns {string | undefined} one plain sentence when it was refused
   */
  take(session, text, objection = () => undefined) {
    const answer = parse(text)
    if (answer === undefined) return 'That is not an answer to a question of the gate.'
    const asking = answer.session ?? session
    const questions = [...this.#open.get(keyOf(asking, answer.callId)) ?? []]
    if (questions.length === 0) return asking === session ? 'That question is no longer open.' : FOREIGN
    if (asking !== session && questions.some(({ call }) => call.root !== session)) return FOREIGN
    const same = questions.filter(({ digest }) => digest === answer.digest)
    const meant = same.length > 0 ? same : questions
    if (answer.allow && (answer.scope === 'chat' || answer.scope === 'always')) {
      const refused = meant.map(question => objection(question, answer)).find(sentence => sentence !== undefined)
      if (refused !== undefined) return refused
    }
    const { callId: _, session: __, ...kept } = answer
    for (const question of meant) question.answer = kept
    return undefined
  }
}

/** @param {string} session @param {string} callId */
const keyOf = (session, callId) => JSON.stringify([session, callId])

/** @param {string} text @returns {(Answer & {callId: string, session?: string}) | undefined} */
function parse(text) {
  let value
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const { callId, session, digest, allow, note = '', scope = '', pattern = '', expires = 0 } = value ?? {}
  const good = typeof callId === 'string' && (session === undefined || typeof session === 'string') && typeof allow === 'boolean'
    && /^[0-9a-f]{64}$/.test(digest) && typeof note === 'string' && size(note) <= MAX_NOTE
    && (scope === '' || SCOPES.includes(scope)) && typeof pattern === 'string' && size(pattern) <= MAX_PATTERN
    && Number.isSafeInteger(expires) && expires >= 0
  return good ? { callId, session, digest, allow, note: note.trim(), scope, pattern, expires } : undefined
}

/** In characters, as the host counts: one outside the BMP is one. @param {string} text */
const size = text => [...text].length
