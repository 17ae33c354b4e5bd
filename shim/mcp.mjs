// @ts-check
/**
 * One MCP server of the person's own: a row for each, with the config of the Harness's own client, which it hands on.
 * That client holds back the start of the Harness until the server has listed its tools, up to a minute for each
 * request. Here a server that is slow, broken or gone costs a few seconds, and its tools come when it answers.
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { importHarness } from './lib/harness.mjs'
import { hasMethods } from './lib/probe.mjs'

export const name = 'strata-mcp'
export const inject = ['tools']

/** How long the start waits for the tools, in ms: what a package runner needs that has its package at hand. */
const PATIENCE = 10_000

/** The Harness's own log is read by nobody; the host warns of such a line (host/internal/agent). @param {string} line */
const toHost = line => void process.stderr.write(`${line}\n`)

/** @param {any} ctx the row's context in the Harness @param {{serverName: string}} config */
export async function apply(ctx, config, client = importHarness('@deepseek-ai/dsh-mcp-client'), patience = PATIENCE, say = toHost) {
  const module = await client
  if (!hasMethods(module, 'apply')) {
    say(`strata-mcp: this Harness connects no servers, so ${config.serverName} is left out`)
    return
  }
  const ready = Promise.resolve().then(() => ctx.plugin(module, config)).catch(error => {
    say(`strata-mcp: ${config.serverName} cannot be used: ${error}`)
  })
  const done = new AbortController()
  await Promise.race([ready, sleep(patience, undefined, { signal: done.signal, ref: false }).catch(() => {})])
  done.abort()
  const prefix = `mcp__${config.serverName}__`
  const there = !hasMethods(ctx.tools, 'schemas') || ctx.tools.schemas().some((/** @type {{name: string}} */ tool) => tool.name.startsWith(prefix))
  if (!there) say(`strata-mcp: ${config.serverName} has given no tools yet`)
}
