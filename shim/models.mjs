// @ts-check
/**
 * The choice of a model, mounted by the Harness: what one chat selects stays its own. The Harness 0.1.0 writes each
 * selection down as the default of all later sessions as well.
 * @module
 */
import { hasMethods } from './lib/probe.mjs'
import { wrapMethod } from './lib/wrap.mjs'

export const name = 'strata-models'

/** @param {any} ctx the row's context in the Harness */
export function apply(ctx) {
  // A Harness without this service has no default that a chat could change.
  ctx.inject(['agentDefaultModel'], (/** @type {any} */ inner) => {
    const service = inner.get('agentDefaultModel')
    if (!hasMethods(service, 'saveSelection')) {
      ctx.logger.warn('models: this Harness keeps the default model in another way, so a chat that chooses one may choose it for others.')
      return
    }
    inner.effect(() => wrapMethod(service, 'saveSelection', () => async () => {}), 'strata-models: the default model')
  })
}
