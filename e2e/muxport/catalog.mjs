// @ts-check
/**
 * `subagent/catalog` events, which a modern parent has in its log and 0.1.0 has not. Where each one belongs is noted
 * when its child says what it is, and kept in a file beside the sessions, so that a log read by the next process gets
 * the same numbers.
 * @module
 */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** @typedef {Omit<import('./modernlog.mjs').Event, 'seq'>} Inserted */

export class Catalog {
  /** By parent and by the old seq before which it goes. @type {Map<string, Inserted[]>} */
  #inserted = new Map()
  #file

  /** @param {string} dir */
  constructor(dir) {
    this.#file = path.join(dir, 'subagent-catalog.jsonl')
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    for (const line of lines(this.#file)) this.#add(JSON.parse(line))
  }

  /** @param {string} parent @param {number} old @returns {Inserted[]} */
  before(parent, old) {
    return this.#inserted.get(`${old} ${parent}`) ?? []
  }

  /**
   * Notes the child of a parent whose next event will have this old seq.
   * @param {string} parent @param {number} old @param {any} child its session's header
   * @param {{mode: string, label?: string}} descriptor
   */
  note(parent, old, child, { mode, label }) {
    const name = label === undefined ? {} : { label }
    const data = { version: 0, childId: child.id, childCreatedAt: child.createdAt, mode, ...name }
    const note = { parent, old, event: { type: 'subagent/catalog', time: Date.now(), data } }
    appendFileSync(this.#file, `${JSON.stringify(note)}\n`, { mode: 0o600 })
    this.#add(note)
  }

  /** @param {{parent: string, old: number, event: Inserted}} note */
  #add({ parent, old, event }) {
    const key = `${old} ${parent}`
    this.#inserted.set(key, [...this.#inserted.get(key) ?? [], event])
  }
}

/** @param {string} file */
function lines(file) {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(line => line !== '')
  } catch {
    return []
  }
}
