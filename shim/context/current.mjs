// @ts-check
/**
 * What the rows of a Harness share: the host's row makes it, the engine in each agent preset uses it. It is kept
 * by the process, since a row that is loaded anew has modules of its own.
 * @module
 */

/** @typedef {import('./figures.mjs').Figures} Figures */

const KEY = Symbol.for('strata.context')
const holder = /** @type {Record<symbol, Figures | undefined>} */ (/** @type {unknown} */ (globalThis))

/** @returns {Figures | undefined} undefined where the row is not mounted */
export const current = () => holder[KEY]

/** Publishes it until the function that it gives back is called. @param {Figures} figures */
export function publish(figures) {
  holder[KEY] = figures
  return () => {
    if (holder[KEY] === figures) holder[KEY] = undefined
  }
}
