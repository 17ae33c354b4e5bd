// @ts-check
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { test } from 'node:test'
import { webEffect } from '../lib/effects/web.mjs'
import { Instance } from '../lib/hot.mjs'
import { asPluginError } from '../lib/messages.mjs'
import { loadModule } from '../lib/module.mjs'
import { buildStrata } from './guests.mjs'

/** @typedef {{url: string, verdict: 'allow' | 'block', reason: string, resolver?: string[], resolver_sequence?: string[][]}} Case */

const cases = new URL('../../plugins/search/testdata/pages/fetch-url-cases.json', import.meta.url)
/** @type {Case[]} */
const all = JSON.parse(readFileSync(cases, 'utf8')).urls

test('every URL is blocked or fetched as listed, and where the blocked ones lead nothing arrives', async () => {
  assert.ok(all.length >= 128)
  let trapped = 0
  const trap = net.createServer(socket => socket.on('error', () => {}).destroy(void trapped++)).listen(0, '127.0.0.1')
  await once(trap, 'listening')
  const { port } = /** @type {net.AddressInfo} */ (trap.address())

  /** @type {string[]} */
  let looked = []
  let connected = 0
  let open = false // the URL may be fetched; every other connection ends in the trap
  const { wasm, sha256 } = buildStrata()
  const search = new Instance({ module: await loadModule(wasm, sha256), plugin: 'search', effects: {
    'fetch.web': webEffect({
      lookup: async () => looked.map(address => ({ address, family: net.isIP(address) })),
      connect: () => {
        connected++
        return open ? new net.Socket().destroy(new Error('far enough')) : net.connect(port, '127.0.0.1')
      },
    }),
  } })
  const fetched = async (/** @type {string} */ url) => {
    connected = 0
    const { code } = await search.call('fetch', { url }).then(() => ({ code: 'read' }), asPluginError)
    assert.equal(connected === 0 || code === 'unreachable', true, `${url} was connected to and is ${code}`)
    return connected > 0 ? 'allow' : 'block'
  }
  /** @type {string[]} */
  const wrong = []
  for (const { url, verdict, reason, resolver, resolver_sequence: sequence } of all) {
    if (sequence?.length === 2) { // the name changes its mind between two fetches
      looked = sequence[0] ?? []
      open = true
      if (await fetched(url) !== 'allow') wrong.push(`${url}: its public address is blocked`)
      looked = sequence[1] ?? []
    } else looked = resolver ?? ['93.184.215.14']
    open = verdict === 'allow'
    const got = await fetched(url)
    if (got !== verdict) wrong.push(`${url}: ${got}, want ${verdict} (${reason})`)
  }
  assert.deepEqual(wrong, [])
  assert.equal(trapped, 0)

  // With the system's own network: the trap's address, in four spellings.
  const real = new Instance({ module: await loadModule(wasm, sha256), plugin: 'search', effects: { 'fetch.web': webEffect() } })
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433']) {
    await assert.rejects(real.call('fetch', { url: `http://${host}:${port}/` }), { code: 'blocked-url' })
  }
  assert.equal(trapped, 0)
  search.close()
  real.close()
  trap.close()
})
