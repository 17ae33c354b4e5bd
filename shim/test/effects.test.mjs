// @ts-check
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { after, before, suite, test } from 'node:test'
import { createEffects } from '../lib/effects.mjs'
import { entriesOf, isFolder, realPath } from '../lib/effects/paths.mjs'

const text = new TextDecoder()

/**
 * Runs one effect as hot.mjs does. @param {import('../lib/hot.mjs').Effects} effects @param {string} kind @param {any} value
 * @param {string} [body] @param {AbortSignal} [signal] @param {(op: string, head: any) => any} [ask] @returns {Promise<any>} the answer, or {code, message}
 */
async function perform(effects, kind, value, body = '', signal = new AbortController().signal, ask = () => ({})) {
  try {
    const request = { kind, n: 1, value, head: new Uint8Array(), body: new TextEncoder().encode(body) }
    const { value: answer = {}, body: out } = await /** @type {any} */ (effects[kind])(request, { plugin: 'probe', op: 'x', context: undefined, signal, ask })
    return out === undefined ? answer : { ...answer, body: text.decode(out) }
  } catch (error) {
    return (({ code, message }) => ({ code, message }))(/** @type {any} */ (error))
  }
}

/** @type {string} */
let dir
before(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'effects-'))
})
after(() => rm(dir, { recursive: true, force: true }))

test('what is not configured is not offered', () => {
  assert.deepEqual(Object.keys(createEffects({})).sort(), ['fs.realpath', 'sleep', 'text.decode'])
  assert.deepEqual(Object.keys(createEffects({ store: '/x', hosts: [], web: {}, sessions: /** @type {any} */ ({}), ask: () => ({}) })).sort(),
    ['ask', 'fetch', 'fetch.web', 'fs.realpath', 'session.commit', 'session.read', 'sleep', 'store.append', 'store.delete', 'store.get', 'store.list', 'store.put', 'text.decode'])
})

suite('the store', () => {
  test('keeps records to itself, in order of what was asked', async () => {
    const effects = createEffects({ store: path.join(dir, 'stores') })
    const did = await Promise.all([
      perform(effects, 'store.append', { name: 'log' }, 'one '), perform(effects, 'store.append', { name: 'log' }, 'two'),
      perform(effects, 'store.get', { name: 'log' }), perform(effects, 'store.put', { name: 'log' }, 'new'),
      perform(effects, 'store.get', { name: 'log' }), perform(effects, 'store.list', { name: 'l' }),
      perform(effects, 'store.delete', { name: 'log' }), perform(effects, 'store.get', { name: 'log' }), perform(effects, 'store.list', { name: '' }),
    ])
    assert.deepEqual(did, [{}, {}, { body: 'one two' }, {}, { body: 'new' }, { names: ['log'] }, {},
      { code: 'not-found', message: 'There is no record named log.' }, { names: [] }])
  })

  test('is for its owner alone, and leaves no half files', async () => {
    const store = path.join(dir, 'modes')
    await perform(createEffects({ store }), 'store.put', { name: 'a' }, 'x')
    const mode = async (/** @type {string} */ at) => (await stat(at)).mode & 0o777
    assert.deepEqual([await mode(path.join(store, 'probe')), await mode(path.join(store, 'probe/a')), await readdir(path.join(store, 'probe'))], [0o700, 0o600, ['a']])
  })

  test('follows no link and takes no odd name', async () => {
    const store = path.join(dir, 'links')
    const effects = createEffects({ store })
    await mkdir(path.join(store, 'probe'), { recursive: true })
    await writeFile(path.join(dir, 'victim'), 'victim')
    await symlink(path.join(dir, 'victim'), path.join(store, 'probe/link'))
    for (const kind of ['store.get', 'store.put', 'store.append', 'store.delete']) {
      assert.deepEqual(await perform(effects, kind, { name: 'link' }, 'x'), { code: 'refused', message: 'The record link is not a plain file.' }, kind)
      for (const name of ['../victim', '.hidden', 'A', '', 'a/b', 'x'.repeat(65)]) {
        assert.equal((await perform(effects, kind, { name }, 'x')).code, 'refused', `${kind} ${name}`)
      }
      assert.equal((await perform(effects, kind, { name: 5 }, 'x')).code, 'bad-input', kind)
    }
    assert.deepEqual(await perform(effects, 'store.list', { name: '' }), { names: [] })
  })
})

