// @ts-check
/**
 * The chunks of one attempt as the records that a modern log keeps of them (harness-wire.md §7.4).
 * @module
 */

/** @typedef {{time: number, chunk: any}} Timed */

/**
 * Runs of deltas of one block become one record; every other chunk is a record of its own.
 * @param {Timed[]} chunks in order
 * @returns {any[]}
 */
export function records(chunks) {
  /** @type {any[]} */
  const out = []
  for (const { time, chunk } of chunks) {
    const last = out.at(-1)
    switch (chunk.type) {
      case 'text-delta':
      case 'reasoning-delta': {
        const type = chunk.type === 'text-delta' ? 'text-chunks' : 'reasoning-chunks'
        if (last?.type === type && last.index === chunk.index) {
          last.dt.push(time - last.time0)
          last.texts.push(chunk.text)
        } else out.push({ type, time0: time, index: chunk.index, dt: [0], texts: [chunk.text] })
        break
      }
      case 'tool-call-delta':
        if (last?.type === 'tool-call-chunks' && last.index === chunk.index && last.id === chunk.id && (chunk.name === undefined || chunk.name === last.name)) {
          last.dt.push(time - last.time0)
          last.args.push(chunk.argumentsDelta)
        } else {
          const name = chunk.name === undefined ? {} : { name: chunk.name }
          out.push({ type: 'tool-call-chunks', time0: time, index: chunk.index, dt: [0], id: chunk.id, ...name, args: [chunk.argumentsDelta] })
        }
        break
      default:
        out.push({ type: 'chunk', time, chunk })
    }
  }
  return out
}
