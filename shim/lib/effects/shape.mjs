// @ts-check
import { CODES, MESSAGES, PluginError, fill } from '../messages.mjs'

/** What a field of a head may be. @type {Record<string, (value: any) => boolean>} */
const TYPES = {
  string: value => typeof value === 'string',
  whole: value => Number.isSafeInteger(value),
  strings: value => Array.isArray(value) && value.every(TYPES.string),
  texts: value => isRecord(value) && Object.values(value).every(TYPES.string),
  flag: value => value === true,
  record: isRecord,
  records: value => Array.isArray(value) && value.every(isRecord),
}

/** @param {unknown} value */
function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Checks an effect's head.
 * @param {string} kind the effect
 * @param {any} value its head, decoded
 * @param {Record<string, string>} fields name → type in TYPES; one that ends in `?` may be missing or null
 * @throws {PluginError} `bad-input`
 */
export function expectHead(kind, value, fields) {
  const good = isRecord(value) && Object.entries(fields).every(([name, type]) => {
    const optional = type.endsWith('?')
    const field = value[name]
    return (field === undefined || field === null) ? optional : /** @type {any} */ (TYPES[optional ? type.slice(0, -1) : type])(field)
  })
  if (!good) throw new PluginError(CODES.BadInput, fill(MESSAGES.EffectHead, { kind }))
}
