// @ts-check
/**
 * Decisions that no question was put for, on their way to the plugin's log. They are handed over in batches, beside
 * the calls: deciding waits for no disk. What a question was put for, the plugin writes down itself before it answers.
 * @module
 */
import { asPluginError } from '../lib/messages.mjs'

const BATCH = 100
const DELAY_MS = 100
/** Beyond these the oldest go: a disk that is full must not fill the memory. */
const MAX_WAITING = 10_000
const MAX_WHAT = 2_000

/** Arguments that say what a call is about, the most telling first. */
const TELLING = ['command', 'toFile', 'file_path', 'path', 'url', 'queries', 'query', 'pattern', 'description', 'objective', 'name']

/**
 * @typedef {{time: number, root: string, session: string, call: string, tool: string, what: string, mode: string,
 *   decision: string, rule: string, by?: string, outcome?: string, digest?: string}} Entry `by` is left to the plugin where it can tell
 */

export class Journal {
  #record
  #warn
  /** @type {Entry[]} */
  #waiting = []
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  /** @type {Promise<void> | undefined} */
  #writing
  #told = false

  /**
   * @param {(entries: Entry[]) => Promise<unknown>} record the plugin's op
   * @param {(text: string) => void} warn
   */
  constructor(record, warn) {
    this.#record = record
    this.#warn = warn
  }

  /** @param {Entry} entry */
  add(entry) {
    this.#waiting.push(entry)
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()
    if (this.#waiting.length >= BATCH) void this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), DELAY_MS).unref()
  }

  /** Hands over all that waits. @returns {Promise<void>} once the plugin has written it */
  flush() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined
    })
  }

  async #drain() {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH)
      try {
        await this.#record(batch).catch(() => this.#record(batch)) // an instance that trapped is made anew
      } catch (error) {
        if (!this.#told) this.#warn(`The decision log could not be written. ${asPluginError(error).message}`)
        this.#told = true
      }
    }
  }
}

/** What a call is about, for the log. @param {any} args @returns {string} */
export function subjectOf(args) {
  const telling = TELLING.map(name => args?.[name]).find(value => (Array.isArray(value) ? value.length > 0 : typeof value === 'string'))
  const text = telling === undefined ? JSON.stringify(args ?? {}) : [telling].flat().join('; ')
  return text.slice(0, MAX_WHAT)
}
