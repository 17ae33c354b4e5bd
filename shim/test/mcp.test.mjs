// @ts-check
/** A row of an MCP server: the Harness's own client, which is not waited for long and whose failure ends nothing. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { apply } from '../mcp.mjs'

/** @param {(module: any, config: any) => any} plugin */
function fakeHarness(plugin) {
  /** @type {string[]} */
  const warned = []
  return { ctx: { plugin, logger: { warn: (/** @type {string} */ text) => warned.push(text) } }, warned }
}

const config = { serverName: 'custom-notes', transport: 'stdio', command: 'x' }
const client = Promise.resolve({ name: 'mcp-client', apply() {} })

test('the client gets the config, and the start waits for its tools', async () => {
  /** @type {any[]} */
  const mounted = []
  let listed = false
  const { ctx, warned } = fakeHarness((module, given) => {
    mounted.push([module.name, given])
    return new Promise(resolve => setImmediate(() => resolve(listed = true)))
  })
  await apply(ctx, config, client, 60_000)
  assert.deepEqual([mounted, listed, warned], [[['mcp-client', config]], true, []])
})

test('one that never answers is not waited for', async () => {
  const { ctx, warned } = fakeHarness(() => new Promise(() => {}))
  const alive = setInterval(() => {}, 1_000) // the row itself holds no process
  await apply(ctx, config, client, 5)
  clearInterval(alive)
  assert.deepEqual(warned, [])
})

test('one that fails, now or later, ends nothing', async () => {
  for (const plugin of [() => { throw new Error('no config') }, () => Promise.reject(new Error('no config'))]) {
    const { ctx, warned } = fakeHarness(plugin)
    await apply(ctx, config, client, 60_000)
    assert.deepEqual(warned, ['mcp: custom-notes cannot be used: Error: no config'])
  }
})

test('a Harness without the client goes on without the server', async () => {
  const { ctx, warned } = fakeHarness(() => assert.fail('mounted'))
  await apply(ctx, config, Promise.resolve(undefined))
  assert.deepEqual(warned, ['mcp: this Harness connects no MCP servers, so custom-notes is left out.'])
})
