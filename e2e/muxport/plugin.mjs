// @ts-check
/**
 * Test support: the modern wire, `remote.mux`, on a port of its own of a real 0.1.0 Harness process, over the services
 * of that process. The older wire on the process's own port stays as it is. Config of the row:
 *
 *   shape        "0.2" or "0.1.5": which of the two versions that harness-wire.md describes is spoken
 *   attachments  the name of the third argument of commands/execute: submittedAttachments, or images (before 0.1.5)
 *   state        absolute folder of what must outlive the process: the cookies' secret, and Catalog's notes
 *   heartbeatMs  between two pings; 2,000 when left out
 *
 * It is made of harness-wire.md alone. What 0.1.0 cannot give is left out: a steered follow-up of a subagent is queued,
 * `session/cancel` leaves what is queued until the next prompt, `next` to a question is a refusal to answer.
 * @module
 */
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Catalog } from './catalog.mjs'
import { Control } from './control.mjs'
import { Door } from './door.mjs'
import { Emits } from './emits.mjs'
import { eventMethods, Events } from './events.mjs'
import { Failure } from './failure.mjs'
import { follow } from './follow.mjs'
import { handler } from './http.mjs'
import { Journals } from './journals.mjs'
import { checkArgs, exactly, object, passes } from './keys.mjs'
import { serve } from './mux.mjs'
import { commandMethods, goalMethods, hostMethods, subagentMethods } from './others.mjs'
import { Projections } from './projections.mjs'
import { announce } from './ready.mjs'
import { sessionMethods } from './sessions.mjs'
import { Waterfalls } from './waterfalls.mjs'

/**
 * @typedef {{shape: '0.2' | '0.1.5', attachments?: string, state: string, heartbeatMs?: number}} Config
 * @typedef {{parameters: Record<string, import('./keys.mjs').Check> | undefined}} Described parameters: undefined, the method checks them itself
 * @typedef {Record<string, Described & {call: (args: any, signal: AbortSignal) => Promise<unknown>}>} Calls
 * @typedef {Record<string, Described & {open: (args: any, signal: AbortSignal) => AsyncIterable<unknown>}>} Streams
 * @typedef {{ctx: any, newer: boolean, attachments: string, journals: Journals, projections: Projections, emits: Emits}} Parts
 */

export const name = 'strata-muxport'
export const inject = ['apiProxy', 'approval', 'agents', 'commands', 'sessions', 'sessionPersistence', 'sessionProjections', 'subagents', 'llm', 'agentDefaultModel']

/** @param {any} ctx the row's context in the Harness @param {Config} config */
export async function apply(ctx, { shape, attachments = 'submittedAttachments', state, heartbeatMs }) {
  const newer = shape === '0.2'
  const journals = new Journals(ctx, new Catalog(state), newer ? 3 : 2)
  const projections = new Projections(ctx, journals, newer)
  const events = new Events()
  const emits = new Emits(ctx, projections, (event, args) => events.emit(event, args))
  const parts = { ctx, newer, attachments, journals, projections, emits }
  const control = new Control(parts)
  const waterfalls = new Waterfalls(ctx, events)
  const { calls, streams } = methods(parts, events, control)

  /** @type {import('./http.mjs').Call} */
  const call = (endpoint, args, signal) => {
    const method = Object.hasOwn(calls, endpoint) ? calls[endpoint] : undefined
    if (!method) throw new Failure('gateway/signature-invalid', `${endpoint} is a stream`, { endpoint })
    if (method.parameters) checkArgs(endpoint, method.parameters, args)
    return method.call(args, signal)
  }
  /** @type {import('./mux.mjs').Open} */
  const open = (endpoint, payload, signal) => {
    const stream = Object.hasOwn(streams, endpoint) ? streams[endpoint] : undefined
    if (!stream && Object.hasOwn(calls, endpoint)) throw new Failure('gateway/signature-invalid', `${endpoint} is no stream`, { endpoint })
    if (!stream) throw new Failure('gateway/invocation-unavailable', `no such stream: ${endpoint}`, { endpoint })
    const { args } = passes(wrapped, payload) ? payload : malformed(endpoint)
    if (stream.parameters) checkArgs(endpoint, stream.parameters, args)
    return stream.open(args, signal)
  }

  const door = new Door(state)
  const has = (/** @type {string} */ endpoint) => Object.hasOwn(calls, endpoint) || Object.hasOwn(streams, endpoint)
  const server = createServer(handler(door, has, async (...of) => call(...of), newer ? './' : '/'))
  const sockets = new (webSocketServer())({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (request.url !== '/api/remote.mux') return void socket.destroy()
    const status = door.refusal(request)
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} ${status === 401 ? 'Unauthorized' : 'Forbidden'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    sockets.handleUpgrade(request, socket, head, (/** @type {any} */ ws) => serve(ws, open, { heartbeatMs, uplink: newer }))
  })

  const stopped = new AbortController()
  ctx.effect(() => () => {
    stopped.abort()
    for (const ws of sockets.clients) ws.terminate()
    server.close()
    server.closeAllConnections()
  }, 'strata-muxport')
  void (async () => {
    for await (const { rpcId, payload } of ctx.apiProxy.events.mux({}, stopped.signal)) {
      waterfalls.frame(rpcId, payload)
      control.frame(payload)
    }
  })()
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  announce(`http://127.0.0.1:${port}/?token=${door.token}`)
}

const wrapped = exactly({ args: object })

/** Refuses what is around a stream's arguments. @param {string} endpoint @returns {never} */
function malformed(endpoint) {
  if (endpoint === '$events') throw new Failure('gateway/arguments-invalid', 'expected empty args', { endpoint })
  throw new Error('the payload has one key, args')
}

/** @param {Parts} parts @param {Events} events @param {Control} control @returns {{calls: Calls, streams: Streams}} */
function methods(parts, events, control) {
  const sessions = follow(parts)
  const asked = eventMethods(events)
  return {
    calls: {
      ...sessionMethods(parts), ...sessions.calls, ...commandMethods(parts), ...goalMethods(parts), ...subagentMethods(parts),
      ...hostMethods(parts), ...asked.calls,
    },
    streams: { ...sessions.streams, ...asked.streams, 'session/control': { parameters: {}, open: (_args, signal) => control.open(signal) } },
  }
}

/** The class of the `ws` package that the Harness itself serves its sockets with. */
function webSocketServer() {
  const home = /** @type {string} */ (process.env.DSH_HOME)
  const connection = createRequire(path.join(home, 'profiles', 'any.mjs')).resolve('@deepseek-ai/dsh-client-connection')
  return createRequire(connection)('ws').WebSocketServer
}
