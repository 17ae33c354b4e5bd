// @ts-check
/**
 * The plugin file: read once, compared with the hash the row's config names, capped, compiled once per process.
 * @module
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { EXPORTS, HOST, HOST_IMPORTS } from './abi.mjs'
import { capMemory } from './memcap.mjs'
import { CODES, LIMITS, MESSAGES, PluginError } from './messages.mjs'
import { WASI_NAMES } from './wasi.mjs'

/** @typedef {{module: WebAssembly.Module, sha256: string}} PluginModule */

/** Compiled modules by hash and cap: rows that name the same file share one. @type {Map<string, Promise<WebAssembly.Module>>} */
const compiled = new Map()

/**
 * @param {string | URL | Uint8Array} source the file, or its bytes
 * @param {string} sha256 the expected SHA-256 of the file, in hex
 * @param {{pages?: number}} [options] pages: the memory cap in pages of 64 KiB
 * @returns {Promise<PluginModule>}
 * @throws {PluginError} `refused`: other bytes than expected, or none that can be run
 */
export async function loadModule(source, sha256, { pages = LIMITS.MemoryPages } = {}) {
  const bytes = source instanceof Uint8Array ? source : read(source)
  const key = `${sha256}/${pages}`
  const known = compiled.get(key)
  // Compiling goes on in other threads while this one hashes; nothing runs before the hash is compared.
  const module = known ?? compile(bytes, pages)
  module.catch(() => compiled.get(key) === module && compiled.delete(key)) // told below
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new PluginError(CODES.Refused, MESSAGES.Hash)
  if (known === undefined) compiled.set(key, module)
  return { module: await module, sha256 }
}

/** At once: in chunks it takes longer, and the start waits for it. @param {string | URL} file */
function read(file) {
  try {
    return readFileSync(file)
  } catch (error) {
    return refuse(error)
  }
}

/** @param {Uint8Array} bytes @param {number} pages */
async function compile(bytes, pages) {
  try {
    const module = await WebAssembly.compile(capMemory(bytes, pages))
    check(module)
    return module
  } catch (error) {
    return refuse(error)
  }
}

/** @param {WebAssembly.Module} module @throws when it lacks an export of the world or wants a foreign import */
function check(module) {
  const exported = new Set(WebAssembly.Module.exports(module).map(({ name }) => name))
  const lacking = EXPORTS.find(name => !exported.has(name))
  if (lacking !== undefined) throw new Error(`it does not export ${lacking}`)

  const known = new Set([...HOST_IMPORTS.map(name => `${HOST} ${name}`), ...WASI_NAMES.map(name => `wasi_snapshot_preview1 ${name}`)])
  const foreign = WebAssembly.Module.imports(module).find(({ module: from, name, kind }) => kind !== 'function' || !known.has(`${from} ${name}`))
  if (foreign !== undefined) throw new Error(`it wants ${foreign.module} ${foreign.name}`)
}

/** @param {unknown} cause @returns {never} */
function refuse(cause) {
  throw new PluginError(CODES.Refused, MESSAGES.Module, { cause, details: cause instanceof Error ? cause.message : String(cause) })
}
