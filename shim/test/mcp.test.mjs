// @ts-check
/** A row of an MCP server: the Harness's own client, which is not waited for long and whose failure ends nothing. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { apply } from '../mcp.mjs'

const config = { serverName: 'custom-notes', transport: 'stdio', command: 'x' }
const client = Promise.resolve({ name: 'mcp-client', apply() {} })

/**
 * Mounts the row in a Harness where mounting the client is plugin.
 * @param {(module: any, config: any, tools: {name: string}[]) => any} plugin @param {number} [patience] @param {Promise<any>} [module]
 * @returns {Promise<string[]>} what was said
 */
async function mount(plugin, patience = 60_000, module = client) {
  const tools = [{ name: 'bash' }, { name: 'mcp__custom-notes-2__add' }]
  /** @type {string[]} */
  const said = []
  const ctx = { plugin: (/** @type {any} */ one, /** @type {any} */ given) => plugin(one, given, tools), tools: { schemas: () => tools } }
  await apply(ctx, config, module, patience, line => void said.push(line))
  return said
}

test('the client gets the config, and the start waits for its tools', async () => {
  /** @type {any[]} */
  const mounted = []
  const said = await mount((module, given, tools) => {
    mounted.push([module.name, given])
    return new Promise(resolve => setImmediate(() => resolve(tools.push({ name: 'mcp__custom-notes__add' }))))
  })
  assert.deepEqual([mounted, said], [[['mcp-client', config]], []])
})

test('one that never answers is not waited for, and is told of', async () => {
  const alive = setInterval(() => {}, 1_000) // the row itself holds no process
  assert.deepEqual(await mount(() => new Promise(() => {}), 5), ['strata-mcp: custom-notes has given no tools yet'])
  clearInterval(alive)
})

test('one whose program is gone is told of at once: the client tries again by itself', async () => {
  assert.deepEqual(await mount(async () => {}), ['strata-mcp: custom-notes has given no tools yet'])
})

test('one that fails, now or later, ends nothing', async () => {
  for (const plugin of [() => { throw new Error('no config') }, () => Promise.reject(new Error('no config'))]) {
    assert.deepEqual(await mount(plugin), ['strata-mcp: custom-notes cannot be used: Error: no config', 'strata-mcp: custom-notes has given no tools yet'])
  }
})

test('a Harness without the client goes on without the server', async () => {
  const said = await mount(() => assert.fail('mounted'), 60_000, Promise.resolve(undefined))
  assert.deepEqual(said, ['strata-mcp: this Harness connects no servers, so custom-notes is left out'])
})
