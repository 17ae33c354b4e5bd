// @ts-check
import { Instance } from '../lib/hot.mjs'
import { ABI, asPluginError } from '../lib/messages.mjs'
import { loadModule } from '../lib/module.mjs'
import { hasMethods, seamProbe } from '../lib/probe.mjs'
import { routesOf } from './routes.mjs'
import { Starts } from './starts.mjs'
import { STARTS, listTool, startTool } from './tools.mjs'

/** @typedef {import('./routes.mjs').Route} Route */
/** @typedef {{sha256: string, wasm?: string, routes?: Route[]}} ModelsRow */
/** The tools of ours that an agent has, once the plugin has worded them. @typedef {{tools: any[], worded: Promise<void>, remove: () => Promise<void>}} Wrapped */

const renamed = (/** @type {string} */ tool) => `An agent has no tool named ${tool}, so helper agents that another tool starts run as the Harness starts them.`

/**
 * Wraps the tools of each agent and registers the command. The plugin starts with the first agent.
 * @param {any} ctx @param {ModelsRow} config
 */
export function mount(ctx, { sha256, wasm, routes }) {
  const warn = (/** @type {string} */ text) => ctx.logger.warn(text)
  const starts = new Starts(ctx.subagents)
  /** @type {Map<any, Wrapped>} */
  const wrapped = new Map()
  /** Whether an agent has had each tool. @type {Record<string, boolean>} */
  const seen = {}
  const seams = seamProbe({
    list: { has: () => hasMethods(ctx.llm, 'listProviders', 'listModels'), lost: 'This Harness does not list its models, so those of the profile are taken for all.' },
    start: { has: () => starts.possible, lost: 'This Harness starts helper agents in another way, so they run on their chat’s own model unless its own tool takes another.' },
    end: { has: () => starts.tells, lost: 'This Harness tells the end of a helper in the background in another way, so a chat may not read why one failed.' },
    ...Object.fromEntries(STARTS.map(tool => [tool, { has: () => seen[tool] !== false, lost: renamed(tool) }])),
  }, warn)
  /** @type {Promise<Instance> | undefined} */
  let starting
  /** @type {Instance | undefined} */
  let running
  let broken = false
  const plugin = () => starting ??= start(sha256, wasm, warn).then(instance => running = instance)
  const ask = async (/** @type {string} */ op, /** @type {object} */ head) => (await plugin()).callSync(op, head).value
  const world = { ask, starts, routes: () => routesOf(ctx.llm, routes) }

  const wrap = (/** @type {any} */ agent) => {
    if (wrapped.has(agent)) return
    const bases = STARTS.map(tool => ctx.tools.get(tool, agent)).filter(base => base !== undefined)
    for (const tool of STARTS) seen[tool] ||= bases.some(({ name }) => name === tool)
    seams()
    if (bases.length === 0) return
    const tools = [...bases.map(base => startTool(base, world)), listTool(world)]
    const fiber = agent.ctx.inject(['tools'], (/** @type {any} */ inner) => tools.forEach(tool => inner.tools.register(tool)))
    const remove = async () => void (wrapped.delete(agent) && await fiber.dispose())
    const worded = Promise.all(tools.map(async tool => {
      const { description, properties = {} } = await ask('describeTool', { tool: tool.name, description: tool.description })
      const { properties: own, ...schema } = tool.parameters
      Object.assign(tool, { description, parameters: { ...schema, properties: { ...own, ...properties } } })
    })).then(() => {}, error => {
      if (!broken) warn(`models: ${asPluginError(error).message} Helper agents run as the Harness starts them.`)
      broken = true
      return remove()
    })
    wrapped.set(agent, { tools, worded, remove })
  }

  ctx.on('agent/created', (/** @type {{agent: any}} */ { agent }) => {
    starts.created(agent)
    wrap(agent)
  })
  ctx.on('agent/disposed', (/** @type {{agent: any}} */ { agent }) => void wrapped.delete(agent))
  for (const agent of ctx.agents.list()) wrap(agent)
  // A request that is put together before the plugin has worded the tools waits for it.
  ctx.on('system-prompt/assemble', async (/** @type {any} */ _, /** @type {{scope?: any}} */ { scope }, /** @type {() => Promise<any>} */ next) => {
    const assembled = await next()
    const found = wrapped.get(scope)
    if (found === undefined) return assembled
    await found.worded
    if (!wrapped.has(scope)) return assembled
    return { ...assembled, tools: assembled.tools.map((/** @type {{name: string}} */ tool) => {
      const own = found.tools.find(({ name }) => name === tool.name)
      return own === undefined ? tool : { ...tool, description: own.description, parameters: structuredClone(own.parameters) }
    }) }
  })

  ctx.commands.register({
    name: 'strata-models',
    description: 'Which models helper agents can run on',
    input: { hint: 'status' },
    recordInput: false,
    handler: async (/** @type {{rawInput?: string}} */ { rawInput = '' }) => {
      const found = await world.routes()
      const state = { models: 'on', abi: ABI, sha256, agents: wrapped.size, routes: found.map(({ provider, id }) => `${provider}/${id}`), ...seams(), ...running?.stats }
      return { kind: 'success', text: rawInput.trim() === 'status' ? [(await ask('list', { routes: found })).text, ...state.missing].join('\n') : JSON.stringify(state) }
    },
  })
  ctx.effect(() => starts.mount(), 'strata-models: starts of helpers')
  ctx.effect(() => async () => {
    await Promise.all([...wrapped.values()].map(({ remove }) => remove()))
    running?.close()
  }, 'strata-models: tools and plugin')
}

/** @param {string} sha256 @param {string | undefined} wasm @param {(text: string) => void} warn */
async function start(sha256, wasm, warn) {
  return new Instance({
    module: await loadModule(wasm ?? new URL('../dist/strata.wasm', import.meta.url), sha256),
    plugin: 'models',
    log: (level, text) => level !== 'debug' && warn(text),
    onTrap: ({ message, details }) => warn(`models: ${message} ${details ?? ''}`),
  })
}
