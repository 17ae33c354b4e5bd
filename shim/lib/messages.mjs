// @ts-check
/**
 * Codes, sentences and limits that both host sides of the plugin ABI share, word for word. The source is
 * proto/abi (effects.go, messages.go, limits.go); test/messages.test.mjs compares the two.
 * @module
 */

export const CODES = Object.freeze({
  Trap: 'trap', Deadline: 'deadline', NotGranted: 'not-granted', Cancelled: 'cancelled', BadInput: 'bad-input',
  UnknownOp: 'unknown-op', Panic: 'panic', NotFound: 'not-found', Conflict: 'conflict', Refused: 'refused',
  Failed: 'failed', UnknownPlugin: 'unknown-plugin', NotReady: 'not-ready',
})

export const MESSAGES = Object.freeze({
  Trap: 'The plugin crashed.',
  Violation: 'The plugin broke the rules of its interface: {rule}.',
  Deadline: 'The plugin did not answer within {ms} ms.',
  Step: 'The plugin ran for {ms} ms without a pause.',
  Cancelled: 'The call was cancelled.',
  UnknownOp: 'The plugin {plugin} has no operation {op}.',
  Head: 'The head is not JSON.',
  Hash: 'The plugin file is not the one that was expected.',
  Module: 'The plugin file is not a module this host can run.',
  ABI: 'The module speaks plugin ABI {got}, this host speaks {want}.',
  Plugin: 'The module holds no plugin named {plugin}.',
  NotGranted: 'The operation {op} may not use the effect {kind}.',
  NoEffect: 'This host does not offer the effect {kind}.',
  EffectFailed: 'The effect {kind} failed.',
  EffectHead: 'The head is not what the effect {kind} takes.',
  Sleep: 'A sleep lasts 0 to {max} ms.',
  FetchURL: 'The address is not one that can be fetched.',
  FetchHost: 'The plugin may not reach {host}.',
  FetchMethod: 'The method is not one of GET, HEAD and POST.',
  FetchHeader: 'The plugin may not set the header {name}.',
  FetchTimeout: 'The server did not answer within {ms} ms.',
  FetchSize: 'The answer is larger than {bytes} bytes.',
  FetchFailed: 'The server {host} could not be reached.',
  WebAddress: 'The host {host} leads to an address that may not be reached.',
  Charset: 'The charset {charset} is not known.',
  StoreName: 'The name of a record is 1 to 64 of a-z, 0-9, dot, underscore and hyphen, and does not begin with a dot.',
  StoreMissing: 'There is no record named {name}.',
  StoreSize: 'A record holds at most {bytes} bytes.',
  StoreFile: 'The record {name} is not a plain file.',
  StoreFailed: "The plugin's store could not be used.",
  Paths: 'At most {max} paths are looked up at once.',
  SessionMissing: 'There is no such session.',
  Conflict: 'The session has moved on since it was read.',
})

/** The ways a guest can break the ABI that the host side sees by itself. */
export const RULES = Object.freeze({
  Twice: 'it ended a call twice',
  Silent: 'it said a call had ended but pushed no end',
  Status: 'it returned another status than it pushed',
  Stuck: 'it waits for an answer but asked for no effect',
  Foreign: 'it pushed for another call than the one that was entered',
  Token: 'it used the token of an open effect again',
  AfterEnd: 'it asked for an effect after the end of the call',
  Sync: 'a sync operation asked for an effect',
  SyncWait: 'a sync operation did not end in its export',
  CallZero: 'describe and init end at once and use no effect',
  Manifest: 'its manifest cannot be read',
  Head: 'a head it pushed is not JSON',
  Text: 'a text it pushed is not UTF-8',
  Memory: 'it named memory it does not have',
  Enum: 'it used a value that the interface does not list',
  TooLarge: 'it pushed more than the interface allows',
  TooMany: 'it opened more effects than the interface allows',
})

/** Sizes in bytes, times in milliseconds. */
export const LIMITS = Object.freeze({
  MemoryPages: 1024,
  MaxStepMs: 10_000,
  MaxHeadBytes: 8 << 20,
  MaxBodyBytes: 32 << 20,
  MaxOpenEffects: 256,
  MaxLogBytes: 16 << 10,
  MaxSleepMs: 3_600_000,
  FetchTimeoutMs: 15_000,
  MaxFetchTimeoutMs: 120_000,
  FetchBytes: 2 << 20,
  MaxFetchBytes: 32 << 20,
  MaxRecordBytes: 16 << 20,
  MaxPaths: 256,
  SessionEventsMax: 500,
  MaxSessionEventsMax: 5_000,
})

/** The ABI version this host side speaks: the version in the WIT package name. */
export const ABI = '0.1.0'

/**
 * Puts values into a sentence's {name} places.
 * @param {string} sentence
 * @param {Record<string, string | number>} [values]
 */
export function fill(sentence, values = {}) {
  return Object.entries(values).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, () => String(value)), sentence)
}

/** What a call or an effect fails with: a short stable code and one plain sentence. */
export class PluginError extends Error {
  /**
   * @param {string} code one of CODES, or a plugin's own
   * @param {string} message
   * @param {{cause?: unknown, details?: string}} [more] details: technical text for a log, never for a person
   */
  constructor(code, message, { cause, details } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'PluginError'
    this.code = code
    this.details = details
  }
}

/** @param {unknown} error @returns {PluginError} error itself, or `failed` with its message */
export function asPluginError(error) {
  if (error instanceof PluginError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new PluginError(CODES.Failed, message, { cause: error })
}
