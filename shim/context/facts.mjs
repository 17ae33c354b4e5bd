// @ts-check
/**
 * What the plugin is told of events and messages: lengths and prices, and no text but how a person's message or a
 * summary begins, and the words of a failure.
 * @module
 */

/** @typedef {import('../lib/effects/session.mjs').Session & {deriveEventMessage(event: unknown): any, requestHeader(): any, requestContext(): any}} Session */

const SAID = 300 // UTF-16 units
const PICTURE = '[picture]'

/** Reads events of a session by their seqs; a Harness that hands them out one at a time copies none. @param {any} session @returns {(seq: number) => any} */
export function reader(session) {
  if (typeof session.eventAt === 'function') return seq => session.eventAt(seq)
  const { events } = session // a copy
  return seq => events[seq]
}

/** The route of a request's config. @param {any} config @returns {string} */
export const routeOf = config => `${config?.provider ?? ''}/${config?.model ?? ''}`

/** Instructions and tools of a request in UTF-16 units. @param {any} header */
export function headerUnits(header) {
  return { system: header?.system?.length ?? 0, tools: header?.tools?.length ? JSON.stringify(header.tools).length : 0 }
}

/**
 * @param {any} session @param {any} event @param {(message: unknown) => number} price
 * @returns {object | undefined} a ContextEvent; undefined for one that says nothing
 */
export function contextFact(session, event, price) {
  const { seq, type, data, surfaceOp } = event
  switch (type) {
    case 'request/header':
      return { seq, kind: 'header', ...headerUnits(data.header), route: routeOf(data.header.config), output: data.header.config?.maxTokens ?? 0 }
    case 'request/context':
      return { seq, kind: 'window', window: data.contextWindow ?? 0 }
    case 'assistant/chunk':
      return failed(seq, data.chunk)
    case 'assistant/attempt': // 0.1.5 and later: a request that gave no message, its chunks in records
      return failed(seq, data.stream?.findLast((/** @type {any} */ { chunk }) => chunk?.type === 'finish')?.chunk)
    case 'compaction/summary':
      return { seq, kind: 'begun', message: (data.summary?.find((/** @type {any} */ { type }) => type === 'text')?.text ?? '').slice(0, SAID) }
    case 'compaction/end':
      return { seq, kind: 'compacted', message: data.error === undefined || data.error === null ? '' : String(data.error) }
  }
  if (surfaceOp == null) return undefined
  const message = session.deriveEventMessage(event)
  return {
    seq, kind: 'node', tokens: message === null ? 0 : price(message),
    ...(surfaceOp.op === 'replace' && { replaces: true, start: surfaceOp.start, end: surfaceOp.end }),
    ...(type === 'assistant/message' && { prompt: promptSize(data.usage) }),
  }
}

/** @param {number} seq @param {any} chunk */
function failed(seq, chunk) {
  return chunk?.type === 'finish' && chunk.reason.kind === 'error' ? { seq, kind: 'failed', ...failureOf(chunk.reason.failure) } : undefined
}

/** @param {any} failure of a model request */
export function failureOf({ code = '', status = 0, message = '' } = {}) {
  return { code, status, message }
}

/** @param {any} usage of an answer @returns {number} tokens of its prompt; 0 where none were reported */
function promptSize(usage) {
  return usage === undefined ? 0 : usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0)
}

/**
 * A message as a ContextPiece.
 * @param {any} message @param {number} tokens @param {string} [text] its transcript
 */
export function piece(message, tokens, text = '') {
  const { calls, results } = callsOf(message)
  const person = message.role === 'user' && message.source?.kind === 'user'
  return {
    tokens, units: text.length, calls, results,
    kind: message.role === 'assistant' ? 'answer' : message.source?.plugin === 'compact' ? 'summary' : message.role === 'system' ? 'fixed' : '',
    ...(person && { said: whole(text.slice(text.indexOf('\n') + 1), 0, SAID) }),
  }
}

/** @param {any} message */
function callsOf({ content }) {
  let calls = 0
  let results = 0
  for (const { type } of content) {
    if (type === 'tool-call') calls++
    if (type === 'tool-result') results++
  }
  return { calls, results }
}

/** A message as it stands in a transcript. @param {any} message @returns {string} */
export function transcript({ role, content }) {
  const parts = []
  for (const block of content) {
    switch (block.type) {
      case 'text': parts.push(`[${role}]\n${block.text}`); break
      case 'tool-call': parts.push(`[tool call ${block.name}]\n${block.arguments}`); break
      case 'tool-result': parts.push(`[tool result${block.isError ? ', an error' : ''}]\n${block.content.map(plain).join('\n')}`); break
      case 'reasoning': break // the model's own, of no use to another reader
      default: parts.push(`[${role}]\n${plain(block)}`)
    }
  }
  return parts.join('\n\n')
}

/** @param {any} block */
const plain = block => (block.type === 'text' ? block.text : block.type === 'image' ? PICTURE : `[${block.type}]`)

/** A part of a text that cuts no character in two. @param {string} text @param {number} from @param {number} to */
export function whole(text, from, to) {
  return text.slice(from, to).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
}
