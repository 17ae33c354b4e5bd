// @ts-check
/**
 * One socket of /api/remote.mux (harness-wire.md §3): many streams, text messages, exact keys.
 * @module
 */
import { Failure, wireError } from './failure.mjs'
import { any, exactly, id, object, passes, tagged } from './keys.mjs'

/**
 * Opens a stream; it throws what is refused.
 * @typedef {(endpoint: string, args: any, signal: AbortSignal) => AsyncIterable<unknown>} Open
 * @typedef {{abort: AbortController, uplink: number, ended: boolean}} Stream
 * @typedef {{heartbeatMs?: number, uplink: boolean}} Options uplink: clients may send items (0.2.x)
 */

const HEARTBEAT = 2_000
/** What a client may send into one stream, in bytes. */
const MAX_UPLINK = 262_144
const INVALID = 1_008
const BINARY = 1_003
const UNDELIVERED = 1_011

const payload = exactly({ args: object })
const older = { open: { streamId: id, endpoint: id, payload }, cancel: { streamId: id } }
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
  const end = (/** @type {string} */ streamId) => {
    streams.get(streamId)?.abort.abort()
    streams.delete(streamId)
  }
  const send = (/** @type {object} */ message) => new Promise((resolve, reject) => {
    socket.send(JSON.stringify(message), (/** @type {Error | undefined} */ error) => error ? reject(error) : resolve(undefined))
  })

  /** @param {string} streamId @param {string} endpoint @param {any} args */
  const pump = async (streamId, endpoint, args) => {
    const stream = { abort: new AbortController(), uplink: 0, ended: false }
    streams.set(streamId, stream)
    const active = () => streams.get(streamId) === stream
    /** @type {object} */
    let last = { type: 'end', streamId }
    try {
      for await (const value of open(endpoint, args, stream.abort.signal)) {
        if (!active()) return
        await send(value === undefined ? { type: 'item', streamId } : { type: 'item', streamId, value })
      }
    } catch (error) {
      last = { type: 'error', streamId, error: wireError(error) }
    }
    if (!active()) return
    end(streamId)
    await send(last)
  }

  /** @param {string} streamId @param {Stream} stream @param {number} size @param {boolean} done */
  const take = (streamId, stream, size, done) => {
    stream.uplink += size
    const code = stream.ended ? 'gateway/protocol' : stream.uplink > MAX_UPLINK ? 'gateway/uplink-overflow' : undefined
    stream.ended ||= done
    if (code === undefined) return
    end(streamId)
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
        pump(streamId, message.endpoint, message.payload.args).catch(() => socket.close(UNDELIVERED, 'not delivered'))
        return
      case 'cancel': return end(streamId)
      default: if (stream) take(streamId, stream, data.length, type === 'end')
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
    for (const streamId of [...streams.keys()]) end(streamId)
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
