// @ts-check
/**
 * The start of a guest for one plugin: instantiate, describe, init.
 * @module
 */
import { Guest } from './abi.mjs'
import { ABI, CODES, MESSAGES, PluginError, RULES, fill } from './messages.mjs'

/**
 * @typedef {{name: string, sync?: boolean, worker?: boolean, deadlineMs?: number, effects?: string[] | null, default?: unknown}} Op
 * @typedef {import('./hot.mjs').Call} Call
 * @typedef {{guest: Guest, ops: Map<string, Op>, calls: Map<number, Call>, last: number, timer?: NodeJS.Timeout}} Generation
 * last: the newest call's id; timer: of its drain
 */

/**
 * @param {WebAssembly.Module} module
 * @param {string} plugin @param {Uint8Array} config
 * @param {import('./abi.mjs').Sinks} sinks
 * @returns {Generation}
 * @throws {PluginError} when the module does not serve this plugin, or the plugin does not take its config
 */
export function startGeneration(module, plugin, config, sinks) {
  const guest = instantiate(module, sinks)
  const manifest = readManifest(valueOf(guest.describe()))
  if (manifest.abi !== ABI) throw new PluginError(CODES.Refused, fill(MESSAGES.ABI, { got: manifest.abi, want: ABI }))
  const record = manifest.plugins.find(({ name }) => name === plugin)
  if (record === undefined) throw new PluginError(CODES.UnknownPlugin, fill(MESSAGES.Plugin, { plugin }))
  valueOf(guest.init(plugin, config))
  return { guest, ops: new Map(record.ops.map(op => [op.name, op])), calls: new Map(), last: 0 }
}

/** A call id that is not in use: they rise from 1 and wrap. @param {Generation} from */
export function nextId(from) {
  do from.last = (from.last + 1) >>> 0
  while (from.last === 0 || from.calls.has(from.last))
  return from.last
}

/** @param {WebAssembly.Module} module @param {import('./abi.mjs').Sinks} sinks */
function instantiate(module, sinks) {
  try {
    return new Guest(module, sinks)
  } catch (cause) {
    if (cause instanceof PluginError) throw cause
    throw new PluginError(CODES.Refused, MESSAGES.Module, { cause })
  }
}

/** @param {any} value @returns {{abi: string, plugins: {name: string, ops: Op[]}[]}} */
function readManifest(value) {
  if (typeof value?.abi === 'string' && Array.isArray(value.plugins) && value.plugins.every(isRecord)) return value
  throw new PluginError(CODES.Trap, fill(MESSAGES.Violation, { rule: RULES.Manifest }))
}

/** @param {any} plugin */
function isRecord(plugin) {
  return typeof plugin?.name === 'string' && Array.isArray(plugin.ops) && plugin.ops.every((/** @type {any} */ op) => typeof op?.name === 'string')
}

/** @param {import('./abi.mjs').End} end @returns {any} @throws {PluginError} */
function valueOf(end) {
  if (end.ok) return end.value
  throw end.error
}
