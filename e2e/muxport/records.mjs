// @ts-check
/**
 * The chunks of one attempt as the records that a modern log keeps of them (harness-wire.md §7.4).
 * @module
 */

/** @typedef {{time: number, chunk: any}} Timed */

/**
 * Runs of deltas of one block become one record, with the gaps between them; every other chunk is a record of its own.
 * @param {Timed[]} chunks in order
 * @returns {any[]}
 */
export function records(chunks) {
  /** @type {any[]} */
  const out = []
  let newest = 0
  const begin = (/** @type {any} */ record) => {
    newest = record.time0
    out.push(record)
  }
  const extend = (/** @type {any} */ record, /** @type {number} */ time) => {
    record.dt.push(time - newest)
    newest = time
  }
  for (const { time, chunk } of chunks) {
    const last = out.at(-1)
    switch (chunk.type) {
      case 'text-delta':
      case 'reasoning-delta': {
        const type = chunk.type === 'text-delta' ? 'text-chunks' : 'reasoning-chunks'
        if (last?.type === type && last.index === chunk.index) {
          extend(last, time)
          last.texts.push(chunk.text)
        } else begin({ type, time0: time, index: chunk.index, dt: [], texts: [chunk.text] })
        break
      }
      case 'tool-call-delta':
        if (last?.type === 'tool-call-chunks' && last.index === chunk.index && last.id === chunk.id && chunk.name === last.name) {
          extend(last, time)
          last.args.push(chunk.argumentsDelta)
        } else {
          const name = chunk.name === undefined ? {} : { name: chunk.name }
          begin({ type: 'tool-call-chunks', time0: time, index: chunk.index, dt: [], id: chunk.id, ...name, args: [chunk.argumentsDelta] })
        }
        break
      default:
        out.push({ type: 'chunk', time, chunk })
    }
  }
  return out
}
