// @ts-check
/**
 * What the Harness's `web` service asks for, by way of the plugin's ops.
 * @module
 */
import { importHarness } from '../lib/harness.mjs'
import { asPluginError } from '../lib/messages.mjs'

/** The Harness's codes for the plugin's; another one is a provider's failure. @type {Record<string, string>} */
const CODES = {
  'invalid-url': 'WEB_INVALID_URL', 'blocked-url': 'WEB_BLOCKED_URL', redirect: 'WEB_REDIRECT_BLOCKED', timeout: 'WEB_FETCH_TIMEOUT',
  'content-type': 'WEB_UNSUPPORTED_CONTENT_TYPE', cancelled: 'WEB_ABORTED', deadline: 'WEB_FETCH_TIMEOUT',
}
const text = new TextDecoder()

/** @typedef {() => Promise<import('../lib/hot.mjs').Instance>} Plugin */

/** A WebSearchProvider of the Harness. @param {string} id @param {Plugin} plugin @param {WeakSet<object>} own takes the requests that it answers */
export function searchProvider(id, plugin, own) {
  return {
    id,
    available: () => true,
    /** @param {{query: string}} request @param {AbortSignal} [signal] */
    async search(request, signal) {
      own.add(request)
      const { value } = await ask(plugin, 'search', { query: request.query }, signal)
      return { content: value.content, sources: value.sources.map(withoutEmpty), truncated: false }
    },
  }
}

/**
 * Wraps the search of the Harness's `web`: what another provider than ours found (the Harness's own, for DeepSeek) is
 * cleaned and marked as ours is. Where that cannot be done nothing is handed on.
 * @param {Plugin} plugin @param {WeakSet<object>} own the requests that ours answered
 */
export function marks(plugin, own) {
  return (/** @type {Function} */ search) => async function (/** @type {any} */ request, /** @type {any[]} */ ...rest) {
    // @ts-ignore the service's own this
    const result = await search.call(this, request, ...rest)
    if (own.has(request)) return result
    const sources = result.sources.map((/** @type {any} */ { url, title, snippet, publishedAt }) => ({ url, title, snippet, publishedAt }))
    const { value } = await ask(plugin, 'mark', { content: result.content ?? '', sources })
    return { ...result, ...(value.content && { content: value.content }), sources: value.sources.map(withoutEmpty) }
  }
}

/** A WebFetchProvider of the Harness. Its pages are Markdown already. @param {string} id @param {Plugin} plugin */
export function fetchProvider(id, plugin) {
  return {
    id,
    available: () => true,
    /** @param {{url: string}} request @param {AbortSignal} [signal] */
    async fetch({ url }, signal) {
      const { value, body } = await ask(plugin, 'fetch', { url }, signal)
      return { url: value.url, statusCode: value.statusCode, body: { kind: 'text', content: text.decode(body) }, truncated: value.truncated }
    },
  }
}

/** @param {Plugin} plugin @param {string} op @param {object} head @param {AbortSignal} [signal] */
async function ask(plugin, op, head, signal) {
  try {
    return await (await plugin()).call(op, head, undefined, { ...(signal && { signal }) })
  } catch (error) {
    throw await asWebError(error)
  }
}

/** The Harness's own error class where it has one: its tools tell the code. @param {unknown} error @returns {Promise<Error>} */
async function asWebError(error) {
  const { code, message } = asPluginError(error)
  const webCode = CODES[code] ?? 'WEB_PROVIDER_ERROR'
  const WebError = (await importHarness('@deepseek-ai/dsh-web'))?.WebError
  if (typeof WebError === 'function') return new WebError(message, webCode, { cause: error })
  return Object.assign(new Error(message, { cause: error }), { code: webCode })
}

/** @param {Record<string, string>} source */
function withoutEmpty(source) {
  return Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''))
}
