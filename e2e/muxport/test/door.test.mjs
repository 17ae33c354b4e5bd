// @ts-check
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { Door } from '../door.mjs'

const host = '127.0.0.1:4000'
const request = (/** @type {any} */ headers) => /** @type {any} */ ({ headers })

/** @param {import('node:test').TestContext} t */
function stand(t) {
  const dir = mkdtempSync(path.join(tmpdir(), 'door-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const door = new Door(path.join(dir, 'state'))
  const go = (/** @type {string} */ query, headers = {}) => door.exchange(request({ host, ...headers }), new URL(`http://x/${query}`))
  const cookie = /** @type {string} */ (go(`?token=${door.token}`).cookie).split(';')[0]
  return { dir, door, go, cookie }
}

test('a token is exchanged for a cookie; without either nobody gets in', t => {
  const { go, door, cookie } = stand(t)
  assert.deepEqual([go(''), go('?token=wrong'), go(`?token=${door.token}&token=${door.token}`), go(`?token=${door.token}&x=1`)].map(one => one.status), [401, 401, 401, 401])
  assert.deepEqual([go('', { cookie }), go('?token=wrong', { cookie })], [{ status: 200 }, { status: 303 }])
  assert.match(cookie, /^dsh-auth-[A-Za-z0-9_-]{43}=v1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/)
})

test('host, site and origin come before the cookie', t => {
  const { door, cookie } = stand(t)
  const cases = [
    [{ host, cookie }, undefined],
    [{ host }, 401],
    [{ host, cookie: 'other=1; ' + cookie }, undefined],
    [{ host, cookie: `${cookie}x` }, 401],
    [{ host: 'localhost:4000', cookie }, 401],
    [{ host: '127.0.0.1:4001', cookie }, 401],
    [{ host: 'example.invalid', cookie }, 403],
    [{ cookie }, 403],
    [{ host, cookie, 'sec-fetch-site': 'cross-site' }, 403],
    [{ host, cookie, 'sec-fetch-site': 'same-origin' }, undefined],
    [{ host, cookie, origin: `http://${host}` }, undefined],
    [{ host, cookie, origin: 'null' }, 403],
    [{ host, cookie, origin: 'http://127.0.0.1:4001' }, 403],
    [{ host, origin: 'http://example.invalid' }, 403],
  ]
  assert.deepEqual(cases.map(([headers]) => door.refusal(request(headers))), cases.map(([, status]) => status))
})

test('a cookie outlives a restart in the same home, and no other', t => {
  const { dir, cookie } = stand(t)
  const state = path.join(dir, 'state')
  assert.equal(new Door(state).refusal(request({ host, cookie })), undefined)
  assert.equal(new Door(path.join(dir, 'other')).refusal(request({ host, cookie })), 401)
  assert.equal(statSync(path.join(state, 'browser-session')).mode & 0o777, 0o600)
})
