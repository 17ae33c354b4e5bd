// @ts-check
import http from 'node:http'
import https from 'node:https'
import { CODES, LIMITS, MESSAGES, PluginError, fill } from '../messages.mjs'
import { expectHead } from './shape.mjs'

const METHODS = new Set(['GET', 'HEAD', 'POST'])
/** Headers that are the connection's, or would carry what the plugin must not send. */
const REFUSED = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'te', 'trailer', 'upgrade',
  'keep-alive', 'expect', 'accept-encoding', 'cookie'])
const HIDDEN = new Set(['connection', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade', 'set-cookie'])

/**
 * Effect `fetch`: FetchRequest + body → FetchAnswer + body. One request to a host on the list; a redirect is an
 * answer like any other.
 * @param {string[]} hosts
 * @returns {import('../hot.mjs').EffectHandler}
 */
export function fetchEffect(hosts) {
  return ({ kind, value, body }, { signal }) => {
    expectHead(kind, value, { method: 'string?', url: 'string', headers: 'texts?', timeoutMs: 'whole?', maxBytes: 'whole?' })
    const url = admitURL(value.url)
    admitHost(url, hosts)
    const method = value.method || 'GET'
    if (!METHODS.has(method)) throw new PluginError(CODES.Refused, MESSAGES.FetchMethod)
    return request(url, {
      method,
      headers: { ...admitHeaders(value.headers ?? {}), 'accept-encoding': 'identity' },
      body: method === 'POST' ? body : undefined,
      timeoutMs: Math.min(value.timeoutMs || LIMITS.FetchTimeoutMs, LIMITS.MaxFetchTimeoutMs),
      maxBytes: Math.min(value.maxBytes || LIMITS.FetchBytes, LIMITS.MaxFetchBytes),
      signal,
    })
  }
}

/** @param {string} text @returns {URL} @throws {PluginError} when it is no absolute http(s) URL, or names an account */
export function admitURL(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const good = url !== undefined && /^https?:\/\/[^/?#\\]/i.test(text) && url.hostname !== '' && url.username === '' && url.password === ''
  if (!good) throw new PluginError(CODES.Refused, MESSAGES.FetchURL)
  return url
}

/** An entry without a port means the scheme's own. @param {URL} url @param {string[]} hosts */
function admitHost(url, hosts) {
  const own = url.protocol === 'https:' ? '443' : '80'
  const asked = `${url.hostname}:${url.port || own}`
  const listed = hosts.some(host => (/:\d+$/.test(host) ? host : `${host}:${own}`) === asked)
  if (!listed) throw new PluginError(CODES.Refused, fill(MESSAGES.FetchHost, { host: url.host }))
}

/** @param {Record<string, string>} headers @returns {Record<string, string>} names in lower case */
export function admitHeaders(headers) {
  return Object.fromEntries(Object.entries(headers).map(([given, value]) => {
    const name = given.toLowerCase()
    if (REFUSED.has(name) || name.startsWith('proxy-') || !isValid(name, value)) {
      throw new PluginError(CODES.Refused, fill(MESSAGES.FetchHeader, { name }))
    }
    return [name, value]
  }))
}

/** @param {string} name @param {string} value */
function isValid(name, value) {
  try {
    http.validateHeaderName(name)
    http.validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/**
 * @param {URL} url
 * @param {{method: string, headers: Record<string, string>, body: Uint8Array | undefined, timeoutMs: number, maxBytes: number, signal: AbortSignal}} options
 * @returns {Promise<import('../hot.mjs').EffectAnswer>}
 */
async function request(url, { method, headers, body, timeoutMs, maxBytes, signal }) {
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const response = await send(url, { method, headers, signal: AbortSignal.any([signal, late]), agent: false }, { body })
    return { value: { status: response.statusCode, headers: headersOf(response.rawHeaders) }, body: await read(response, maxBytes) }
  } catch (cause) {
    if (cause instanceof PluginError) throw cause
    if (late.aborted) throw new PluginError(CODES.Deadline, fill(MESSAGES.FetchTimeout, { ms: timeoutMs }), { cause })
    throw new PluginError(CODES.Failed, fill(MESSAGES.FetchFailed, { host: url.host }), { cause })
  }
}

/**
 * @param {URL} url @param {https.RequestOptions} options
 * @param {{body?: Uint8Array | undefined, connectMs?: number}} [more] connectMs: until somebody must have answered at all
 * @returns {Promise<http.IncomingMessage>}
 */
export function send(url, options, { body, connectMs } = {}) {
  return new Promise((resolve, reject) => {
    const client = url.protocol === 'https:' ? https : http
    const request = client.request(url, options, resolve)
    request.on('error', reject)
    if (connectMs !== undefined) connectWithin(request, connectMs)
    if (body !== undefined) request.setHeader('content-length', body.length)
    request.end(body)
  })
}

/** Gives a connection up that nobody has answered by then. @param {http.ClientRequest} request @param {number} ms */
function connectWithin(request, ms) {
  request.once('socket', socket => {
    if (!socket.connecting) return
    const timer = setTimeout(() => request.destroy(new Error(`nobody answered within ${ms} ms`)), ms)
    for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer))
  })
}

/** @param {http.IncomingMessage} response @param {number} limit */
async function read(response, limit) {
  const chunks = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > limit) throw new PluginError(CODES.Refused, fill(MESSAGES.FetchSize, { bytes: limit }))
    chunks.push(chunk)
  }
  if (!response.complete) throw new Error('the answer broke off')
  return Buffer.concat(chunks)
}

/** @param {string[]} raw name, value, name, value… @returns {Record<string, string>} sorted by name */
export function headersOf(raw) {
  /** @type {Record<string, string>} */
  const headers = {}
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = /** @type {string} */ (raw[i]).toLowerCase()
    if (HIDDEN.has(name)) continue
    headers[name] = headers[name] === undefined ? /** @type {string} */ (raw[i + 1]) : `${headers[name]}, ${raw[i + 1]}`
  }
  return Object.fromEntries(Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)))
}
