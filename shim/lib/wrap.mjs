// @ts-check
/**
 * A method of a Harness's object, replaced by one of ours for as long as a row is mounted.
 * @module
 */
import { hasMethods } from './probe.mjs'

/**
 * Puts a method of its own on an object and gives back what restores it. One that is missing stays so.
 * @param {any} owner @param {string} method @param {(original: Function) => Function} wrap
 */
export function wrapMethod(owner, method, wrap) {
  if (!hasMethods(owner, method)) return () => {}
  const own = Object.getOwnPropertyDescriptor(owner, method)
  owner[method] = wrap(owner[method])
  return () => {
    if (own === undefined) delete owner[method]
    else Object.defineProperty(owner, method, own)
  }
}
