// @ts-check
import dns from 'node:dns'
import net from 'node:net'
import { CODES, LIMITS, MESSAGES, PluginError, fill } from '../messages.mjs'
import { admitHeaders, admitURL, headersOf, send } from './fetch.mjs'
import { expectHead } from './shape.mjs'

/** The plugin's own op that judges addresses. */
const ADMIT = 'admitAddress'
/** Less than the whole, so that a site which drops every packet is told apart from one that is slow. */
const CONNECT_MS = 10_000

/**
 * What stands in for the system's network where a test has one of its own.
 * @typedef {object} Network
 * @property {(host: string) => Promise<{address: string, family: number}[]>} [lookup] a host's addresses
 * @property {(address: string, port: number) => net.Socket} [connect] to an address that was admitted; plain http only
 * @property {number} [connectMs] how long it may take until somebody answers at all
 */

/**
 * Effect `fetch.web`: WebRequest → WebAnswer + body. One GET request to any host on the web. What the host's name is
 * looked up to for the connection itself is put before the plugin's op `admitAddress`; a host with an address that is
 * not admitted is not connected to at all.
 * @param {Network} [network]
 * @returns {import('../hot.mjs').EffectHandler}
 */
export function webEffect({ lookup = systemLookup, connect, connectMs = CONNECT_MS } = {}) {
  return async ({ kind, value }, { signal, ask }) => {
    expectHead(kind, value, { url: 'string', headers: 'texts?', timeoutMs: 'whole?', maxBytes: 'whole?' })
    const url = admitURL(value.url)
    const headers = { ...admitHeaders(value.headers ?? {}), host: url.host, 'accept-encoding': 'identity' }
    const timeoutMs = Math.min(positive(value.timeoutMs) || LIMITS.FetchTimeoutMs, LIMITS.MaxFetchTimeoutMs)
    const late = AbortSignal.timeout(timeoutMs)
    const over = AbortSignal.any([signal, late])
    const maxBytes = Math.min(positive(value.maxBytes) || LIMITS.FetchBytes, LIMITS.MaxFetchBytes)
    try {
      const addresses = await admitted(url, lookup, ask, over)
      const response = await send(url, {
        method: 'GET', headers, signal: over,
        lookup: (_host, options, done) => (options.all ? done(null, addresses) : done(null, addresses[0]?.address ?? '', addresses[0]?.family)),
        ...(connect ? { createConnection: () => connect(addresses[0]?.address ?? '', Number(url.port || 80)) } : { agent: false }),
      }, { connectMs })
      const { body, truncated } = await read(response, maxBytes, over)
      return { value: { status: response.statusCode, headers: headersOf(response.rawHeaders), ...(truncated && { truncated }) }, body }
    } catch (cause) {
      if (cause instanceof PluginError) throw cause
      if (late.aborted) throw new PluginError(CODES.Deadline, fill(MESSAGES.FetchTimeout, { ms: timeoutMs }), { cause })
      throw new PluginError(CODES.Failed, fill(MESSAGES.FetchFailed, { host: url.host }), { cause })
    }
  }
}

/**
 * The addresses that a connection may be made to: all of the host's, each admitted.
 * @param {URL} url @param {NonNullable<Network['lookup']>} lookup @param {import('../hot.mjs').EffectCall['ask']} ask @param {AbortSignal} over
 */
async function admitted(url, lookup, ask, over) {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const literal = net.isIP(host)
  const addresses = literal ? [{ address: host, family: literal }] : await before(over, lookup(host))
  if (addresses.length === 0) throw new Error(`${host} has no address`)
  for (const { address } of addresses) {
    if (!isAdmitted(ask, host, address)) throw new PluginError(CODES.Refused, fill(MESSAGES.WebAddress, { host }))
  }
  return addresses
}

/** Whatever is no yes is a no. @param {import('../hot.mjs').EffectCall['ask']} ask @param {string} host @param {string} address */
function isAdmitted(ask, host, address) {
  try {
    return ask(ADMIT, { host, address }).admitted === true
  } catch {
    return false
  }
}

/** @param {string} host */
async function systemLookup(host) {
  return dns.promises.lookup(host, { all: true, verbatim: true })
}

/** A promise's value, unless a signal comes first. @template T @param {AbortSignal} signal @param {Promise<T>} promise @returns {Promise<T>} */
function before(signal, promise) {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/**
 * A body up to a limit; one that goes on or breaks off is what came of it.
 * @param {import('node:http').IncomingMessage} response @param {number} limit @param {AbortSignal} over
 */
async function read(response, limit, over) {
  const chunks = []
  let size = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      if ((size += chunk.length) > limit) break // which ends the connection
    }
  } catch (error) {
    if (over.aborted || size === 0) throw error
  }
  const body = Buffer.concat(chunks)
  return { body: body.subarray(0, limit), truncated: size > limit || !response.complete }
}

/** @param {number | null | undefined} n */
const positive = n => (typeof n === 'number' && n > 0 ? n : 0)
