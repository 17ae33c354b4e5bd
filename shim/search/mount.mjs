// @ts-check
import { createEffects } from '../lib/effects.mjs'
import { Instance } from '../lib/hot.mjs'
import { ABI, asPluginError } from '../lib/messages.mjs'
import { loadModule } from '../lib/module.mjs'
import { hasMethods, seamProbe } from '../lib/probe.mjs'
import { wrapMethod } from '../lib/wrap.mjs'
import { fetchProvider, marks, searchProvider } from './providers.mjs'

/** @typedef {{sha256: string, wasm?: string, store?: string, service?: string, origin?: string, shape?: string, language?: string}} SearchRow */

/** @typedef {{network?: (effects: import('../lib/hot.mjs').Effects) => import('../lib/hot.mjs').Effects, now?: () => number}} World */

/** Hosts of the pages that are searched without a key, and of each service's own API. */
const PAGES = ['html.duckduckgo.com', 'lite.duckduckgo.com', 'www.bing.com', 'cn.bing.com']
const APIS = /** @type {Record<string, string>} */ ({ exa: 'api.exa.ai', perplexity: 'api.perplexity.ai', deepseek: 'api.deepseek.com' })

/**
 * Registers the providers and the command. The plugin starts at its first use.
 * @param {any} ctx @param {SearchRow} config
 * @param {object} own
 * @param {string} own.token what the service gets as its key
 * @param {World} [own.world] tests put one of their own in place of the machine's network and clock
 */
export function mount(ctx, config, { token, world = {} }) {
  const { service = 'duckduckgo' } = config
  const warn = (/** @type {string} */ text) => ctx.logger.warn(text)
  const seams = seamProbe(probes(ctx), warn)
  /** @type {Promise<Instance> | undefined} */
  let starting
  /** @type {Instance | undefined} */
  let running
  const plugin = () => starting ??= start(config, token, world, warn).then(instance => running = instance, error => {
    starting = undefined // the next one tries again
    throw error
  })

  const { seams: found } = seams()
  const own = /** @type {WeakSet<object>} */ (new WeakSet())
  if (found.search) ctx.web.registerSearchProvider(searchProvider(`strata-${service}`, plugin, own))
  if (found.mark) ctx.effect(() => wrapMethod(ctx.web, 'search', marks(plugin, own)), 'strata-search: marks')
  if (found.fetch) ctx.web.registerFetchProvider(fetchProvider('strata', plugin))
  ctx.commands.register({
    name: 'strata-search',
    description: 'Which service searches the web, and whether it can',
    input: { hint: 'status' },
    recordInput: false,
    handler: async (/** @type {{rawInput?: string}} */ { rawInput = '' }) => {
      const state = { search: 'on', abi: ABI, sha256: config.sha256, service, keySet: token !== '', ...seams(), ...running?.stats }
      return { kind: 'success', text: rawInput.trim() === 'status' ? sentence(state) : JSON.stringify(state) }
    },
  })
  ctx.effect(() => () => void starting?.then(instance => instance.close(), () => {}), 'strata-search: plugin')
}

/**
 * @param {SearchRow} row @param {string} token @param {World} world
 * @param {(text: string) => void} warn @returns {Promise<Instance>} warmed up
 */
async function start({ sha256, wasm, store, service = 'duckduckgo', origin, shape, language }, token, { network = effects => effects, now }, warn) {
  try {
    const module = await loadModule(wasm ?? new URL('../dist/strata.wasm', import.meta.url), sha256)
    const api = origin === undefined ? APIS[service] : new URL(origin).host
    const hosts = [...PAGES, ...(api === undefined || token === '' ? [] : [api])]
    const instance = new Instance({
      module,
      plugin: 'search',
      config: { service, ...(origin && { origin }), ...(shape && { shape }), ...(language && { language }), ...(token && { token }) },
      effects: network(createEffects({ hosts, web: {}, ...(store !== undefined && { store }) })),
      ...(now && { now }),
      log: (level, text) => level !== 'debug' && warn(text),
      onTrap: ({ message, details }) => warn(`search: ${message} ${details ?? ''}`),
    })
    instance.callSync('admitAddress', { host: '', address: '' })
    return instance
  } catch (error) {
    const { message, details } = asPluginError(error)
    throw new Error(`Web search could not start. ${message}${details ? ` (${details})` : ''}`, { cause: error })
  }
}

/** @param {any} ctx @returns {Record<string, import('../lib/probe.mjs').Probe>} */
function probes(ctx) {
  return {
    search: {
      has: () => hasMethods(ctx.web, 'registerSearchProvider'),
      lost: 'This Harness takes no search provider, so its own web search is used.',
    },
    mark: {
      has: () => hasMethods(ctx.web, 'search'),
      lost: 'This Harness hands on what its own web search finds without us, so that is neither cleaned nor marked as data from the web.',
    },
    fetch: {
      has: () => hasMethods(ctx.web, 'registerFetchProvider'),
      lost: 'This Harness takes no fetch provider, so web pages are not read by us.',
    },
  }
}

/** @param {{service: string, keySet: boolean, missing: string[]}} state */
function sentence({ service, keySet, missing }) {
  const who = service === 'duckduckgo' ? 'DuckDuckGo, and Bing when it refuses' : keySet ? service : `DuckDuckGo, since no key for ${service} is set`
  return [`The web is searched with ${who}.`, ...missing].join(' ')
}
