// @ts-check
/**
 * What the host says about an open question before it answers the Harness: the digest of what was shown, and the
 * person's note, which the Harness's own answer would drop.
 * @module
 */

const MAX_NOTE = 4_000
const FOREIGN = 'This chat has no such open question.'

/** @typedef {{digest: string, allow: boolean, note: string}} Answer */
/** @typedef {{root: string, digest: string, answer?: Answer, close(): void}} Question */

export class Answers {
  /** @type {Map<string, Set<Question>>} */
  #open = new Map()

  /** How many questions wait. */
  get size() {
    return this.#open.size
  }

  /**
   * Opens a question; close it when it is answered.
   * @param {{root: string, session: string, callId: string, digest: string}} call `digest` is what a yes is bound to
   * @returns {Question}
   */
  open({ root, session, callId, digest }) {
    const key = keyOf(session, callId)
    const questions = this.#open.get(key) ?? new Set()
    this.#open.set(key, questions)
    /** @type {Question} */
    const question = {
      root,
      digest,
      close: () => {
        questions.delete(question)
        if (questions.size === 0) this.#open.delete(key)
      },
    }
    questions.add(question)
    return question
  }

  /**
   * Keeps an answer until its question is closed. It is said on the session that asks or, for a helper's question,
   * on the chat's own: the Harness runs no command on a helper's.
   * @param {string} session where it is said
   * @param {string} text JSON {callId, session?, digest, allow, note?}; `session` is the one that asks
   * @returns {string | undefined} one plain sentence when it was refused
   */
  take(session, text) {
    const answer = parse(text)
    if (answer === undefined) return 'That is not an answer to a question of the gate.'
    const asking = answer.session ?? session
    const questions = [...this.#open.get(keyOf(asking, answer.callId)) ?? []]
    if (questions.length === 0) return asking === session ? 'That question is no longer open.' : FOREIGN
    if (asking !== session && questions.some(({ root }) => root !== session)) return FOREIGN
    const same = questions.filter(({ digest }) => digest === answer.digest)
    const { digest, allow, note } = answer
    for (const question of same.length > 0 ? same : questions) question.answer = { digest, allow, note }
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
  const { callId, session, digest, allow, note = '' } = value ?? {}
  const good = typeof callId === 'string' && (session === undefined || typeof session === 'string') && typeof allow === 'boolean'
    && /^[0-9a-f]{64}$/.test(digest) && typeof note === 'string' && note.length <= MAX_NOTE
  return good ? { callId, session, digest, allow, note } : undefined
}
