// @ts-check
/**
 * The approval gate, mounted by the Harness. It puts every tool call before the `gate` plugin of strata.wasm, asks
 * the person by itself, and makes sure that what runs is what was judged. Config of the row:
 *
 *   sha256   the SHA-256 that the plugin file must have, in hex
 *   wasm     its path; dist/strata.wasm of this package when left out
 *   store    absolute folder of the plugins' stores; without it a plugin has none
 *   secrets  absolute paths that no call may touch unasked; the Harness's home when left out
 *   web      {engine, skipAsk}: who gets search words, by the name a person knows; whether the web is used without asking
 *   unattended  true where nobody is there to ask in any chat
 *   maxHelpers  how many helpers of a chat may be at work at once; 0 or left out: no limit
 *   helpersBy   the same for chats on a model of these providers: {provider: how many}
 *
 * A row that cannot load its plugin fails the start of the Harness: there is no open gate.
 * @module
 */
import { Answers } from './gate/answers.mjs'
import { askEffect } from './gate/ask.mjs'
import { gateCommand } from './gate/command.mjs'
import { closeManual, letHelperAsk } from './gate/helpers.mjs'
import { Journal } from './gate/journal.mjs'
import { Judge } from './gate/judge.mjs'
import { Modes, isHelper } from './gate/modes.mjs'
import { Watch } from './gate/watch.mjs'
import { createEffects } from './lib/effects.mjs'
import { realPath } from './lib/effects/paths.mjs'
import { harnessHome } from './lib/harness.mjs'
import { Instance } from './lib/hot.mjs'
import { asPluginError } from './lib/messages.mjs'
import { loadModule } from './lib/module.mjs'
import { hasMethods, seamProbe } from './lib/probe.mjs'

/** @typedef {{sha256: string, wasm?: string, store?: string, secrets?: string[], web?: {engine?: string, skipAsk?: boolean}, unattended?: boolean, maxHelpers?: number, helpersBy?: Record<string, number>}} GateRow */

export const name = 'strata-gate'
export const inject = ['tools', 'commands', 'sessions', 'approval']

/** State of a Harness fiber that is being taken down. */
const UNLOADING = 5
const WARM_UP = { tool: 'bash', arguments: { command: 'ls' }, mode: 'manual', cwd: '/', workspace: '/', platform: process.platform }
const NOT_READY = 'The approval gate could not start, so nothing runs. Tell the person to look at the log of the Harness.'

/**
 * @param {any} ctx the row's context in the Harness
 * @param {GateRow} config
 */
export async function apply(ctx, config) {
  const { tools, commands, sessions } = ctx
  const modes = new Modes(sessions)
  const answers = new Answers()
  const warn = (/** @type {string} */ text) => ctx.logger.warn(text)
  const seams = seamProbe(probes(ctx), warn)
  refuseWithout(ctx)
  /** @type {{instance: Instance, judge: Judge} | undefined} */
  let running
  const journal = new Journal(async entries => running?.instance.call('record', { entries }), warn)
  const watch = new Watch(modes, (exec, rule) => running?.judge.note(running.judge.call(exec), { decision: 'deny', rule, by: 'fault' }))
  const prepare = (/** @type {any} */ agent) => letHelperAsk(agent, modes)
  const ask = askEffect({ approval: () => ctx.get('approval'), answers, prepare })
  const judge = start(config, ask, warn).then(instance => {
    running = { instance, judge: new Judge(instance, modes, journal) }
    return running.judge
  })
  judge.catch(() => {}) // told below; calls that come before are refused

  ctx.on('tools/pre-execute', async (/** @type {any} */ exec, /** @type {() => Promise<unknown>} */ next) => {
    const mark = watch.begin(exec)
    const ready = await judge.catch(() => undefined)
    if (ready === undefined) return { kind: 'deny', reason: NOT_READY }
    const { allowed, reason, digest } = await ready.verdict(exec)
    if (!allowed) {
      ready.delegation.release(exec.agent?.session.id ?? '', exec.callId)
      return { kind: 'deny', reason }
    }
    Object.assign(mark, { allowed, digest })
    return next()
  }, { prepend: true })

  if (hasMethods(tools, 'guard')) tools.guard((/** @type {any} */ exec) => watch.refusal(exec))

  ctx.on('tools/execute', async (/** @type {any} */ exec, /** @type {() => Promise<unknown>} */ next) => {
    const ready = await judge
    const wrong = watch.mismatch(exec, one => ready.digest(one))
    if (wrong !== undefined) throw new Error(wrong)
    try {
      return await next()
    } finally {
      ready.delegation.release(exec.agent?.session.id ?? '', exec.callId)
    }
  })

  ctx.on('agent/created', (/** @type {{agent: any}} */ { agent }) => {
    if (isHelper(agent.session)) running?.judge.delegation.born(agent.session.header.parentSession)
    prepare(agent)
  })
  for (const agent of ctx.get('agents')?.list() ?? []) prepare(agent)

  commands.register(gateCommand({ gate: () => running, modes, answers, watch, seams }))

  // Last in, first out: sessions are closed before the listeners go. When all of the Harness stops, no session
  // outlives the gate, and the mode that the person chose stays.
  ctx.effect(() => async () => {
    if (ctx.root.fiber.state !== UNLOADING) closeManual(sessions, modes, ctx.get('permissionPresets'))
    await journal.flush()
    running?.instance.close()
  }, 'strata-gate: sessions and plugin')

  await judge
}

