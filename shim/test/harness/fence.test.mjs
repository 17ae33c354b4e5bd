// @ts-check
import assert from 'node:assert/strict'
import http from 'node:http'
import path from 'node:path'
import { after, before, suite, test } from 'node:test'
import { sha256, shim, startHarness, wasm } from './kit.mjs'
import { script, startModel } from './model.mjs'

const GATE = { id: 'strata-gate', name: path.join(shim, 'gate.mjs'), config: { wasm, sha256: sha256() } }
const FENCE = { id: 'strata-fence', name: path.join(shim, 'fence.mjs') }
const DESCRIBE = { type: 'client-request', rpcId: 'r', method: 'host.describe', payload: {} }

/** @param {string} url @param {Record<string, string>} headers @param {object} [body] */
const post = (url, headers, body = DESCRIBE) =>
  fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } })

/** The status of a WebSocket's handshake; 101 when it was let in. @param {string} url @param {Record<string, string>} headers @returns {Promise<number>} */
const upgrade = (url, headers) => new Promise((resolve, reject) => {
  const request = http.request(url, { headers: {
    connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', ...headers,
  } })
  request.on('upgrade', (_response, socket) => {
    socket.destroy()
    resolve(101)
  })
  request.on('response', response => {
    response.resume()
    resolve(response.statusCode ?? 0)
  })
  request.on('error', reject)
  request.end()
})

suite('the fence on the real Harness', { timeout: 60_000 }, () => {
  /** @type {Awaited<ReturnType<typeof startHarness>>} */
  let harness
  /** @type {Awaited<ReturnType<typeof startModel>>} */
  let model
  before(async () => {
    model = await startModel()
    harness = await startHarness({ rows: [{ insert: [FENCE, GATE] }], model: model.url, fenced: true })
  })
  after(async () => {
    model.close()
    assert.equal(await harness.stop(), 0, harness.stderr()) // an open stdin does not hold up the end
  })
  const bearer = (/** @type {string} */ secret) => ({ authorization: `Bearer ${secret}` })

  test('a request needs the secret', async () => {
    const at = `${harness.url}/api/host.describe`
    const wrong = 'f'.repeat(64)
    const tries = /** @type {[Record<string, string>, number][]} */ ([
      [{}, 401], [bearer(wrong), 401], [bearer(`${harness.secret}0`), 401], [bearer(''), 401],
      [{ authorization: `Basic ${harness.secret}` }, 401], [bearer(harness.secret), 200],
    ])
    assert.deepEqual(await Promise.all(tries.map(async ([headers]) => (await post(at, headers)).status)), tries.map(([, status]) => status))
    const refused = await post(at, {})
    assert.deepEqual(await refused.json(), {
      error: { code: 'unauthorized', message: 'This address answers only the program that started it. Use that program’s own page.' },
    })
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer')
  })

  test('so does every path below /api, however it is written', async () => {
    const paths = ['/api', '/api/', '/api/commands/execute', '/api/no.such', '/x/../api/host.describe', '/api/../api/respond', '/api?x', '/api/session.export?sessionId=x']
    const statuses = await Promise.all(paths.map(one => new Promise(resolve => {
      http.request(`${harness.url}/`, { path: one, method: 'POST' }, response => resolve(response.resume().statusCode)).end()
    })))
    assert.deepEqual(statuses, paths.map(() => 401))
  })

  test('and every event stream', async () => {
    for (const stream of ['mux', 'host']) {
      const at = `${harness.url}/api/events.${stream}`
      assert.deepEqual([await upgrade(at, {}), await upgrade(at, bearer('0'.repeat(64))), await upgrade(at, bearer(harness.secret))], [401, 401, 101])
    }
  })

  test('the page itself stays open', async () => {
    assert.equal((await fetch(harness.url)).status, 200)
  })

  test('the agent’s own shell does not get in', async () => {
    const chat = await harness.wire.session(harness.workspace, 'strata-manual')
    const body = { type: 'client-request', rpcId: 'r', method: 'commands/execute', payload: { args: { agentId: chat.id, line: '/permission strata-bypass', images: [] } } }
    const source = `fetch(process.env.DSH_WEB_URL+"/api/commands/execute",{method:"POST",headers:{"content-type":"application/json"},body:${JSON.stringify(JSON.stringify(body))}}).then(r=>console.log("status",r.status))`
    await chat.prompt(script({ calls: [['bash', { command: `node -e '${source}'; env | grep -c ${harness.secret} || true`, description: 'try' }]] }))
    await chat.answer(await chat.question(), true)
    await chat.ended()
    assert.match(chat.results()[0]?.text ?? '', /status 401\n0/)
    assert.equal((await chat.gate()).mode, 'manual')
  })

  test('without its row the Harness is as it was', async () => {
    await harness.setRows([...harness.base, { insert: [GATE] }])
    for (let left = 200; left > 0; left--) {
      if ((await post(`${harness.url}/api/host.describe`, {})).status === 200) return
    }
    assert.fail('the fence stayed')
  })
})

test('until the secret came nothing gets in', { timeout: 60_000 }, async () => {
  await assert.rejects(startHarness({ rows: [{ insert: [FENCE] }], readyMs: 1_500 }), /401/)
})
