// @ts-check
/**
 * The Harness's model requests, seen once each before any other listener: a turn's request may ask for a longer
 * reply, is not sent where the same was refused, and its failure gets the code of one that is too long where it is
 * one; a summary's request is asked for in pieces where it does not fit. Others pass untouched.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { putRestore } from '../lib/effects/restore.mjs'
import { asPluginError } from '../lib/messages.mjs'
import { headerUnits, piece, transcript, whole } from './facts.mjs'

const FULL = 'CONTEXT_WINDOW_EXCEEDED'
const FAULTS = new Set(['trap', 'deadline', 'panic', 'unknown-op', 'refused', 'bad-input'])

/**
 * @typedef {any} Options of a request
 * @typedef {() => AsyncIterable<any>} Next
 * @typedef {object} Parts
 * @property {any} llm the service
 * @property {any} sessions
 * @property {import('./figures.mjs').Figures} figures
 * @property {() => Promise<import('../lib/hot.mjs').Instance>} plugin
 * @property {(clone: Options, request: Options) => Options} mark gives a clone what the Harness knows a turn's request by
 * @property {(request: Options) => boolean} isTurn whether a request is the Harness's own of a turn; others may name a session too
 */

export class Requests {
  /** Requests of ours, which pass. @type {WeakSet<object>} */
  #ours = new WeakSet()
  #parts

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts
  }

  /** The listener of `llm/stream`. @param {Options} options @param {Next} next */
  stream(options, next) {
    if (this.#ours.has(options)) return next()
    const session = options.sessionId === undefined ? undefined : this.#parts.sessions.get(options.sessionId)
    if (session === undefined) return next()
    if (options.purpose === 'compaction') return this.#summary(session, options, next)
    return options.purpose === undefined && this.#parts.isTurn(options) ? this.#turn(session, options, next) : next()
  }

  /** @param {any} session @param {Options} options @param {Next} next */
  async * #turn(session, options, next) {
    const { figures, llm, mark } = this.#parts
    const measured = await figures.known(session)
    if (measured?.hopeless) {
      yield failed(FULL, `A prompt of about ${measured.tokens} tokens was refused before, so it was not sent again.`)
      return
    }
    const cap = figures.cap(session, options)
    if (cap > 0 && cap !== options.maxTokens) {
      const clone = this.#own(mark(Object.freeze({ ...options, maxTokens: cap }), options))
      if (!(yield* this.#answered(session, options, llm.stream(clone), cap > (options.maxTokens ?? 0) ? cap : 0))) return
    }
    yield* this.#answered(session, options, next(), 0) // as the Harness asks
  }

  /**
   * Passes an answer on; true where the request is to be asked for as the Harness would, of which nothing was passed.
   * @param {any} session
   * @param {Options} options
   * @param {AsyncIterable<any>} answer
   * @param {number} raised the longer reply that it asked for than the Harness would, in tokens; 0 where it did not
   * @returns {AsyncGenerator<any, boolean>}
   */
  async * #answered(session, options, answer, raised) {
    let began = false
    const held = [] // the usage of none that the Harness tells before a failure
    for await (const chunk of answer) {
      const failure = chunk.type === 'finish' && chunk.reason.kind === 'error' ? chunk.reason.failure : undefined
      if (failure === undefined && chunk.type === 'usage' && !began) {
        held.push(chunk)
        continue
      }
      const refused = failure === undefined ? {} : this.#parts.figures.refused(session, options, failure, began ? 0 : raised)
      if (refused.cap && raised > 0 && !began) return true
      began = true
      yield* held.splice(0)
      yield failure && refused.overflow && failure.code !== FULL ? withCode(chunk, FULL) : chunk
    }
    yield* held
    return false
  }

  /**
   * A summary is made by the model that the next message goes to: the one before may be why there is none.
   * @param {any} session @param {Options} asked @param {Next} next
   */
  async * #summary(session, asked, next) {
    const { figures, plugin } = this.#parts
    const options = { ...asked, ...figures.moved(session) }
    const texts = options.messages.slice(0, -1).map(transcript)
    const instruction = options.messages.at(-1)
    let answer
    try {
      const instance = await plugin()
      await figures.known(session) // what it knows of the session is what it decides by
      answer = await instance.call('summarize', {
        session: session.id, trigger: figures.trigger(session), window: await this.#window(session, options), asked: options.maxTokens ?? 0,
        ...headerUnits(options), instruction: transcript(instruction).length,
        messages: texts.map((/** @type {string} */ text, /** @type {number} */ i) => piece(options.messages[i], figures.price(options.messages[i]), text)),
      }, undefined, { context: { session, options, texts, instruction }, ...(options.signal && { signal: options.signal }) })
    } catch (error) {
      const { code, message } = asPluginError(error)
      if (code === 'cancelled') yield failed('ABORTED', message, 'aborted')
      else if (FAULTS.has(code)) yield* next() // ours is broken: the Harness's own
      else yield failed('NO_SUMMARY', message)
      return
    }
    const text = new TextDecoder().decode(answer.body)
    yield { type: 'block-start', index: 0, blockType: 'text' }
    yield { type: 'text-delta', index: 0, text }
    yield { type: 'block-end', index: 0, block: { type: 'text', text } }
    yield { type: 'usage', usage: { inputTokens: answer.value.input ?? 0, outputTokens: answer.value.output ?? 0 } }
    yield { type: 'finish', reason: { kind: 'stop' } }
  }

  /** The window of the route that summarizes. @param {any} session @param {Options} options @returns {Promise<number>} tokens; 0 is not known */
  async #window(session, { provider, model, signal }) {
    const known = session.requestContext()
    if (known?.provider === provider && known.model === model && known.contextWindow > 0) return this.#parts.figures.measure(session)?.window || known.contextWindow // its server may have told of less
    const info = await this.#parts.llm.resolveModelInfo(provider, model, signal).catch(() => undefined)
    return info?.context?.contextWindow ?? 0
  }

  /** The effect `llm`: one request of a summary. @type {import('../lib/hot.mjs').EffectHandler} */
  effect = async ({ value }, { context, signal }) => {
    const { options, texts, instruction } = context
    const request = { ...options, maxTokens: value.maxTokens, signal }
    if (!value.whole) {
      delete request.system
      delete request.tools
      const parts = (value.parts ?? []).map((/** @type {any} */ part) => cut(texts[part.message], part)).join('\n\n')
      request.messages = [
        message(`${value.before ?? ''}\n${parts}\n</transcript>`),
        { ...instruction, content: [...instruction.content, { type: 'text', text: value.after ?? '' }] },
      ]
    }
    const blocks = new Map()
    /** @type {any} */
    let usage = {}
    let reason = { kind: 'error', failure: { code: 'STREAM_CLOSED', message: 'The answer has no end.' } }
    for await (const chunk of this.#parts.llm.stream(this.#own(request))) {
      if (chunk.type === 'text-delta') blocks.set(chunk.index, (blocks.get(chunk.index) ?? '') + chunk.text)
      if (chunk.type === 'block-end' && chunk.block.type === 'text') blocks.set(chunk.index, chunk.block.text)
      if (chunk.type === 'usage') usage = chunk.usage
      if (chunk.type === 'finish') reason = chunk.reason
    }
    const { code = '', status = 0, message: why = '' } = /** @type {any} */ (reason).failure ?? {}
    const input = (usage.inputTokens ?? 0) + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0)
    return {
      value: { finish: reason.kind, code, status, message: why, input, output: usage.outputTokens ?? 0 },
      body: new TextEncoder().encode([...blocks.values()].join('\n')),
    }
  }

  /** The effect `restore.put`. @type {import('../lib/hot.mjs').EffectHandler} */
  keep = async (_effect, { context: { session, texts } }) => ({ value: { path: await putRestore(session.header.cwd, session.id, texts.join('\n\n')) } })

  /** @template {object} T @param {T} request @returns {T} */
  #own(request) {
    this.#ours.add(request)
    return request
  }
}

/** @param {string} text @param {{head?: number, tail?: number, gap?: string}} part */
function cut(text, { head = 0, tail = 0, gap = '' }) {
  return head + tail === 0 ? text : whole(text, 0, head) + gap + whole(text, text.length - tail, text.length)
}

/** @param {string} text */
function message(text) {
  return { id: randomUUID(), role: 'user', content: [{ type: 'text', text }], source: { kind: 'plugin', plugin: 'strata-context' } }
}

/** @param {string} code @param {string} text @param {string} [kind] */
function failed(code, text, kind = 'error') {
  return { type: 'finish', reason: { kind, failure: Object.freeze({ code, message: text }) } }
}

/** @param {any} chunk @param {string} code */
function withCode(chunk, code) {
  return { ...chunk, reason: { ...chunk.reason, failure: Object.freeze({ ...chunk.reason.failure, code }) } }
}
