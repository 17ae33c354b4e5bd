// @ts-check
/**
 * The memory cap. Go has no linker flag for a maximum, and an unbounded plugin grows to 4 GiB, so the shim
 * rewrites the module's memory section before it is compiled.
 * @module
 */

const MEMORY_SECTION = 5
const PREAMBLE = 8

/** @param {Uint8Array} bytes @param {number} at @returns {[number, number]} the LEB128 number and the offset behind it */
export function readUint(bytes, at) {
  let value = 0
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes[at++]
    if (byte === undefined) break
    value += (byte & 0x7f) * 2 ** shift
    if ((byte & 0x80) === 0) return [value, at]
  }
  throw new Error('the module is cut short')
}

/** The LEB128 form of a number. @param {number} value @returns {number[]} */
export function writeUint(value) {
  const out = []
  for (;;) {
    const byte = value & 0x7f
    value = Math.floor(value / 128)
    if (value === 0) return [...out, byte]
    out.push(byte | 0x80)
  }
}

/**
 * Gives back the module with its one memory's maximum lowered to `pages`, or the module itself when it asks for no more.
 * @param {Uint8Array} bytes a core WebAssembly module
 * @param {number} pages the cap in pages of 64 KiB
 * @returns {Uint8Array<ArrayBuffer>}
 * @throws when the module has no own memory, another kind of one, or one that starts above the cap
 */
export function capMemory(bytes, pages) {
  for (let at = PREAMBLE; at < bytes.length;) {
    const start = at
    const id = bytes[at]
    const [size, body] = readUint(bytes, at + 1)
    at = body + size
    if (id !== MEMORY_SECTION) continue

    const [count, first] = readUint(bytes, body)
    const flags = bytes[first] ?? 0xff
    if (count !== 1 || flags > 1) throw new Error('the module has an unusual memory')
    const [least, behind] = readUint(bytes, first + 1)
    const wanted = flags === 1 ? readUint(bytes, behind)[0] : Infinity
    const most = Math.min(wanted, pages)
    if (least > most) throw new Error(`the module starts with ${least} pages, the cap is ${pages}`)
    if (wanted <= pages) return /** @type {Uint8Array<ArrayBuffer>} */ (bytes)

    const section = [1, 1, ...writeUint(least), ...writeUint(most)]
    const out = [bytes.subarray(0, start), Uint8Array.from([MEMORY_SECTION, ...writeUint(section.length), ...section]), bytes.subarray(at)]
    const capped = new Uint8Array(out.reduce((sum, part) => sum + part.length, 0))
    let to = 0
    for (const part of out) {
      capped.set(part, to)
      to += part.length
    }
    return capped
  }
  throw new Error('the module has no memory of its own')
}
