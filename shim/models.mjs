// @ts-check
/**
 * The choice of a model, mounted by the Harness: what one chat selects stays its own (the Harness 0.1.0 writes each
 * selection down as the default of all later sessions as well), and helper agents run on the model that the person
 * names. Config of the row:
 *
 *   sha256  the SHA-256 that the plugin file must have, in hex; without it helpers stay as the Harness has them
 *   wasm    the plugin file's path; dist/strata.wasm of this package when left out
 *   routes  the models that helpers may run on, as op resolve takes them; all that the Harness knows when left out
 * @module
 */
import { mount } from './models/mount.mjs'
import { hasMethods } from './lib/probe.mjs'
import { wrapMethod } from './lib/wrap.mjs'

export const name = 'strata-models'

/** @param {any} ctx the row's context in the Harness @param {Partial<import('./models/mount.mjs').ModelsRow>} [config] */
export function apply(ctx, { sha256, ...config } = {}) {
  // A Harness without this service has no default that a chat could change.
  ctx.inject(['agentDefaultModel'], (/** @type {any} */ inner) => {
    const service = inner.get('agentDefaultModel')
    if (!hasMethods(service, 'saveSelection')) {
      ctx.logger.warn('models: this Harness keeps the default model in another way, so a chat that chooses one may choose it for others.')
      return
    }
    inner.effect(() => wrapMethod(service, 'saveSelection', () => async () => {}), 'strata-models: the default model')
  })
  if (sha256 === undefined) return
  ctx.inject(['agents', 'commands', 'llm', 'subagents', 'tools'], (/** @type {any} */ inner) => mount(inner, { sha256, ...config }))
}
