// @ts-check
/**
 * The fence: on a Harness whose wire has no authentication, every request and every WebSocket under /api must carry
 * `Authorization: Bearer <launch secret>`. Without it the agent's own shell can switch its session to full access.
 *
 * The secret is the first line of the Harness's stdin, so that it stands in no environment, file or command line.
 * Until it came, and when it never comes, nothing gets in. The page itself ("/") stays open; it can do nothing.
 * @module
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { hasMethods } from './lib/probe.mjs'
import { wrapMethod } from './lib/wrap.mjs'

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */
/** @typedef {{path: string, handler: (request: Request, ...rest: any[]) => unknown}} Route */

export const name = 'strata-fence'
export const inject = ['webServer']

const API = '/api'
const SECRET = /^[0-9a-f]{64}$/
const MAX_LINE = 1_024
const REFUSAL = JSON.stringify({
  error: { code: 'unauthorized', message: 'This address answers only the program that started it. Use that program’s own page.' },
})

/** SHA-256 of the launch secret; stdin gives it once, however often the row is mounted. @type {Buffer | undefined} */
let expected
let reading = false

/** @param {any} ctx the row's context in the Harness */
export function apply(ctx) {
  readSecret(process.stdin)
  const server = ctx.webServer
  if (!hasMethods(server, 'match') || !hasMethods(server.upgrades, 'get')) {
    throw new Error('The fence could not start: this Harness has no web server that it can close. Do not mount the fence row on it.')
  }
  ctx.effect(() => wrapMethod(server, 'match', match => (/** @type {string} */ path) => {
    const route = match.call(server, path)
    return route !== undefined && isFenced(path, route) ? { ...route, handler: guard(route.handler, refuse) } : route
  }), 'strata-fence: requests')
  ctx.effect(() => wrapMethod(server.upgrades, 'get', get => (/** @type {string} */ path) => {
    const route = get.call(server.upgrades, path)
    return route !== undefined && isFenced(path, route) ? { ...route, handler: guard(route.handler, refuseUpgrade) } : route
  }), 'strata-fence: WebSockets')
}

/** @param {string} path of the request @param {Route} route that serves it */
function isFenced(path, route) {
  return [path, route.path].some(one => one === API || one.startsWith(`${API}/`))
}

/**
 * @param {Route['handler']} handler
 * @param {(request: Request, answer: any) => void} turnAway
 * @returns {Route['handler']}
 */
function guard(handler, turnAway) {
  return (request, ...rest) => (admits(request) ? handler(request, ...rest) : turnAway(request, rest[0]))
}

/** Whether a request carries the secret; compared in constant time. @param {Request} request */
function admits({ headers: { authorization = '' } }) {
  const given = /^Bearer ([0-9a-f]{64})$/.exec(authorization)?.[1]
  return expected !== undefined && given !== undefined && timingSafeEqual(digest(given), expected)
}

/** @param {Request} request @param {Response} response */
function refuse(request, response) {
  request.resume()
  response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Bearer', 'cache-control': 'no-store' })
  response.end(REFUSAL)
}

/** @param {Request} _request @param {import('node:stream').Duplex} socket */
function refuseUpgrade(_request, socket) {
  socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\nwww-authenticate: Bearer\r\nconnection: close\r\n'
    + `content-length: ${Buffer.byteLength(REFUSAL)}\r\n\r\n${REFUSAL}`)
}

/**
 * Takes the first line of stdin and lets go of it: an open stdin must neither keep the Harness alive nor hold up its
 * end. What follows the line is left unread.
 * @param {NodeJS.ReadStream} stdin
 */
function readSecret(stdin) {
  if (reading) return
  reading = true
  let line = ''
  const done = () => {
    stdin.off('data', take).off('end', done).off('error', done).pause()
    stdin.unref?.()
  }
  const take = (/** @type {Buffer} */ chunk) => {
    line += chunk.toString('latin1')
    const end = line.indexOf('\n')
    if (end < 0 && line.length <= MAX_LINE) return
    const secret = line.slice(0, Math.max(end, 0)).trimEnd()
    if (SECRET.test(secret)) expected = digest(secret)
    done()
  }
  stdin.on('data', take).on('end', done).on('error', done)
  stdin.unref?.()
}

/** @param {string} secret */
const digest = secret => createHash('sha256').update(secret).digest()
