// @ts-check
/**
 * Web search and web pages, mounted by the Harness: a search provider and a fetch provider of its `web` service that
 * put everything before the `search` plugin of strata.wasm. Config of the row:
 *
 *   sha256    the SHA-256 that the plugin file must have, in hex
 *   wasm      its path; dist/strata.wasm of this package when left out
 *   store     absolute folder of the plugins' stores; without it a restart forgets which source has just refused
 *   service   duckduckgo (when left out), exa, perplexity or deepseek
 *   origin    where the service's API stands: the host's key proxy
 *   shape     another API of the service: chat (perplexity), messages (deepseek)
 *   language  tag of the person's language, such as de-DE
 *
 * The key that the service gets is in the environment variable STRATA_SEARCH_KEY: a token of the host's key proxy,
 * never the person's own. Without one a service that wants a key is not asked.
 *
 * The providers' ids are `strata-` and the service, and `strata`; the profile pins them (`web.searchProvider`,
 * `web.fetchProvider`), since the Harness picks none where several are usable.
 * @module
 */
import { mount } from './search/mount.mjs'

export const name = 'strata-search'
export const inject = ['commands', 'web']

/** @param {any} ctx the row's context in the Harness @param {import('./search/mount.mjs').SearchRow} config */
export function apply(ctx, config) {
  mount(ctx, config, { token: process.env.STRATA_SEARCH_KEY ?? '' })
}
