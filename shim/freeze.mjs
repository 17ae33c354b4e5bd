// @ts-check
/**
 * Freezes a module: runs its _initialize once, when it is built, and writes the module as it then stands, with an
 * _initialize that does no more than to fill in a table (freezetable.mjs). Go initialises its runtime, tables and packages at every start, which was a third
 * of the time until the gate was ready. The same bytes give the same bytes: the clock stands still meanwhile and
 * random numbers come from a fixed seed (RATIONALE says what that means for hash maps).
 * @module
 */
import { fillTable, takeTable } from './freezetable.mjs'
import { readUint, writeUint } from './lib/memcap.mjs'

const SECTION = Object.freeze({ custom: 0, type: 1, function: 3, memory: 5, global: 6, export: 7, start: 8, code: 10, data: 11, dataCount: 12 })
const PREAMBLE = 8
const PAGE = 65536
const GLOBAL = 3
const I32 = 0x7f
const I64 = 0x7e
const I32_CONST = 0x41
const I64_CONST = 0x42
const END = 0x0b
/** Shorter runs of zeros are written out: a segment of its own would cost more. */
const MIN_GAP = 16

/** @typedef {{id: number, body: Buffer}} Section */
/** @typedef {{name: string, kind: number, index: number}} Export */
/** @typedef {{type: number, mutable: number, value: bigint}} Global */

/**
 * @param {Uint8Array} module that exports memory and _initialize, as Go's c-shared mode makes it
 * @param {{maxPages: number}} options maxPages: the most memory it may ever have
 * @returns {Buffer}
 * @throws when the module is not of that form, or its start does more than initialise
 */
export function freeze(module, { maxPages }) {
  const sections = sectionsOf(Buffer.from(module))
  const of = (/** @type {number} */ id) => {
    const found = sections.find(section => section.id === id)
    if (found === undefined) throw new Error(`the module has no section ${id}`)
    return found.body
  }
  for (const id of [SECTION.start, SECTION.dataCount]) {
    if (sections.some(section => section.id === id)) throw new Error(`the module has a section ${id}`)
  }
  const exports = exportsOf(of(SECTION.export))
  const { memory, globals } = initialised(replace(sections, {
    [SECTION.export]: writeExports([...exports, ...globalsOf(of(SECTION.global)).map((_, index) => ({ name: nameOf(index), kind: GLOBAL, index }))]),
  }), globalsOf(of(SECTION.global)))

  const table = takeTable(memory)
  const [functions, afterCount] = readUint(of(SECTION.function), 0)
  const [bodies, afterBodies] = readUint(of(SECTION.code), 0)
  const start = importedFunctions(module) + functions // the function added last
  return replace(sections, {
    [SECTION.function]: Buffer.concat([uint(functions + 1), of(SECTION.function).subarray(afterCount), uint(plainType(of(SECTION.type)))]),
    [SECTION.memory]: Buffer.from([1, 1, ...writeUint(memory.length / PAGE), ...writeUint(maxPages)]),
    [SECTION.global]: writeGlobals(globals),
    [SECTION.export]: writeExports(exports.map(one => (one.name === '_initialize' ? { ...one, index: start } : one))),
    [SECTION.code]: Buffer.concat([uint(bodies + 1), of(SECTION.code).subarray(afterBodies), fillTable(table)]),
    [SECTION.data]: writeData(memory),
  })
}

/** Runs the start. @param {Buffer} module with its globals exported by nameOf @param {Global[]} globals */
function initialised(module, globals) {
  const compiled = new WebAssembly.Module(new Uint8Array(module))
  /** @type {any} */
  let exports
  const view = () => new DataView(exports.memory.buffer)
  const none = (/** @type {number} */ count, /** @type {number} */ bytes) => {
    view().setUint32(count, 0, true)
    view().setUint32(bytes, 0, true)
    return 0
  }
  /** @type {Record<string, (...values: number[]) => number>} */
  const served = {
    args_sizes_get: (count = 0, bytes = 0) => none(count, bytes),
    environ_sizes_get: (count = 0, bytes = 0) => none(count, bytes),
    args_get: () => 0,
    environ_get: () => 0,
    sched_yield: () => 0,
    fd_fdstat_get: () => 8, // EBADF: there are no files
    fd_prestat_get: () => 8,
    clock_time_get: (_clock, _precision, out = 0) => {
      view().setBigUint64(out, 1n, true) // Go takes 0 for a broken clock
      return 0
    },
    random_get: (at = 0, size = 0) => {
      const bytes = new Uint8Array(exports.memory.buffer, at, size)
      for (let i = 0, x = 1; i < size; i++) bytes[i] = (x = Math.imul(x, 1_664_525) + 1_013_904_223) >>> 24
      return 0
    },
  }
  /** @type {WebAssembly.Imports} */
  const imports = {}
  for (const { module: from, name } of WebAssembly.Module.imports(compiled)) {
    (imports[from] ??= {})[name] = served[name] ?? (() => { throw new Error(`its start calls ${name}`) })
  }
  exports = new WebAssembly.Instance(compiled, imports).exports
  exports._initialize()
  return {
    memory: Buffer.from(exports.memory.buffer),
    globals: globals.map((global, index) => ({ ...global, value: BigInt(exports[nameOf(index)].value) })),
  }
}

