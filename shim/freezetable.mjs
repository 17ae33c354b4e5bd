// @ts-check
/**
 * Go's linker writes a table by which the runtime finds the function of an address (runtime.findfunctab): a bucket for
 * every 4 KiB of code, of 20 bytes, of which the first four are the number of the bucket's first function. In
 * WebAssembly an address is a function's number times 64 KiB, so that the table says nothing but i >> 4 for its
 * entry i; written out, its 60,000 entries were a twelfth of the module and most of its data segments. A frozen module
 * fills it in when it starts.
 * @module
 */
import { writeUint } from './lib/memcap.mjs'

const STRIDE = 20
const SHIFT = 4
/** Functions that a table has at the least: what is shorter may be there by chance. */
const LEAST = 256

/** @typedef {{base: number, count: number}} Table where it begins in memory, and its entries */

/**
 * Finds the table and takes it out of the memory.
 * @param {Buffer} memory
 * @returns {Table | undefined} nothing where there is none of this form
 */
export function takeTable(memory) {
  const per = STRIDE << SHIFT // bytes of one function's entries
  const at = (/** @type {number} */ entry, /** @type {number} */ base) => memory.readUInt32LE(base + entry * STRIDE)
  for (let second = per; second + LEAST * per < memory.length; second += 4) {
    if (memory[second] !== 1 || at(1 << SHIFT, second) !== 2) continue
    const base = second - per
    let count = 0
    while (base + (count + 1) * STRIDE <= memory.length && at(count, base) === count >> SHIFT && isRestZero(memory, base + count * STRIDE)) count++
    if (count < LEAST << SHIFT) continue
    for (let entry = 0; entry < count; entry++) memory.writeUInt32LE(0, base + entry * STRIDE)
    return { base, count }
  }
  return undefined
}

/** @param {Buffer} memory @param {number} entry */
function isRestZero(memory, entry) {
  for (let i = entry + 4; i < entry + STRIDE; i++) if (memory[i] !== 0) return false
  return true
}

/** The body of a function that fills the table in; of one that does nothing without a table. @param {Table | undefined} table @returns {Buffer} */
export function fillTable(table) {
  const code = table === undefined ? [0, END] : [
    1, 1, I32, // one local: the entry
    LOOP, NONE,
    GET, 0, CONST, ...writeInt(STRIDE), MUL,
    GET, 0, CONST, ...writeInt(SHIFT), SHR_U,
    STORE, 2, ...writeUint(table.base),
    GET, 0, CONST, ...writeInt(1), ADD, TEE, 0,
    CONST, ...writeInt(table.count), LT_U, BR_IF, 0,
    END, END,
  ]
  return Buffer.from([...writeUint(code.length), ...code])
}

const I32 = 0x7f
const LOOP = 0x03
const NONE = 0x40
const END = 0x0b
const BR_IF = 0x0d
const GET = 0x20
const TEE = 0x22
const STORE = 0x36
const CONST = 0x41
const LT_U = 0x49
const ADD = 0x6a
const MUL = 0x6c
const SHR_U = 0x76

/** A signed LEB128 number. @param {number} value not negative @returns {number[]} */
function writeInt(value) {
  const out = writeUint(value)
  return (out.at(-1) ?? 0) & 0x40 ? [...out.slice(0, -1), (out.at(-1) ?? 0) | 0x80, 0] : out
}
