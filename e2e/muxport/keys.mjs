// @ts-check
/**
 * Exact keys: the modern wire refuses a spare key as it refuses a missing one, on frames, on arguments and inside them.
 * @module
 */
import { Failure } from './failure.mjs'

/**
 * A check throws an Error that names what is wrong. Its argument is the value and the name of the place.
 * @typedef {(value: any, at: string) => void} Check
 */

/** @param {string} at @param {string} want @returns {never} */
function wrong(at, want) {
  throw new TypeError(`${at}: expected ${want}`)
}

/** @type {Check} */
export const any = () => {}
/** @type {Check} */
export const string = (v, at) => void (typeof v === 'string' || wrong(at, 'a string'))
/** @type {Check} */
export const id = (v, at) => void ((typeof v === 'string' && v !== '') || wrong(at, 'a string that is not empty'))
/** @type {Check} */
export const integer = (v, at) => void (Number.isSafeInteger(v) || wrong(at, 'a whole number'))
/** @type {Check} */
export const bool = (v, at) => void (typeof v === 'boolean' || wrong(at, 'true or false'))
/** @type {Check} */
export const object = (v, at) => void ((typeof v === 'object' && v !== null && !Array.isArray(v)) || wrong(at, 'an object'))

/** @param {...any} values @returns {Check} */
export const oneOf = (...values) => (v, at) => void (values.includes(v) || wrong(at, `one of ${values.join(', ')}`))

/** @param {Check} item @returns {Check} */
export const list = item => (v, at) => {
  if (!Array.isArray(v)) wrong(at, 'a list')
  v.forEach((/** @type {any} */ one, /** @type {number} */ i) => item(one, `${at}[${i}]`))
}

/**
 * An object with exactly these keys; a name that ends in ? may be left out.
 * @param {Record<string, Check>} fields
 * @returns {Check}
 */
export const exactly = fields => (v, at) => {
  object(v, at)
  const left = new Set(Object.keys(v))
  for (const [name, check] of Object.entries(fields)) {
    const optional = name.endsWith('?')
    const key = optional ? name.slice(0, -1) : name
    if (left.delete(key)) check(v[key], `${at}.${key}`)
    else if (!optional) wrong(`${at}.${key}`, 'it to be there')
  }
  for (const spare of left) wrong(`${at}.${spare}`, 'no such key')
}

/**
 * One of several objects, told apart by a key.
 * @param {string} tag @param {Record<string, Record<string, Check>>} kinds
 * @returns {Check}
 */
export const tagged = (tag, kinds) => (v, at) => {
  object(v, at)
  const fields = Object.hasOwn(kinds, v[tag]) ? kinds[v[tag]] : wrong(`${at}.${tag}`, `one of ${Object.keys(kinds).join(', ')}`)
  exactly({ [tag]: string, ...fields })(v, at)
}

/** @param {Check} check @param {unknown} value whether it passes */
export function passes(check, value) {
  try {
    check(value, '')
    return true
  } catch {
    return false
  }
}

/**
 * Checks the arguments of a method: their names first, then each one's shape.
 * @param {string} endpoint @param {Record<string, Check>} parameters @param {any} args
 */
export function checkArgs(endpoint, parameters, args) {
  const loose = Object.fromEntries(Object.keys(parameters).map(name => [name, any]))
  try {
    exactly(loose)(args, 'args')
  } catch (error) {
    throw new Failure('gateway/arguments-invalid', `${endpoint}: ${/** @type {Error} */ (error).message}`, { endpoint })
  }
  for (const [name, check] of Object.entries(parameters)) {
    const field = name.replace(/\?$/, '')
    if (args[field] === undefined) continue
    try {
      check(args[field], field)
    } catch (error) {
      throw new Failure('gateway/input-invalid', `${endpoint}: ${/** @type {Error} */ (error).message}`, { endpoint, field })
    }
  }
}
