// @ts-check
import { createHash } from 'node:crypto'

/**
 * The digest that a host computes from what it shows (proto/abi.Digest): of a root session's call.
 * @param {import('./kit.mjs').Chat} chat @param {string} callId
 */
export function digestOf(chat, callId) {
  const { data } = chat.events('tool/call').find(event => (event.data.call?.id ?? event.data.callId) === callId)
  const { name, arguments: args } = data.call ?? data
  const parts = [chat.id, chat.id, callId, name, JSON.stringify(sorted(typeof args === 'string' ? JSON.parse(args) : args))]
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part)
  return hash.digest('hex')
}

/** @param {any} value @returns {any} with its keys in order */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.keys(value).sort().map(key => [key, sorted(value[key])]))
}
