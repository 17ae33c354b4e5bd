// @ts-check
/**
 * Calls over HTTP (harness-wire.md §1.3, §1.5, §2).
 * @module
 */
import { wireError } from './failure.mjs'
import { exactly, id, object, passes, string } from './keys.mjs'

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */
/**
 * Makes a call; it throws what is refused, and gives undefined where there is no value.
 * @typedef {(endpoint: string, args: any, signal: AbortSignal) => Promise<unknown>} Call
 */

const ENDPOINT = /^\/api\/([A-Za-z0-9_$.-]+\/[A-Za-z0-9_$.-]+)$/
const MAX_BODY = 300 * 1024 * 1024
const envelope = exactly({ type: string, rpcId: string, method: id, payload: exactly({ args: object }) })

/**
 * @param {import('./door.mjs').Door} door
 * @param {(endpoint: string) => boolean} has whether there is such a call (or stream, which as a call is refused)
 * @param {Call} call
 * @param {string} location where a login leads
 * @returns {(request: Request, response: Response) => void}
 */
export function handler(door, has, call, location) {
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const work = url.pathname === '/' ? page(door, request, response, url, location) : api(door, has, call, request, response, url)
    work.catch(error => {
      if (!response.headersSent) text(response, 500, String(error))
    })
  }
}

/** @param {import('./door.mjs').Door} door @param {Request} request @param {Response} response @param {URL} url @param {string} location */
async function page(door, request, response, url, location) {
  if (request.method !== 'GET') return text(response, 404, 'not found')
  const { status, cookie } = door.exchange(request, url)
  if (status === 401) return text(response, 401, 'unauthorized')
  if (status === 200) return void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')
  if (cookie !== undefined) response.setHeader('Set-Cookie', cookie)
  response.writeHead(303, { 'Location': location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }).end()
}

/**
 * @param {import('./door.mjs').Door} door @param {(endpoint: string) => boolean} has @param {Call} call
 * @param {Request} request @param {Response} response @param {URL} url
 */
async function api(door, has, call, request, response, url) {
  if (!url.pathname.startsWith('/api/')) return text(response, 404, 'not found')
  const refused = door.refusal(request)
  if (refused !== undefined) return text(response, refused, refused === 401 ? 'unauthorized' : 'forbidden')
  const endpoint = ENDPOINT.exec(url.pathname)?.[1]
  if (endpoint === undefined || request.method !== 'POST' || !has(endpoint)) return text(response, 404, 'not found')
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) return text(response, 415, 'expected application/json')
  const body = await read(request)
  if (body === undefined) {
    response.setHeader('Connection', 'close')
    return text(response, 413, 'body too large')
  }
  let message
  try {
    message = JSON.parse(body)
  } catch {
    return text(response, 400, 'body is not JSON')
  }
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const answer = (/** @type {object} */ result, /** @type {string} */ rpcId) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'server-response', rpcId, result }))
  }
  const rpcId = typeof message?.rpcId === 'string' ? message.rpcId : 'invalid-request'
  if (!passes(envelope, message) || message.type !== 'client-request' || message.method !== endpoint) {
    return answer({ ok: false, error: { code: 'gateway/bad-request', message: `not a request for ${endpoint}`, details: {} } }, rpcId)
  }
  try {
    const value = await call(endpoint, message.payload.args, gone.signal)
    answer(value === undefined ? { ok: true } : { ok: true, value }, rpcId)
  } catch (error) {
    answer({ ok: false, error: wireError(error) }, rpcId)
  }
}

/** @param {Request} request @returns {Promise<string | undefined>} undefined when it is too large */
async function read(request) {
  const parts = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size > MAX_BODY) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** @param {Response} response @param {number} status @param {string} words */
function text(response, status, words) {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(words)
}
