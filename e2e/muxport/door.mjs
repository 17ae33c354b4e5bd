// @ts-check
/**
 * Who gets in (harness-wire.md §1.3, §1.4): a launch token is exchanged for a cookie; then Host, Origin and cookie of
 * every call and socket are looked at, in that order.
 * @module
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** @typedef {import('node:http').IncomingMessage} Request */

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])
/** How long a cookie lives: 30 days, in milliseconds. */
const LIFE = 30 * 24 * 60 * 60 * 1_000

const base64url = (/** @type {string | Buffer} */ data) => Buffer.from(data).toString('base64url')

export class Door {
  /** The launch token; good for the whole life of the process. */
  token = base64url(randomBytes(32))
  #secret

  /** @param {string} dir where the cookies' secret is kept, so that they outlive a restart */
  constructor(dir) {
    this.#secret = persistedSecret(dir)
  }

  /**
   * Whether a request may come in: undefined, or the status that it is refused with.
   * @param {Request} request
   * @returns {401 | 403 | undefined}
   */
  refusal({ headers }) {
    const authority = authorityOf(headers.host)
    if (authority === undefined || !LOOPBACK.has(hostname(authority))) return 403
    if (headers['sec-fetch-site'] === 'cross-site') return 403
    if (headers.origin !== undefined && originHost(headers.origin) !== authority) return 403
    return this.#knows(headers.cookie, authority) ? undefined : 401
  }

  /**
   * The exchange, `GET /?token=T`: the status, and the cookie where one is given.
   * @param {Request} request @param {URL} url
   * @returns {{status: 200 | 303 | 401, cookie?: string}}
   */
  exchange({ headers }, url) {
    const authority = authorityOf(headers.host) ?? ''
    const known = this.#knows(headers.cookie, authority)
    if (url.search === '') return { status: known ? 200 : 401 }
    const [given, ...more] = url.searchParams.getAll('token')
    const single = given !== undefined && more.length === 0 && [...url.searchParams].length === 1
    if (single && same(given, this.token)) return { status: 303, cookie: this.#cookie(authority) }
    return { status: known ? 303 : 401 }
  }

  /** @param {string} authority */
  #cookie(authority) {
    const issuedAt = Date.now()
    const body = base64url(JSON.stringify({ version: 1, authority, issuedAt, expiresAt: issuedAt + LIFE }))
    const value = `v1.${body}.${this.#sign(body)}`
    return `${cookieName(authority)}=${value}; Max-Age=${LIFE / 1_000}; Path=/; Expires=${new Date(issuedAt + LIFE).toUTCString()}; HttpOnly; SameSite=Strict`
  }

  /** @param {string} body */
  #sign(body) {
    return base64url(createHmac('sha256', this.#secret).update(body).digest())
  }

  /** @param {string | undefined} cookies @param {string} authority */
  #knows(cookies, authority) {
    const name = `${cookieName(authority)}=`
    const value = cookies?.split('; ').find(one => one.startsWith(name))?.slice(name.length)
    const [version, body, signature, ...more] = value?.split('.') ?? []
    if (version !== 'v1' || more.length > 0 || !body || !signature || !same(signature, this.#sign(body))) return false
    const claim = JSON.parse(Buffer.from(body, 'base64url').toString())
    return claim.version === 1 && claim.authority === authority && claim.expiresAt > Date.now()
  }
}

/** @param {string} authority */
const cookieName = authority => `dsh-auth-${base64url(createHash('sha256').update(authority).digest())}`

/** The Host header as a URL parser has it; undefined where it is none. @param {string | undefined} host */
function authorityOf(host) {
  const url = URL.parse(`http://${host ?? ''}/`)
  return url && url.pathname === '/' && url.username === '' && url.search === '' ? url.host : undefined
}

/** @param {string} authority without its port */
const hostname = authority => new URL(`http://${authority}/`).hostname

/** @param {string} origin @returns {string | undefined} undefined for null and what is no URL */
const originHost = origin => URL.parse(origin)?.host

/** @param {string} a @param {string} b compared in constant time */
function same(a, b) {
  const digest = (/** @type {string} */ text) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

/** @param {string} dir */
function persistedSecret(dir) {
  const file = path.join(dir, 'browser-session')
  try {
    return readFileSync(file)
  } catch {
    const secret = randomBytes(32)
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    writeFileSync(file, secret, { mode: 0o600 })
    return secret
  }
}