/**
 * A Harness in which the gate cannot do its work does not start: the other seams are told by the command. The host
 * knows the words (harness.SeamsMissing).
 * @param {any} ctx
 */
function refuseWithout(ctx) {
  const { preExecute, guard, approval } = probes(ctx)
  const { missing } = seamProbe({ preExecute, guard, approval }, () => {})()
  if (missing.length > 0) throw new Error(`strata-gate: this Harness lacks what the gate needs. ${missing.join(' ')}`)
}

/**
 * @param {GateRow} config @param {import('./lib/hot.mjs').EffectHandler} ask @param {(text: string) => void} warn
 * @returns {Promise<Instance>} warmed up
 */
async function start({ sha256, wasm, store, secrets = [harnessHome()], web = {}, unattended = false, maxHelpers = 0, helpersBy = {} }, ask, warn) {
  try {
    const module = await loadModule(wasm ?? new URL('./dist/strata.wasm', import.meta.url), sha256)
    const instance = new Instance({
      module,
      plugin: 'gate',
      config: { secrets: secrets.map(secret => realPath(secret) || secret), web, unattended, maxHelpers, helpersBy },
      effects: createEffects({ ask, ...(store !== undefined && { store }) }),
      log: (level, text) => level !== 'debug' && warn(text),
      onTrap: ({ message, details }) => warn(`gate: ${message} ${details ?? ''}`),
    })
    instance.callSync('decide', WARM_UP)
    return instance
  } catch (error) {
    const { message, details } = asPluginError(error)
    throw new Error(`The approval gate could not start. ${message}${details ? ` (${details})` : ''}`, { cause: error })
  }
}

/** @param {any} ctx @returns {Record<string, import('./lib/probe.mjs').Probe>} */
function probes(ctx) {
  return {
    preExecute: {
      has: () => hasMethods(ctx.tools, 'execute'),
      lost: 'This Harness does not put tool calls before the gate.',
    },
    guard: {
      has: () => hasMethods(ctx.tools, 'guard'),
      lost: 'This Harness has no last check of its tools, so another plugin can answer in place of the gate.',
    },
    approval: {
      has: () => hasMethods(ctx.get('approval'), 'request'),
      lost: 'This Harness has no approval service, so the gate refuses what it would ask about.',
    },
    permissionPresets: {
      has: () => hasMethods(ctx.get('permissionPresets'), 'set'),
      lost: 'This Harness has no permission presets, so every chat counts as Manual.',
    },
    agents: {
      has: () => hasMethods(ctx.get('agents'), 'list'),
      lost: 'This Harness does not tell when a helper starts, so helpers may be unable to ask.',
    },
  }
}