const nameOf = (/** @type {number} */ index) => `global ${index}`
const uint = (/** @type {number} */ value) => Buffer.from(writeUint(value))

/** @param {Buffer} module @returns {Section[]} */
function sectionsOf(module) {
  const sections = []
  for (let at = PREAMBLE; at < module.length;) {
    const [size, body] = readUint(module, at + 1)
    sections.push({ id: module.readUInt8(at), body: module.subarray(body, body + size) })
    at = body + size
  }
  return sections
}

/** The module of these sections, some with new bodies. @param {Section[]} sections @param {Record<number, Buffer>} bodies */
function replace(sections, bodies) {
  const parts = sections.flatMap(({ id, body: old }) => {
    const body = bodies[id] ?? old
    return [Buffer.from([id]), uint(body.length), body]
  })
  return Buffer.concat([Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), ...parts])
}

/** @param {Buffer} body @returns {Export[]} */
function exportsOf(body) {
  let [count, at] = readUint(body, 0)
  return Array.from({ length: count }, () => {
    const [length, from] = readUint(body, at)
    const [index, end] = readUint(body, from + length + 1)
    at = end
    return { name: body.toString('utf8', from, from + length), kind: body.readUInt8(from + length), index }
  })
}

/** @param {Export[]} exports */
const writeExports = exports => Buffer.concat([uint(exports.length), ...exports.flatMap(({ name, kind, index }) => (
  [uint(Buffer.byteLength(name)), Buffer.from(name), Buffer.from([kind]), uint(index)]))])

/** @param {Buffer} body @returns {Global[]} whose values come later */
function globalsOf(body) {
  let [count, at] = readUint(body, 0)
  return Array.from({ length: count }, () => {
    const [type, mutable, init] = body.subarray(at, at + 3)
    if ((type !== I32 || init !== I32_CONST) && (type !== I64 || init !== I64_CONST)) throw new Error('the module has an unusual global')
    at = body.indexOf(END, readUint(body, at + 3)[1]) + 1
    return { type, mutable: mutable ?? 0, value: 0n }
  })
}

/** @param {Global[]} globals */
const writeGlobals = globals => Buffer.concat([uint(globals.length), ...globals.map(({ type, mutable, value }) => (
  Buffer.from([type, mutable, type === I32 ? I32_CONST : I64_CONST, ...writeInt(value), END])))])

/** Segments of all that is not zero. @param {Buffer} memory */
function writeData(memory) {
  const segments = []
  for (let at = 0; at < memory.length;) {
    if (memory[at] === 0) {
      at++
      continue
    }
    let end = at + 1
    for (let i = end; i < memory.length && i - end < MIN_GAP; i++) if (memory[i] !== 0) end = i + 1
    segments.push(Buffer.from([0, I32_CONST, ...writeInt(BigInt(at)), END]), uint(end - at), memory.subarray(at, end))
    at = end
  }
  return Buffer.concat([uint(segments.length / 3), ...segments])
}

/** A signed LEB128 number. @param {bigint} value @returns {number[]} */
function writeInt(value) {
  const out = []
  for (;;) {
    const byte = Number(value & 0x7fn)
    value >>= 7n
    if (value === ((byte & 0x40) === 0 ? 0n : -1n)) return [...out, byte]
    out.push(byte | 0x80)
  }
}

/** The type of functions that take and give nothing. @param {Buffer} body @returns {number} */
function plainType(body) {
  let [count, at] = readUint(body, 0)
  for (let index = 0; index < count; index++) {
    const [params, afterParams] = readUint(body, at + 1)
    const [results, afterResults] = readUint(body, afterParams + params)
    if (params === 0 && results === 0) return index
    at = afterResults + results
  }
  throw new Error('the module has no function without parameters and results')
}

/** @param {Uint8Array} module */
function importedFunctions(module) {
  return WebAssembly.Module.imports(new WebAssembly.Module(new Uint8Array(module))).filter(({ kind }) => kind === 'function').length
}
