// @ts-check
import { createHash } from 'node:crypto'

/**
 * The digest that a host computes from what it shows (proto/abi.Digest).
 * @param {import('./kit.mjs').Chat} chat @param {string} callId @param {string} [root] the chat's own session
 */
export function digestOf(chat, callId, root = chat.id) {
  const { data } = chat.events('tool/call').find(event => (event.data.call?.id ?? event.data.callId) === callId)
  const { name, arguments: args } = data.call ?? data
  const parts = [root, chat.id, callId, name, JSON.stringify(sorted(typeof args === 'string' ? JSON.parse(args) : args))]
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
