// @ts-check
/**
 * How full a chat is, how long a reply may be, and summaries that fit: the `context` plugin of strata.wasm on the
 * Harness's token meter and on its model requests. Config of the row:
 *
 *   sha256    the SHA-256 that the plugin file must have, in hex
 *   wasm      its path; dist/strata.wasm of this package when left out
 *   ceilings  {"provider/model": tokens}: the longest reply that a route takes, where it is known
 *
 * Beside it the agent preset has the row `compaction-strata` (compaction.mjs), which chooses what is summarized. A
 * plugin that cannot be loaded leaves the Harness's own figures and requests as they are.
 * @module
 */
import { mount } from './context/mount.mjs'

export const name = 'strata-context'
export const inject = ['commands', 'llm', 'sessions', 'tokenMeter']

/** @param {any} ctx the row's context in the Harness @param {import('./context/mount.mjs').ContextRow} config */
export async function apply(ctx, config) {
  await mount(ctx, config)
}
