// @ts-check
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { textEffect } from '../lib/effects/text.mjs'
import { webEffect } from '../lib/effects/web.mjs'
import { asPluginError } from '../lib/messages.mjs'

/** The address that every name of these tests has, and the only one that is admitted. */
const PUBLIC = '93.184.215.14'
/** @type {string[]} */
const connected = []
/** @type {http.Server} */
let server
let closed = 0
const gone = new EventEmitter()

before(async () => {
  server = http.createServer((request, response) => {
    const reply = routes[request.url ?? ''] ?? routes['/']
    reply?.(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
after(() => {
  server.closeAllConnections()
  server.close()
})

/** @type {Record<string, (request: http.IncomingMessage, response: http.ServerResponse) => void>} */
const routes = {
  '/': (request, response) => {
    response.setHeader('set-cookie', 'a=b')
    response.end(`${request.method} ${request.headers.host} ${request.url} ${request.headers['accept-encoding']}`)
  },
  '/endless': (request, response) => {
    request.socket.on('close', () => gone.emit('one', ++closed))
    const more = () => {
      while (response.write('x'.repeat(4096)));
      response.once('drain', more)
    }
    more()
  },
  '/drip': (request, response) => {
    request.socket.on('close', () => gone.emit('drip'))
    response.write('x', () => gone.emit('dripping'))
  },
  '/huge': (request, response) => {
    response.writeHead(200, { 'content-length': '9007199254740993' })
    response.write('begun', () => request.socket.destroy())
  },
  '/silent': () => {},
  '/short': (request, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('0123456789', () => request.socket.destroy())
  },
  '/long': request => void request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789and more that was not announced'),
  '/redirect': (_, response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
}

const web = webEffect({
  lookup: async host => (host === 'none.example' ? []
    : [PUBLIC, ...(host === 'mixed.example' ? ['192.168.0.9'] : [])].map(address => ({ address, family: 4 }))),
  connect: address => {
    connected.push(address)
    return net.connect(/** @type {net.AddressInfo} */ (server.address()).port, '127.0.0.1')
  },
})

/** @param {any} value @param {AbortSignal} [signal] @returns {Promise<any>} */
async function get(value, signal = new AbortController().signal) {
  const request = { kind: 'fetch.web', n: 1, value, head: new Uint8Array(), body: new Uint8Array() }
  const ask = (/** @type {string} */ op, /** @type {any} */ head) => {
    assert.equal(op, 'admitAddress')
    if (head.host === 'fault.example') throw new Error('the plugin is gone')
    return { admitted: head.address === PUBLIC }
  }
  try {
    const { value: answer, body } = await web(request, { plugin: 'search', op: 'fetch', context: undefined, signal, ask })
    return { .../** @type {any} */ (answer), body: Buffer.from(body ?? '').toString() }
  } catch (error) {
    return asPluginError(error).code
  }
}

test('a page comes, with its limits', async () => {
  const page = await get({ url: 'http://site.example/a?b' })
  assert.equal(page.body, 'GET site.example /a?b identity')
  assert.equal(page.status, 200)
  assert.equal(page.truncated, undefined)
  assert.equal(page.headers['set-cookie'], undefined)

  const endless = await get({ url: 'http://site.example/endless', maxBytes: 100_000 })
  assert.equal(endless.body.length, 100_000)
  assert.equal(endless.truncated, true)
  if (closed === 0) await once(gone, 'one')

  const short = await get({ url: 'http://site.example/short' })
  assert.deepEqual([short.body, short.truncated], ['0123456789', true])
  const huge = await get({ url: 'http://site.example/huge' })
  assert.deepEqual([huge.body, huge.truncated], ['begun', true])
  const long = await get({ url: 'http://site.example/long' })
  assert.deepEqual([long.body, long.truncated], ['0123456789', undefined])
  assert.equal((await get({ url: 'http://site.example/redirect' })).status, 302)
  for (const path of ['drip', 'silent']) assert.equal(await get({ url: `http://site.example/${path}`, timeoutMs: 200 }), 'deadline', path)
  assert.deepEqual([...new Set(connected)], [PUBLIC])
})

test('what is not admitted is not connected to', async () => {
  connected.length = 0
  for (const url of ['http://127.0.0.1/', 'http://[::1]/', 'http://2130706433/', 'http://0x7f.1/', 'http://\uFF11\uFF12\uFF17.1/', 'http://mixed.example/', 'http://fault.example/',
    'file:///etc/passwd', 'http://a:b@site.example/']) {
    assert.equal(await get({ url }), 'refused', url)
  }
  assert.equal(await get({ url: 'http://none.example/' }), 'failed')
  assert.equal(await get({ url: 'http://site.example/', headers: { cookie: 'a=b' } }), 'refused')
  assert.equal(await get({ headers: {} }), 'bad-input')
  assert.deepEqual(connected, [])
})

test('an address that never answers is given up before the whole time is over', async () => {
  const silent = webEffect({
    lookup: async () => [{ address: PUBLIC, family: 4 }], connectMs: 30,
    connect: () => Object.defineProperty(new net.Socket(), 'connecting', { value: true }),
  })
  const request = { kind: 'fetch.web', n: 1, value: { url: 'http://site.example/', timeoutMs: 60_000 }, head: new Uint8Array(), body: new Uint8Array() }
  const call = { plugin: 'search', op: 'fetch', context: undefined, signal: new AbortController().signal, ask: () => ({ admitted: true }) }
  await assert.rejects(async () => silent(request, call), { code: 'failed' })
})

test('HTTP/2 is not offered, and a proxy that the environment names sees nothing', async () => {
  /** @type {Buffer[]} */
  const hellos = []
  const tls = net.createServer(socket => socket.on('error', () => {}).once('data', hello => {
    hellos.push(hello)
    socket.destroy()
  })).listen(0, '127.0.0.1')
  let proxied = 0
  const proxy = net.createServer(socket => socket.on('error', () => {}).destroy(void proxied++)).listen(0, '127.0.0.1')
  await Promise.all([once(tls, 'listening'), once(proxy, 'listening')])
  const port = (/** @type {net.Server} */ one) => /** @type {net.AddressInfo} */ (one.address()).port
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'NODE_USE_ENV_PROXY']
  const before = names.map(name => process.env[name])
  try {
    for (const name of names) process.env[name] = name.startsWith('NODE') ? '1' : `http://127.0.0.1:${port(proxy)}`
    const here = webEffect({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] })
    const call = { plugin: 'search', op: 'fetch', context: undefined, signal: new AbortController().signal, ask: () => ({ admitted: true }) }
    for (const url of [`https://site.example:${port(tls)}/`, `http://site.example:${port(tls)}/`]) {
      const request = { kind: 'fetch.web', n: 1, value: { url }, head: new Uint8Array(), body: new Uint8Array() }
      await assert.rejects(async () => here(request, call), { code: 'failed' })
    }
  } finally {
    names.forEach((name, i) => before[i] === undefined ? delete process.env[name] : process.env[name] = before[i])
    tls.close()
    proxy.close()
  }
  assert.equal(proxied, 0)
  assert.equal(hellos.length, 2)
  assert.ok(hellos[0]?.[0] === 22 && !hellos[0].includes('\x02h2'), 'the protocols of a handshake')
  assert.ok(hellos[1]?.toString().startsWith('GET / HTTP/1.1'))
})

test('a request ends with its call, before it is connected and while its answer streams', async () => {
  const early = new AbortController()
  const never = get({ url: 'http://site.example/drip' }, early.signal)
  early.abort()
  assert.equal(await never, 'failed')

  const [begun, over] = [once(gone, 'dripping'), once(gone, 'drip')]
  const call = new AbortController()
  const page = get({ url: 'http://site.example/drip' }, call.signal)
  await begun
  call.abort()
  assert.equal(await page, 'failed')
  await over // the socket, too
})

test('text in charsets of the web', () => {
  const decode = (/** @type {any} */ value, /** @type {number[]} */ ...bytes) => {
    try {
      const { body } = /** @type {any} */ (textEffect({ kind: 'text.decode', n: 1, value, head: new Uint8Array(), body: Uint8Array.from(bytes) }, /** @type {any} */ (undefined)))
      return Buffer.from(body).toString()
    } catch (error) {
      return asPluginError(error).message
    }
  }
  assert.equal(decode({ charset: 'gbk' }, 0xc4, 0xe3, 0xba, 0xc3), '你好')
  assert.equal(decode({ charset: 'Shift_JIS' }, 0x61, 0x81), 'a\uFFFD')
  assert.equal(decode({ charset: 'x-nonsense' }, 0x61), 'The charset x-nonsense is not known.')
  assert.equal(decode({}), 'The head is not what the effect text.decode takes.')
})
