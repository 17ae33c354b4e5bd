// @ts-check
import { CODES, MESSAGES, PluginError, fill } from '../messages.mjs'
import { expectHead } from './shape.mjs'

/** Effect `text.decode`: TextDecode + body → {} + the body as UTF-8. @type {import('../hot.mjs').EffectHandler} */
export function textEffect({ kind, value, body }) {
  expectHead(kind, value, { charset: 'string' })
  return { body: Buffer.from(decoder(value.charset).decode(body)) }
}

/** @param {string} charset a label of the Encoding Standard */
function decoder(charset) {
  try {
    return new TextDecoder(charset)
  } catch (cause) {
    throw new PluginError(CODES.Refused, fill(MESSAGES.Charset, { charset }), { cause })
  }
}
