// @ts-check
/**
 * The methods of the namespace `session` (harness-wire.md §6.1) over the in-process API of 0.1.0.
 * @module
 */
import { ownedBySubagents } from './address.mjs'
import { Failure, valueOf } from './failure.mjs'
import { exactly, id, integer, list, object, oneOf, string, tagged } from './keys.mjs'
import { listed } from './summary.mjs'

/** @typedef {import('./plugin.mjs').Parts} Parts */
/** @typedef {import('./plugin.mjs').Calls} Calls */

const text = { text: string }
/** What a prompt may hold. */
export const contentCheck = list(tagged('type', { text, image: { 'mediaType': string, 'data': string, 'name?': string }, file: { receiptId: id } }))

/** @param {Parts} parts @returns {Calls} */
export function sessionMethods(parts) {
  const { ctx, journals, projections, newer } = parts
  const api = ctx.apiProxy.sessions
  const ask = async (/** @type {any} */ method, /** @type {any} */ payload, rpcId = 'muxport') => valueOf(await method.call(api, { rpcId, payload }, new AbortController().signal))
  /** @type {(fields: Record<string, import('./keys.mjs').Check>, call: (request: any) => Promise<unknown>) => Calls[string]} */
  const method = (fields, call) => ({ parameters: { request: exactly(fields) }, call: ({ request }) => call(request) })
  const prompts = new Prompts(parts, (request, requestId) => ask(api.prompt, request, requestId))
  /** @type {Calls} */
  const calls = {
    'session/list': {
      parameters: { _request: exactly({ 'cursor?': string }) },
      async call() {
        const { items } = await ask(api.list, {})
        return { items: items.map((/** @type {any} */ old) => listed(ctx, projections, old)) }
      },
    },
    'session/search': method({ query: string }, request => ask(api.search, request)),
    'session/create': method({ 'workspaceId?': id, 'cwd?': id, 'sessionId?': id, 'agentPreset?': id }, request => {
      if (request.workspaceId !== undefined && request.cwd !== undefined) throw new Failure('gateway/bad-request', 'give workspaceId or cwd, not both')
      return ask(api.create, request)
    }),
    'session/prompt': method({ 'requestId': id, 'sessionId': id, 'mode': oneOf('queue', 'steer'), 'content': contentCheck, 'clientTimeZone?': string }, request => prompts.take(request)),
    'session/cancel': method({ sessionId: id }, request => ask(api.cancel, request)),
    'session/selectModel': method({ 'sessionId': id, 'provider': id, 'model': id, 'reasoningEffort?': id }, request => ask(api.selectModel, request)),
    'session/modelCatalog': {
      parameters: {},
      async call() {
        const { groups, failures } = valueOf(await ctx.apiProxy.llm.models({ rpcId: 'muxport', payload: {} }))
        const { provider, model } = ctx.agentDefaultModel.currentSelection()
        return { default: { provider, model }, routableProviders: ctx.llm.listProviders().map((/** @type {any} */ one) => one.id), groups, failures }
      },
    },
    'session/rename': method({ sessionId: id, title: string }, async request => {
      const { title, seq } = await ask(api.rename, request)
      return { title, seq: journals.attached(request.sessionId)?.log.seqOf(seq) }
    }),
    'session/fork': method({ 'sessionId': id, 'atSeq?': integer }, async ({ sessionId, atSeq }) => {
      const at = atSeq === undefined ? {} : { atSeq: (await journals.of(sessionId)).log.oldOf(atSeq) }
      return ask(api.fork, { sessionId, ...at })
    }),
    'session/updateQueue': method({
      sessionId: id, itemId: id, action: tagged('kind', { edit: { content: list(object) }, remove: {}, steer: {} }),
    }, request => ask(api.updateQueue, request)),
    'session/attachment': method({ sessionId: id, attachmentId: id }, request => ask(api.attachment, request)),
  }
  if (newer) {
    calls['session/projections'] = method({ sessionId: id }, ({ sessionId }) => projections.of(sessionId).catch(error => {
      if (error instanceof Failure && error.code === 'session/not-found') return null
      throw error
    }))
    calls['session/initializeDefaultModel'] = { parameters: {}, async call() {} }
  }
  return calls
}

/** Prompts, each taken once: by its requestId. */
class Prompts {
  /** @type {Map<string, Promise<unknown>>} */
  #underway = new Map()

  /** @param {Parts} parts @param {(request: any, requestId: string) => Promise<unknown>} prompt */
  constructor(parts, prompt) {
    this.parts = parts
    this.prompt = prompt
  }

  /** @param {any} request */
  async take({ requestId, ...request }) {
    if (!request.content.some((/** @type {any} */ part) => part.type !== 'text' || part.text.trim() !== '')) throw new Failure('gateway/bad-request', 'the prompt is blank')
    if (request.content.some((/** @type {any} */ part) => part.type === 'file')) throw new Failure('session/attachment-invalid', 'the file is not there', { reason: 'FILE_NOT_STAGED' })
    const key = `${request.sessionId} ${requestId}`
    const underway = this.#underway.get(key)
    if (underway) return underway
    const work = this.#once(requestId, request).finally(() => this.#underway.delete(key))
    this.#underway.set(key, work)
    return work
  }

  /** @param {string} requestId @param {any} request */
  async #once(requestId, request) {
    const journal = await this.parts.journals.of(request.sessionId)
    if (journal.header.origin === 'subagent') throw ownedBySubagents(request.sessionId)
    const taken = journal.log.events.some(({ type, data }) => {
      const messages = type === 'user/message' ? [data] : type === 'agent/inbox/spliced' ? data.inserted : []
      return messages.some((/** @type {any} */ message) => message.source.kind === 'user' && message.source.rpcId === requestId)
    })
    return taken ? { accepted: true } : this.prompt(request, requestId)
  }
}

