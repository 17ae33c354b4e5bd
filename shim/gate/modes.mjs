// @ts-check
/**
 * The facts about modes that the gate's plugin decides on: the mode of a call is that of the root session of its
 * delegation tree. All of it is folded from the session logs, so it survives a restart and a reload of the row.
 * @module
 */

/** The part of a session that is read here. @typedef {Pick<import('../lib/effects/session.mjs').Session, 'id' | 'header' | 'events' | 'seq'> & {requestHeader?(): any}} Session */
/** @typedef {'plan' | 'manual' | 'bypass'} Mode */
/**
 * @typedef {object} CallMode
 * @property {string} root id of the root session, as far up as it is known
 * @property {Mode} mode the root's mode now; manual when the root or its mode is unknown
 * @property {Mode | ''} startMode the strictest mode under which a running turn began: the root's, the caller's own
 * @property {boolean} ours the root stands in one of our presets
 * @property {number} said seq of the person's newest message to the root, 0 when there is none
 */

/** From the strictest to the loosest. @type {readonly Mode[]} */
const ORDER = ['plan', 'manual', 'bypass']

/** Our permission presets and the two knobs each stands for. @type {Record<string, {mode: Mode, sandbox: string, approval: string}>} */
const PRESETS = {
  'strata-plan': { mode: 'plan', sandbox: 'read-only', approval: 'never' },
  'strata-manual': { mode: 'manual', sandbox: 'danger-full-access', approval: 'ask' },
  'strata-bypass': { mode: 'bypass', sandbox: 'danger-full-access', approval: 'never' },
}
const UNKNOWN = /** @type {const} */ ('manual')
const MAX_DEPTH = 64

/** @param {(Mode | '')[]} modes @returns {Mode | ''} */
export function strictest(...modes) {
  return ORDER.find(mode => modes.includes(mode)) ?? ''
}

/** Whether a session is a helper's: it has a parent that delegated to it (a chat that a person forked is a root). @param {Pick<Session, 'header'>} session */
export function isHelper({ header }) {
  return header.parentSession !== undefined && (header.origin === 'subagent' || (header.delegationDepth ?? 0) > 0)
}

/** What one log says. @typedef {{next: number, preset?: string, sandbox?: string, approval?: string, mode: Mode, ours: boolean, changes: {time: number, mode: Mode}[], turn?: {time: number, mode: Mode}, begun?: boolean, said: number}} Fold */

/** @returns {Fold} */
const blank = () => ({ next: 0, mode: UNKNOWN, ours: false, changes: [], said: 0 })

/**
 * Takes one event into a fold.
 * @param {Fold} fold
 * @param {{type: string, seq?: number, time: number, data: any}} event
 */
export function applyEvent(fold, { type, seq = 0, time, data }) {
  switch (type) {
    case 'user/message':
      if (data.source?.kind === 'user') fold.said = seq
      return
    case 'turn/start':
      fold.turn = { time, mode: fold.mode }
      fold.begun = true
      return
    case 'turn/end':
      delete fold.turn
      return
    case 'permission/preset':
      fold.preset = data.preset
      break
    case 'sandbox/mode':
      fold.sandbox = data.mode
      break
    case 'approval/policy':
      fold.approval = data.policy
      break
    default:
      return
  }
  const preset = Object.hasOwn(PRESETS, fold.preset ?? '') ? PRESETS[/** @type {string} */ (fold.preset)] : undefined
  fold.ours = preset !== undefined && preset.sandbox === fold.sandbox && preset.approval === fold.approval
  fold.mode = fold.ours && preset !== undefined ? preset.mode : UNKNOWN
  fold.changes.push({ time, mode: fold.mode })
}

export class Modes {
  #sessions
  /** @type {WeakMap<Session, Fold>} */
  #folds = new WeakMap()

  /** @param {{get(id: string): Session | undefined, list?(): Session[]}} sessions the live sessions */
  constructor(sessions) {
    this.#sessions = sessions
  }

  /** @param {Session | undefined} session whose call it is; none: nobody's @returns {CallMode} */
  of(session) {
    if (session === undefined) return { root: '', mode: UNKNOWN, startMode: '', ours: false, said: 0 }
    const { root, id } = this.#root(session)
    if (root === undefined) return { root: id, mode: UNKNOWN, startMode: '', ours: false, said: 0 }
    const fold = this.#fold(root)
    const own = root === session ? undefined : this.#fold(session).turn
    const startMode = strictest(fold.turn?.mode ?? '', own === undefined ? '' : modeAt(fold, own.time))
    return { root: id, mode: fold.mode, startMode, ours: fold.ours, said: fold.said }
  }

  /**
   * The live helpers below a root session, each with whether it works: one that has just been made is about to.
   * @param {string} root @returns {{id: string, busy: boolean}[]}
   */
  helpersOf(root) {
    return (this.#sessions.list?.() ?? []).filter(session => isHelper(session) && this.#root(session).id === root)
      .map(session => {
        const { turn, begun } = this.#fold(session)
        return { id: session.id, busy: turn !== undefined || !begun }
      })
  }

  /** The provider whose model a live session asks; "" where it has asked none. @param {string} id */
  providerOf(id) {
    const provider = this.#sessions.get(id)?.requestHeader?.()?.config?.provider
    return typeof provider === 'string' ? provider : ''
  }

  /** Whether a live session has a turn that runs. @param {string} id */
  inTurn(id) {
    const session = this.#sessions.get(id)
    return session !== undefined && this.#fold(session).turn !== undefined
  }

  /** Walks up the delegation tree. @param {Session} session @returns {{root: Session | undefined, id: string}} */
  #root(session) {
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      if (!isHelper(session)) return { root: session, id: session.id }
      const id = /** @type {string} */ (session.header.parentSession)
      const parent = this.#sessions.get(id)
      if (parent === undefined) return { root: undefined, id }
      session = parent
    }
    return { root: undefined, id: session.id }
  }

  /** @param {Session} session @returns {Fold} caught up with the log */
  #fold(session) {
    let fold = this.#folds.get(session)
    if (fold === undefined) this.#folds.set(session, fold = blank())
    if (fold.next < session.seq) {
      const { events } = session
      for (; fold.next < events.length; fold.next++) applyEvent(fold, /** @type {any} */ (events[fold.next]))
    }
    return fold
  }
}

/** The mode at a time; of several in one millisecond the strictest. @param {Fold} fold @param {number} time @returns {Mode | ''} */
function modeAt({ changes }, time) {
  const before = changes.findLast(change => change.time < time)
  return strictest(...[before, ...changes.filter(change => change.time === time)].map(change => change?.mode ?? '')) || UNKNOWN
}