suite('fetch', () => {
  /** @type {http.Server} */
  let server
  let host = ''
  before(async () => {
    server = http.createServer((request, response) => {
      if (request.url === '/away') return response.writeHead(302, { location: '/here', 'set-cookie': 'a=b' }).end('gone')
      if (request.url === '/big') return response.end('x'.repeat(2000))
      if (request.url === '/hang') return undefined
      if (request.url === '/torn') return response.writeHead(200, { 'content-length': 10 }).write('x', () => response.destroy())
      return response.writeHead(200, { 'x-two': ['a', 'b'] }).end(`${request.method} ${request.headers['x-mine'] ?? ''}`)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    host = `127.0.0.1:${/** @type {any} */ (server.address()).port}`
  })
  after(() => void server.close().closeAllConnections())

  /** @param {string} url @param {object} [more] */
  const get = (url, more) => perform(createEffects({ hosts: [host] }), 'fetch', { url: url.replace('HOST', host), ...more })

  test('reaches listed hosts and follows nothing', async () => {
    const plain = await get('http://HOST/', { headers: { 'X-Mine': 'yes' } })
    assert.deepEqual([plain.status, plain.headers['x-two'], plain.body], [200, 'a, b', 'GET yes'])
    const away = await get('http://HOST/away')
    assert.deepEqual([away.status, away.headers.location, 'set-cookie' in away.headers, away.body], [302, '/here', false, 'gone'])
  })

  for (const [what, url, more, code] of /** @type {[string, string, object, string][]} */ ([
    ['another host', 'http://localhost:1/', {}, 'refused'],
    ['the same host on another port', 'http://127.0.0.1/', {}, 'refused'],
    ['another scheme', 'file:///etc/passwd', {}, 'refused'],
    ['user information', 'http://me@HOST/', {}, 'refused'],
    ['another method', 'http://HOST/', { method: 'PUT' }, 'refused'],
    ['a header of the connection', 'http://HOST/', { headers: { Host: 'x' } }, 'refused'],
    ['a header that breaks the line', 'http://HOST/', { headers: { 'x-a': 'b\r\nc: d' } }, 'refused'],
    ['an answer that is too large', 'http://HOST/big', { maxBytes: 1999 }, 'refused'],
    ['an answer that never comes', 'http://HOST/hang', { timeoutMs: 30 }, 'deadline'],
    ['an answer that breaks off', 'http://HOST/torn', {}, 'failed'],
    ['no address', 'http://HOST/', { url: 7 }, 'bad-input'],
  ])) {
    test(`gives up: ${what}`, async () => {
      assert.equal((await get(url, more)).code, code)
    })
  }

  test('ends with its call', async () => {
    const abort = new AbortController()
    const asked = perform(createEffects({ hosts: [host] }), 'fetch', { url: `http://${host}/hang` }, '', abort.signal)
    await once(server, 'request')
    abort.abort()
    assert.equal((await asked).code, 'failed')
  })
})

test('sleep has bounds', async () => {
  const sleep = (/** @type {any} */ ms) => perform(createEffects({}), 'sleep', { ms })
  assert.deepEqual(await sleep(1), {})
  assert.deepEqual([(await sleep(-1)).code, (await sleep(3_600_001)).code, (await sleep(0.5)).code, (await sleep('1')).code],
    ['refused', 'refused', 'bad-input', 'bad-input'])
})

test('real paths', async () => {
  const root = realPath(dir)
  await mkdir(path.join(root, 'real/deep'), { recursive: true })
  await writeFile(path.join(root, 'real/file'), '')
  await symlink('real', path.join(root, 'link'))
  await symlink(path.join(root, 'nowhere/x'), path.join(root, 'dangling'))
  await symlink('ring', path.join(root, 'ring'))
  const want = {
    'real/file': 'real/file', 'link/deep': 'real/deep', 'link/new/one': 'real/new/one', 'new': 'new', 'dangling': 'nowhere/x',
  }
  for (const [given, real] of Object.entries(want)) assert.equal(realPath(path.join(root, given)), path.join(root, real), given)
  for (const odd of ['ring', 'real/file/x']) assert.equal(realPath(path.join(root, odd)), '', odd)
  for (const odd of ['relative', `${root}/`, `${root}/./a`, `${root}/a/../b`, `${root}//a`, `${root}/a\0`, '']) assert.equal(realPath(odd), '', odd)
  assert.equal(realPath('/'), '/')
  const entries = { deep: 'real/deep', file: 'real/file' }
  assert.deepEqual(entriesOf(path.join(root, 'link')), Object.fromEntries(Object.entries(entries).map(([name, real]) => [path.join(root, 'link', name), path.join(root, real)])))
  assert.deepEqual([entriesOf(path.join(root, 'new')), entriesOf(path.join(root, 'real/file'))], [{}, {}])
  assert.deepEqual(entriesOf(path.join(root, 'ring')), { [path.join(root, 'ring')]: '' })
  const tree = path.join(root, 'tree')
  await mkdir(path.join(tree, 'a/deep'), { recursive: true })
  await writeFile(path.join(tree, 'a/deep/leaf'), '')
  await symlink('a', path.join(tree, 'link'))
  const same = (/** @type {string[]} */ ...names) => Object.fromEntries(names.map(one => [path.join(tree, one), path.join(tree, one)]))
  assert.deepEqual(entriesOf(`${tree}/*`), same('a/deep')) // not through link
  assert.deepEqual(entriesOf(`${tree}/*/*`), same('a/deep/leaf'))
  assert.deepEqual(entriesOf(`${tree}/new/*`), {})
  await symlink('../../real/file', path.join(tree, 'a/deep/far'))
  await symlink('gone', path.join(tree, 'a/deep/lost'))
  await symlink('ring', path.join(tree, 'a/ring'))
  assert.deepEqual(entriesOf(`${tree}/**`), {
    [`${tree}/**`]: tree, [`${tree}/**/link`]: path.join(tree, 'a/'), [`${tree}/**/a/deep/far`]: path.join(tree, 'a/../real/file'),
    [`${tree}/**/a/deep/lost`]: path.join(tree, 'a/deep/gone'), [`${tree}/**/a/ring`]: '/',
  })
  assert.deepEqual(entriesOf(`${tree}/a/deep/leaf/**`), { [`${tree}/a/deep/leaf/**`]: path.join(tree, 'a/deep/leaf') })
  for (let n = 0; n < 2000; n++) await writeFile(path.join(tree, 'a/deep', String(n)), '')
  assert.deepEqual(entriesOf(`${tree}/*/*`), { [path.join(tree, 'a/deep')]: '' })
  const folders = ['real', 'real/deep', 'link', 'ring', 'real/file', 'dangling', 'new'].map(one => isFolder(path.join(root, one)))
  assert.deepEqual(folders, [true, true, true, true, false, false, false]) // what cannot be looked at may be one
})
