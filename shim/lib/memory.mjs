// @ts-check
/**
 * A guest's memory as the ABI sees it: lists that are copied in, texts, heads and bodies that are copied out.
 * @module
 */
import { LIMITS, RULES } from './messages.mjs'

const EMPTY = new Uint8Array(0)
const encoder = new TextEncoder()
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A rule of the ABI that the guest broke, thrown through its frames so that it stops at once. */
export class Violation extends Error {}

/**
 * Reads a head: JSON in UTF-8; an empty one is undefined.
 * @param {Uint8Array} bytes
 * @throws {Error} when it is neither
 */
export function parseHead(bytes) {
  return bytes.length === 0 ? undefined : JSON.parse(strict.decode(bytes))
}

/** The text's first bytes, as whole characters. @param {string} text @param {number} limit @returns {string} */
export function cut(text, limit) {
  const bytes = encoder.encode(text)
  if (bytes.length <= limit) return text
  let end = limit
  while (end > 0 && (/** @type {number} */ (bytes[end]) & 0xc0) === 0x80) end--
  return strict.decode(bytes.subarray(0, end))
}

export class GuestMemory {
  #memory
  #realloc
  #bytes = EMPTY

  /** @param {WebAssembly.Memory} memory @param {(old: number, oldSize: number, align: number, size: number) => number} realloc */
  constructor(memory, realloc) {
    this.#memory = memory
    this.#realloc = realloc
  }

  /** Copies a list into the guest. @param {Uint8Array} list @returns {[number, number]} pointer and length */
  lower(list) {
    if (list.length === 0) return [0, 0]
    const at = this.#realloc(0, 0, 1, list.length) >>> 0
    this.#at(at, list.length).set(list)
    return [at, list.length]
  }

  /** @param {number} at @param {number} size @returns {string} */
  text(at, size) {
    const bytes = this.#bounded(at, size, LIMITS.MaxHeadBytes)
    try {
      return strict.decode(bytes)
    } catch {
      throw new Violation(RULES.Text)
    }
  }

  /** A head and a body, copied out. @param {number[]} at pointer and length of each */
  payload(...[hp = 0, hn = 0, bp = 0, bn = 0]) {
    const head = this.#bounded(hp, hn, LIMITS.MaxHeadBytes).slice()
    const value = this.#json(head)
    return { head, value, body: this.#bounded(bp, bn, LIMITS.MaxBodyBytes).slice() }
  }

  /** @param {Uint8Array} head */
  #json(head) {
    try {
      return parseHead(head)
    } catch {
      throw new Violation(RULES.Head)
    }
  }

  /** @param {number} at @param {number} size @param {number} limit */
  #bounded(at, size, limit) {
    const bytes = this.#at(at, size)
    if (bytes.length > limit) throw new Violation(RULES.TooLarge)
    return bytes
  }

  /** A view of the guest's memory. @param {number} at @param {number} size */
  #at(at, size) {
    at >>>= 0
    size >>>= 0
    if (size === 0) return EMPTY
    if (this.#bytes.buffer !== this.#memory.buffer) this.#bytes = new Uint8Array(this.#memory.buffer) // it grew
    if (at + size > this.#bytes.length) throw new Violation(RULES.Memory)
    return this.#bytes.subarray(at, at + size)
  }
}
