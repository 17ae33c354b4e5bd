// @ts-check
/**
 * The address, from the plugin that opens the port to the launcher that prints it. Both are loaded in one process, not
 * by the same loader.
 * @module
 */

const KEY = Symbol.for('strata.muxport.address')
/** @type {any} */
const shared = globalThis
/** @type {PromiseWithResolvers<string>} */
const address = shared[KEY] ??= Promise.withResolvers()

/** @param {string} url with the launch token */
export const announce = url => address.resolve(url)

/** The URL, once the port is open. */
export const announced = address.promise
