// @ts-check
/**
 * One socket of /api/remote.mux (harness-wire.md §3): many streams, text messages, exact keys.
 * @module
 */
import { Failure, wireError } from './failure.mjs'
import { any, id, passes, tagged } from './keys.mjs'

/**
 * Opens a stream; it throws what is refused.
 * @typedef {(endpoint: string, payload: any, signal: AbortSignal) => AsyncIterable<unknown>} Open
 * @typedef {{abort: AbortController, silent: boolean, uplink: number, ended: boolean}} Stream silent: the client wants nothing more of it
 * @typedef {{heartbeatMs?: number, uplink: boolean}} Options uplink: clients may send items (0.2.x)
 */

const HEARTBEAT = 2_000
/** What a client may send into one stream, in bytes. */
const MAX_UPLINK = 262_144
const INVALID = 1_008
const BINARY = 1_003
const UNDELIVERED = 1_011

const older = { open: { streamId: id, endpoint: id, payload: any }, cancel: { streamId: id } }
const frames = { older: tagged('type', older), newer: tagged('type', { ...older, item: { 'streamId': id, 'value?': any }, end: { streamId: id } }) }

/**
 * Serves a socket until it is closed.
 * @param {any} socket of the ws package
 * @param {Open} open
 * @param {Options} options
 */
export function serve(socket, open, { heartbeatMs = HEARTBEAT, uplink }) {
  /** @type {Map<string, Stream>} */
  const streams = new Map()
  const frame = uplink ? frames.newer : frames.older
  const cancel = (/** @type {Stream | undefined} */ stream) => {
    if (!stream) return
    stream.silent = true
    stream.abort.abort()
  }
  const send = (/** @type {object} */ message) => new Promise((resolve, reject) => {
    socket.send(JSON.stringify(message), (/** @type {Error | undefined} */ error) => error ? reject(error) : resolve(undefined))
  })

  /** An id is in use until its generator has returned. @param {string} streamId @param {string} endpoint @param {any} payload */
  const pump = async (streamId, endpoint, payload) => {
    const stream = { abort: new AbortController(), silent: false, uplink: 0, ended: false }
    streams.set(streamId, stream)
    /** @type {object} */
    let last = { type: 'end', streamId }
    try {
      for await (const value of open(endpoint, payload, stream.abort.signal)) {
        if (stream.silent) break
        await send(value === undefined ? { type: 'item', streamId } : { type: 'item', streamId, value })
      }
    } catch (error) {
      last = { type: 'error', streamId, error: wireError(error) }
    }
    streams.delete(streamId)
    if (!stream.silent) await send(last)
  }

  /** @param {string} streamId @param {Stream} stream @param {number} size @param {boolean} done */
  const take = (streamId, stream, size, done) => {
    stream.uplink += size
    const code = stream.ended ? 'gateway/protocol' : stream.uplink > MAX_UPLINK ? 'gateway/uplink-overflow' : undefined
    stream.ended ||= done
    if (code === undefined) return
    cancel(stream)
    void send({ type: 'error', streamId, error: wireError(new Failure(code, 'the stream does not take this')) }).catch(() => {})
  }

  socket.on('message', (/** @type {Buffer} */ data, /** @type {boolean} */ binary) => {
    if (binary) return socket.close(BINARY, 'binary message')
    const message = parse(data)
    if (!passes(frame, message)) return socket.close(INVALID, 'invalid frame')
    const { type, streamId } = message
    const stream = streams.get(streamId)
    switch (type) {
      case 'open':
        if (stream) return socket.close(INVALID, 'duplicate stream')
        pump(streamId, message.endpoint, message.payload).catch(() => socket.close(UNDELIVERED, 'not delivered'))
        return
      case 'cancel': return cancel(stream)
      default: if (stream && !stream.silent) take(streamId, stream, data.length, type === 'end')
    }
  })
  let unanswered = 0
  const beat = setInterval(() => {
    if (unanswered >= 2) return socket.terminate()
    unanswered++
    socket.ping()
  }, heartbeatMs)
  beat.unref()
  socket.on('pong', () => { unanswered = 0 })
  socket.on('error', () => {}) // close follows
  socket.on('close', () => {
    clearInterval(beat)
    for (const stream of streams.values()) cancel(stream)
  })
}

/** @param {Buffer} data @returns {any} undefined for what is no JSON */
function parse(data) {
  try {
    return JSON.parse(data.toString('utf8'))
  } catch {
    return undefined
  }
}
