// @ts-check
/**
 * The tools of helper agents as an agent has them: the Harness's own, which also take a model by its name.
 * @module
 */
import { isEmpty } from './starts.mjs'

/** The tools that start a helper, and the one that lists models. */
export const STARTS = ['subagent', 'subagent_fork']
export const LIST = 'list_subagent_models'

/** @typedef {{ask: (op: string, head: object) => Promise<any>, routes: () => Promise<import('./routes.mjs').Route[]>, starts: import('./starts.mjs').Starts}} World */

/**
 * The Harness's definition with a model.
 * @param {any} base @param {World} world
 */
export function startTool(base, world) {
  const { provider, ...properties } = base.parameters?.properties ?? {} // one name says both
  const native = properties.model !== undefined
  const required = (base.parameters?.required ?? []).filter((/** @type {string} */ one) => one !== 'provider' && one !== 'model')
  return {
    ...base,
    parameters: { ...base.parameters, properties, required },
    /** @param {any} args @param {any} exec */
    async execute(args, exec) {
      const { model, provider: of, reasoning_effort: effort, ...own } = args
      const wanted = await choose(world, { model: of ? `${of}/${model}` : model, effort, agent: exec.agent })
      if (!native) return world.starts.run(wanted, () => base.execute(own, exec))
      const call = model ? { ...own, ...wanted.on, ...(wanted.effort && { reasoning_effort: wanted.effort }) } : args
      const value = await world.starts.run({ label: wanted.label }, () => base.execute(call, exec)) // its end is told as well
      if (value?.kind === 'foreground' && isEmpty(value.output)) throw new Error(`The helper on ${wanted.label} ended without an answer.`)
      return value
    },
  }
}

/**
 * Which model a call means. Nothing but an exact name gets past this.
 * @param {World} world @param {{model: unknown, effort: unknown, agent: any}} call
 * @returns {Promise<import('./starts.mjs').Wanted>}
 */
async function choose({ ask, routes }, { model, effort, agent }) {
  const named = model !== undefined && model !== null && model !== ''
  const current = currentModel(agent)
  const own = { label: 'the chat’s own model', ...(current && { on: current }) }
  if (!named && (current === undefined || !effort)) return own
  const query = named ? String(model) : `${current?.provider}/${current?.model}`
  const answer = await ask('resolve', { query, effort: String(effort ?? ''), routes: await routes() })
  if (answer.kind === 'match') {
    return { label: answer.message, named, on: { provider: answer.route.provider, model: answer.route.id }, ...(answer.effort && { effort: answer.effort }) }
  }
  if (named) throw new Error(answer.message)
  return own // the person's settings need not list it
}

/** The model of an agent's newest request: its options name the one it was made with. @param {any} agent */
function currentModel(agent) {
  const { provider, model } = agent?.session?.events?.findLast((/** @type {{type: string}} */ { type }) => type === 'request/header')?.data?.header?.config ?? {}
  return provider && model ? { provider: String(provider), model: String(model) } : undefined
}

/** The list of models, ours where the Harness has one of its own, too. @param {World} world */
export function listTool({ ask, routes }) {
  return {
    name: LIST,
    description: '',
    parameters: { type: 'object', properties: {} },
    output: {
      schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
      render: (/** @type {unknown} */ _, /** @type {{text: string}} */ { text }) => [{ type: 'text', text }],
    },
    isConcurrencySafe: () => true,
    /** @param {unknown} _ @param {any} exec */
    async execute(_, exec) {
      const current = currentModel(exec.agent)
      const { text } = await ask('list', { routes: await routes(), ...(current && { current: `${current.provider}/${current.model}` }) })
      return { text }
    },
  }
}
