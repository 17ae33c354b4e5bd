// @ts-check
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { marks, searchProvider } from '../search/providers.mjs'

/** The Harness's service with one provider, wrapped, and the ops that the plugin was asked for. */
function world(/** @type {any} */ provider, /** @type {Error | undefined} */ fault = undefined) {
  const ops = /** @type {any[]} */ ([])
  const own = new WeakSet()
  const call = async (/** @type {string} */ op, /** @type {any} */ head) => {
    ops.push([op, head])
    if (fault !== undefined) throw fault
    return { value: op === 'mark' ? { content: 'data', sources: [{ title: 'clean', url: 'u', snippet: '' }] } : { content: 'ours', sources: [] } }
  }
  const plugin = /** @type {any} */ (async () => ({ call }))
  const web = { provider: provider ?? searchProvider('strata-exa', plugin, own), search(/** @type {any[]} */ ...all) { return this.provider.search(...all) } }
  web.search = /** @type {any} */ (marks(plugin, own)(web.search))
  return { web, ops }
}
const stock = { search: async () => ({ sources: [{ title: 'raw', url: 'u', more: 1 }], truncated: true }) }

test('what another provider found is marked', async () => {
  const { web, ops } = world(stock)
  assert.deepEqual(await web.search({ query: 'q' }), { content: 'data', sources: [{ title: 'clean', url: 'u' }], truncated: true })
  assert.deepEqual(ops, [['mark', { content: '', sources: [{ title: 'raw', url: 'u', snippet: undefined, publishedAt: undefined }] }]])
})

test('what ours found is marked already', async () => {
  const { web, ops } = world(undefined)
  assert.deepEqual(await web.search({ query: 'q' }), { content: 'ours', sources: [], truncated: false })
  assert.deepEqual(ops, [['search', { query: 'q' }]])
})

test('nothing unmarked is handed on when the plugin fails', async () => {
  await assert.rejects(world(stock, new Error('gone')).web.search({ query: 'q' }), { code: 'WEB_PROVIDER_ERROR' })
})
