// @ts-check
import { createEffects } from '../lib/effects.mjs'
import { importHarness } from '../lib/harness.mjs'
import { Instance } from '../lib/hot.mjs'
import { ABI, asPluginError } from '../lib/messages.mjs'
import { loadModule } from '../lib/module.mjs'
import { hasMethods, seamProbe } from '../lib/probe.mjs'
import { publish } from './current.mjs'
import { Figures } from './figures.mjs'
import { adjusted, wrapMeasure } from './meter.mjs'
import { Requests } from './requests.mjs'

/** @typedef {{sha256: string, wasm?: string, ceilings?: Record<string, number>}} ContextRow */

/**
 * Binds the seams. The plugin starts when the first session shows.
 * @param {any} ctx @param {ContextRow} config
 */
export async function mount(ctx, config) {
  const { tokenMeter, llm, sessions } = ctx
  const { markAgentLoopRequest: mark, isAgentLoopRequest: marked } = await importHarness('@deepseek-ai/dsh-llm') ?? {}
  const warn = (/** @type {string} */ text) => ctx.logger.warn(text)
  const seams = seamProbe(probes(ctx, mark), warn)
  const { seams: found } = seams()

  /** @type {Promise<Instance> | undefined} */
  let starting
  /** @type {Instance | undefined} */
  let running
  let closed = false
  const figures = new Figures({
    instance: () => running, ready: () => plugin().catch(() => undefined), warn, ceilings: config.ceilings ?? {},
    price: message => tokenMeter.estimateMessage(message),
  })
  const requests = new Requests({
    llm, sessions, plugin, figures,
    mark: (clone, request) => (marked?.(request) ? mark(clone) : clone),
    isTurn: request => marked?.(request) ?? true,
  })
  /** @returns {Promise<Instance>} */
  function plugin() {
    return starting ??= start(config, warn, { llm: requests.effect, 'restore.put': requests.keep }).then(instance => {
      if (closed) instance.close()
      return running = instance
    })
  }
  const wake = () => void plugin().catch(error => told(warn, error))

  ctx.on('session/event', (/** @type {any} */ session, /** @type {any} */ event) => {
    if (starting === undefined) wake()
    figures.event(session, event)
  })
  if (found.requests) ctx.on('llm/stream', (/** @type {any} */ options, /** @type {any} */ next) => requests.stream(options, next), { prepend: true })
  if (found.measure) ctx.effect(() => wrapMeasure(tokenMeter, adjusted(figures)), 'strata-context: meter')
  ctx.effect(() => publish(figures), 'strata-context: engine')
  ctx.effect(() => () => {
    closed = true
    running?.close()
  }, 'strata-context: plugin')

  ctx.commands.register({
    name: 'strata-context',
    description: 'How full this chat is',
    input: { hint: 'status' },
    recordInput: false,
    handler: async (/** @type {{rawInput?: string, agent: any}} */ { rawInput = '', agent: { session } }) => {
      const route = /^\s*for ([^\s/]+)\/(\S+)\s*$/.exec(rawInput)
      if (route !== null) figures.announce(session, { provider: /** @type {string} */ (route[1]), model: /** @type {string} */ (route[2]) })
      const instance = await plugin().catch(error => void told(warn, error))
      const state = {
        context: instance === undefined ? 'off' : 'on', abi: ABI, sha256: config.sha256,
        ...await figuresOf(figures, session, ctx), ...seams(), ...instance?.stats,
      }
      state.missing = [...state.missing, ...figures.missing]
      return { kind: 'success', text: rawInput.trim() === 'status' ? sentence(state) : JSON.stringify(state) }
    },
  })
}

/**
 * The plugin's figures of a session, or the Harness's own, for the model that the next message goes to.
 * @param {Figures} figures @param {any} session @param {any} ctx
 */
async function figuresOf(figures, session, { tokenMeter, llm }) {
  /** @type {import('./figures.mjs').Measured} */
  const measured = await figures.known(session) ?? { tokens: tokenMeter.measure(session).totalTokens, source: 'estimated', density: 1 }
  const { tokens, density, fixed = 0, stuck, outline, kept } = measured
  const next = figures.moved(session)
  const info = next && await llm.resolveModelInfo(next.provider, next.model).catch(() => undefined)
  const window = next === undefined ? measured.window ?? session.requestContext()?.contextWindow : info?.context?.contextWindow
  return { tokens, window: window ?? 0, source: next ? 'estimated' : measured.source, density, fixed, ...(stuck && { stuck }), ...(outline && { outline }), ...(kept && { kept }) }
}

let last = ''
/** Says once why the plugin does not run. @param {(text: string) => void} warn @param {unknown} error */
function told(warn, error) {
  const { message } = asPluginError(error)
  if (message !== last) warn(message)
  last = message
}

/**
 * @param {ContextRow} row @param {(text: string) => void} warn @param {import('../lib/hot.mjs').Effects} own
 * @returns {Promise<Instance>} warmed up
 */
async function start({ sha256, wasm }, warn, own) {
  try {
    const module = await loadModule(wasm ?? new URL('../dist/strata.wasm', import.meta.url), sha256)
    const instance = new Instance({
      module,
      plugin: 'context',
      effects: { ...createEffects({}), ...own },
      log: (level, text) => level !== 'debug' && warn(text),
      onTrap: ({ message, details }) => warn(`context: ${message} ${details ?? ''}`),
    })
    instance.callSync('measure', { session: '', cursor: 0 })
    return instance
  } catch (error) {
    const { message, details } = asPluginError(error)
    throw new Error(`The chat's size is not measured, so the Harness's own figures stand. ${message}${details ? ` (${details})` : ''}`, { cause: error })
  }
}

/** @param {any} ctx @param {unknown} mark @returns {Record<string, import('../lib/probe.mjs').Probe>} */
function probes(ctx, mark) {
  return {
    measure: {
      has: () => hasMethods(ctx.tokenMeter, 'measure', 'estimateMessage'),
      lost: 'This Harness has no token meter that Strata knows, so its own figures decide.',
    },
    requests: {
      has: () => hasMethods(ctx.llm, 'stream', 'resolveModelInfo') && typeof mark === 'function',
      lost: 'This Harness does not show its model requests, so replies and summaries are its own.',
    },
  }
}

/** @param {{tokens: number, window: number, source: string, stuck?: string, missing: string[]}} state */
function sentence({ tokens, window, source, stuck, missing }) {
  const full = window > 0 ? `${Math.round(tokens * 100 / window)}% full (${tokens} of ${window} tokens, ${source})` : `${tokens} tokens long (${source})`
  return [`This chat is ${full}.`, ...(stuck ? [stuck] : []), ...missing].join(' ')
}
