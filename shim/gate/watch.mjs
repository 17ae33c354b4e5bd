// @ts-check
/**
 * What the gate knows about each tool call that passed it. It catches what goes around it: a listener that ran
 * before ours and did not let the call through to us, one that turned our no into a yes, one that changes the call
 * after it was judged.
 * @module
 */
import { strictest } from './modes.mjs'

/** @typedef {import('./judge.mjs').Execution} Execution */
/** @typedef {{allowed: boolean, digest: string}} Mark */

export const UNSEEN = 'This call went around the approval gate, so it did not run. Nothing was changed. Tell the person that another plugin of the Harness answers in place of the gate.'
export const CHANGED = 'This call was changed after it was checked, so it did not run. Nothing was changed.'

/** What a call consists of, as far as the gate judged it. */
const FIXED = ['name', 'arguments', 'callId', 'rootCallId', 'agent', 'parent']

export class Watch {
  /** By the Harness's own object of the call, so that an entry goes when the call does. @type {WeakMap<object, Mark>} */
  #marks = new WeakMap()
  #modes
  #onCaught
  /** How many calls went around the gate. */
  unseen = 0

  /**
   * @param {import('./modes.mjs').Modes} modes
   * @param {(exec: Execution, rule: string) => void} [onCaught] told of each call that is stopped here, and by which rule
   */
  constructor(modes, onCaught = () => {}) {
    this.#modes = modes
    this.#onCaught = onCaught
  }

  /** A call is here: not allowed until said so, and fixed as it stands. @param {Execution} exec @returns {Mark} */
  begin(exec) {
    fix(exec, () => this.#onCaught(exec, 'gate:changed'))
    const mark = { allowed: false, digest: '' }
    this.#marks.set(exec, mark)
    return mark
  }

  /**
   * Why a call must not run, after all listeners have spoken.
   * @param {Execution} exec
   * @returns {string | undefined}
   */
  refusal(exec) {
    const mark = this.#marks.get(exec)
    if (mark?.allowed) return undefined
    if (mark === undefined) {
      const { mode, startMode } = this.#modes.of(exec.agent?.session)
      if (strictest(mode, startMode) === 'bypass') return undefined
      this.unseen++
    }
    this.#onCaught(exec, 'gate:unseen')
    return UNSEEN
  }

  /**
   * Why a call that is about to run must not: it is not the one that was judged.
   * @param {Execution} exec
   * @param {(exec: Execution) => string | undefined} digestOf
   * @returns {string | undefined}
   */
  mismatch(exec, digestOf) {
    const mark = this.#marks.get(exec)
    if (mark === undefined || !mark.allowed) return this.refusal(exec)
    if (digestOf(exec) === mark.digest) return undefined
    this.#onCaught(exec, 'gate:changed')
    return CHANGED
  }
}

/** Makes a later change of the call throw, which fails it. @param {Execution} exec @param {() => void} caught */
function fix(exec, caught) {
  for (const name of FIXED) {
    const value = /** @type {any} */ (exec)[name]
    try {
      Object.defineProperty(exec, name, {
        enumerable: Object.hasOwn(exec, name),
        configurable: false,
        get: () => value,
        set: next => {
          if (next === value) return
          caught()
          throw new Error(CHANGED)
        },
      })
    } catch { // already fixed; the digest is compared before the call runs
    }
  }
}
