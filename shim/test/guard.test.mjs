// @ts-check
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { createEffects } from '../lib/effects.mjs'
import { Instance } from '../lib/hot.mjs'
import { asPluginError } from '../lib/messages.mjs'
import { loadModule } from '../lib/module.mjs'
import { buildStrata } from './guests.mjs'

const data = new URL('../../plugins/search/testdata/pages/fetch-url-cases.json', import.meta.url)
/** @type {{urls: {url: string, verdict: string, reason: string, resolver?: string[], resolver_sequence?: string[][]}[]}} */
const { urls } = JSON.parse(readFileSync(data, 'utf8'))

/** Listens where all that must be blocked would lead, and must hear nothing. @type {net.Server} */
let trap
let heard = 0
/** What a lookup gives. @type {string[]} */
let looked = []
/** @type {string[]} */
let connected = []
/** Whether the address may be connected to; any other connection ends in the trap. */
let open = false
/** @type {import('../lib/module.mjs').PluginModule} */
let module

before(async () => {
  const { wasm, sha256 } = buildStrata()
  module = await loadModule(wasm, sha256)
  trap = net.createServer(() => heard++).listen(0, '127.0.0.1')
  await once(trap, 'listening')
})
after(() => trap.close())

/** @param {Instance} instance @param {string} url @returns {Promise<string>} the code of the failure */
async function fetch(instance, url) {
  connected = []
  return instance.call('fetch', { url }).then(() => 'done', error => asPluginError(error).code)
}

test('every address that must be blocked is, by the real plugin', async () => {
  const instance = new Instance({ module, plugin: 'search', config: {}, effects: createEffects({ web: {
    lookup: async () => looked.map(address => ({ address, family: net.isIP(address) })),
    connect: address => {
      connected.push(address)
      return open ? new net.Socket().destroy(new Error('far enough')) : net.connect(/** @type {net.AddressInfo} */ (trap.address()).port, '127.0.0.1')
    },
  } }) })
  assert.ok(urls.length >= 128)
  for (const { url, verdict, reason, resolver, resolver_sequence: sequence } of urls) {
    const shown = `${url.slice(0, 80)} (${reason})`
    for (const [i, answer] of (sequence ?? [resolver ?? ['93.184.215.14']]).entries()) {
      looked = answer
      const last = i === (sequence?.length ?? 1) - 1
      open = !last || verdict === 'allow'
      const code = await fetch(instance, url)
      assert.equal(connected.length > 0 ? 'allow' : 'block', last ? verdict : 'allow', `${shown}: ${code}`)
    }
  }
  assert.equal(heard, 0)
  instance.close()
})

test('a trap on this computer hears nothing', async () => {
  const instance = new Instance({ module, plugin: 'search', config: {}, effects: createEffects({ web: {} }) })
  const { port } = /** @type {net.AddressInfo} */ (trap.address())
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '127。0。0。1']) {
    assert.equal(await fetch(instance, `http://${host}:${port}/`), 'blocked-url', host)
  }
  assert.equal(heard, 0)
  instance.close()
})

for (const [what, type, page] of /** @type {[string, string, string][]} */ ([
  ['text', 'text/html', '<p>' + 'some words here '.repeat(312_000)],
  ['text that is no page', 'text/plain', 'some words here '.repeat(312_000)],
  ['paragraphs', 'text/html', '<p>some <b>words</b> <a href=x>here</a>'.repeat(130_000)],
  ['unclosed formatting', 'text/html', '<b><i><u><p>'.repeat(410_000)],
  ['one tag', 'text/html', `<p ${'a b=c '.repeat(830_000)}>`],
  ['a table', 'text/html', `<table>${'<tr><td>a<td>b'.repeat(330_000)}`],
  ['nested lists', 'text/html', '<ul><li>x'.repeat(550_000)],
  ['bytes that are no text', 'text/html; charset=utf-8', '\u00ff'.repeat(4_900_000)],
])) {
  test(`five megabytes of ${what} fit a plugin's memory`, async () => {
    const instance = new Instance({ module, plugin: 'search', config: {}, effects: {
      'fetch.web': () => ({ value: { status: 200, headers: { 'content-type': type } }, body: Buffer.from(page, 'latin1') }),
    } })
    const { value, body } = await instance.call('fetch', { url: 'http://site.example/' })
    assert.equal(value.statusCode, 200)
    assert.ok(body.length < 500_000, `${body.length} bytes`)
    assert.deepEqual(instance.stats, { started: 2, trapped: 0 }) // one here, one in the thread
    instance.close()
  })
}
