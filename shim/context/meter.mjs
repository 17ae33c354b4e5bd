// @ts-check
/**
 * The Harness's token meter, wrapped once: its totals are those that the model's server counts. What it says of
 * single messages goes into the log as their price, so it is scaled only where the Harness keeps the price apart
 * (`heuristicTokens`).
 * @module
 */

const KEY = Symbol.for('strata.context.measure')

/** @typedef {{adjust?: (session: any, result: any) => any}} Wrapped */

/**
 * Wraps `measure`; what a row that was loaded before has left is taken over, so that there is never a second wrap.
 * @param {any} meter the service @param {(session: any, result: any) => any} adjust
 * @returns {() => void} restores it
 */
export function wrapMeasure(meter, adjust) {
  /** @type {Wrapped | undefined} */
  let wrapped = meter[KEY]
  if (wrapped === undefined) {
    const mine = wrapped = /** @type {Wrapped} */ ({})
    const original = meter.measure
    meter.measure = function (/** @type {any} */ session, /** @type {any[]} */ ...header) {
      const result = original.call(this, session, ...header)
      return header[0] === undefined && mine.adjust !== undefined ? mine.adjust(session, result) : result
    }
    meter[KEY] = wrapped
  }
  wrapped.adjust = adjust
  return () => {
    if (wrapped.adjust !== adjust) return
    delete wrapped.adjust
    delete meter.measure
    delete meter[KEY]
  }
}

/**
 * What of a measurement is the plugin's. Whoever wants the total pays for no messages: they are scaled when they are
 * looked at, and once for as long as they are the same.
 * @param {import('./figures.mjs').Figures} figures @returns {(session: any, result: any) => any}
 */
export function adjusted(figures) {
  /** @type {WeakMap<readonly any[], {density: number, nodes: readonly any[]}>} */
  const known = new WeakMap()
  const scaledOnce = (/** @type {readonly any[]} */ nodes, /** @type {number} */ density) => {
    let last = known.get(nodes)
    if (last?.density !== density) last = { density, nodes: scaled(nodes, density) }
    if (Object.isFrozen(nodes)) known.set(nodes, last)
    return last.nodes
  }
  return (session, result) => {
    const measured = figures.measure(session, priced(result))
    if (measured === undefined) return result
    const { tokens, density } = measured
    const { nodes, ...rest } = result
    return Object.freeze({
      ...rest,
      totalTokens: tokens,
      surfaceDeltaTokens: tokens - result.baseline.tokens,
      get nodes() {
        return scaledOnce(nodes, density)
      },
    })
  }
}

/** Whether the ledger's prices stand beside those of the route, of which the surface's sum is then. @param {readonly any[]} nodes */
const split = ([first]) => first !== undefined && 'heuristicTokens' in first

/** The Harness's own price of the messages, by the ledger's prices or by those of the route. @param {any} result of the meter */
export const priced = ({ nodes, surfaceTokens }) => (split(nodes) ? { routed: surfaceTokens } : surfaceTokens ? { surface: surfaceTokens } : {})

/** @param {readonly any[]} nodes @param {number} density */
function scaled(nodes, density) {
  if (density === 1 || !split(nodes)) return nodes
  return Object.freeze(nodes.map(node => Object.freeze({ ...node, tokens: Math.max(node.tokens, Math.ceil(node.heuristicTokens * density)) })))
}
