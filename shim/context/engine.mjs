// @ts-check
import { current } from './current.mjs'
import { priced } from './meter.mjs'

/**
 * How often a request that is too long is sent again, each time shorter: a server that does not say by how much it is
 * too long may refuse it more than once. The Harness's own is 1.
 */
const OVERFLOW_RETRIES = 3

/**
 * The engine's class, on the Harness's own one. It has no private fields: the Harness calls it through a proxy.
 * @param {any} basic the module dsh-compaction-basic, where this Harness has it @param {any} seam the module dsh-compaction
 */
export function engineOf(basic, seam) {
  const Basic = basic?.BasicCompactionEngine ?? basic?.default
  if (typeof Basic !== 'function') return unavailable(seam)

  return class StrataCompactionEngine extends Basic {
    /** @param {any} ctx @param {any} [config] */
    constructor(ctx, config) {
      super(ctx, config)
      const self = /** @type {{config?: {maxOverflowRetries?: number}}} */ (this)
      if (config?.maxOverflowRetries === undefined && self.config?.maxOverflowRetries !== undefined) {
        self.config = Object.freeze({ ...self.config, maxOverflowRetries: OVERFLOW_RETRIES })
      }
    }

    /** @param {any} agent @param {'pressure' | 'context-overflow'} trigger @param {AbortSignal} signal */
    async compactIfNeeded(agent, trigger, signal) {
      const figures = current()
      const { session } = agent
      const before = await figures?.known(session)
      if (figures === undefined || before?.window === undefined) return super.compactIfNeeded(agent, trigger, signal)
      const compact = () => {
        const now = figures.measure(session, priced(this.ctx.tokenMeter.measure(session)))
        return now && (now.compact ?? false)
      }
      if (trigger === 'pressure' && (!(compact() ?? before.compact) || figures.moved(session) !== undefined)) return null
      const pruner = this.ctx.get('toolResultPruner')
      let choice = choose(this.ctx, figures, session, trigger, pruner === undefined)
      if (choice?.prune) {
        pruner.pruneSession(session)
        if (trigger === 'pressure' && compact() === false) return null // that was enough
        choice = choose(this.ctx, figures, session, trigger, true)
      }
      if (choice === undefined) return super.compactIfNeeded(agent, trigger, signal)
      if (choice.none) {
        if (choice.why) tell(this.ctx, session, choice.why)
        return null
      }
      return figures.during(session, trigger, () => this.compactRegion(choice.start, choice.end, agent, signal))
    }

    /** @param {any} agent @param {any[]} rest */
    compactNow(agent, ...rest) {
      const figures = current()
      const run = () => super.compactNow(agent, ...rest)
      if (figures === undefined) return run()
      return figures.during(agent.session, 'manual', async () => {
        await figures.known(agent.session)
        return choose(this.ctx, figures, agent.session, 'manual', true)?.none ? null : run()
      })
    }
  }
}

/** @param {any} ctx @param {import('./figures.mjs').Figures} figures @param {any} session @param {import('./figures.mjs').Trigger} trigger @param {boolean} pruned */
function choose(ctx, figures, session, trigger, pruned) {
  return figures.select(session, trigger, ctx.tokenMeter.measure(session).nodes, pruned)
}

/** What was said of a session last. @type {WeakMap<object, string>} */
const told = new WeakMap()

/** @param {any} ctx @param {any} session @param {string} why */
function tell(ctx, session, why) {
  if (told.get(session) === why) return
  told.set(session, why)
  ctx.logger.warn(`compaction: ${why}`)
}

/** A Harness without its own engine: what waits for one must not wait for ever. @param {any} seam */
function unavailable(seam) {
  const Seam = seam?.CompactionEngine
  if (typeof Seam !== 'function') throw new Error('This Harness has no compaction that Strata knows.')
  const fail = () => {
    throw new seam.ManualCompactionError('summary', 'this Harness has no summarizer')
  }
  return class NoCompaction extends Seam {
    compactIfNeeded = async () => null
    compactRegion = fail
    compactNow = fail
  }
}
