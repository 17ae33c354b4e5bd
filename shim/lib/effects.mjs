// @ts-check
/**
 * The effects that the shim carries out for plugins: one implementation for all of them. Which of these an op may
 * use stands in its op table and is checked by hot.mjs; what is left out here is refused as not offered. What
 * every host side does alike is written down in wasm/conformance/README.md.
 * @module
 */
import { fetchEffect } from './effects/fetch.mjs'
import { realpathEffect } from './effects/paths.mjs'
import { sessionEffects } from './effects/session.mjs'
import { sleepEffect } from './effects/sleep.mjs'
import { storeEffects } from './effects/store.mjs'
import { textEffect } from './effects/text.mjs'
import { webEffect } from './effects/web.mjs'

/**
 * @typedef {import('./hot.mjs').Effects} Effects
 * @param {object} offered
 * @param {string} [offered.store] absolute folder that holds each plugin's own folder
 * @param {string[]} [offered.hosts] hosts that `fetch` may reach, as `host` or `host:port`
 * @param {import('./effects/web.mjs').Network} [offered.web] the network of `fetch.web`, {} for the system's
 * @param {import('./effects/session.mjs').SessionStore} [offered.sessions] the Harness's live sessions
 * @param {import('./hot.mjs').EffectHandler} [offered.ask] the question of one call: it knows whose call it is
 * @returns {Effects}
 */
export function createEffects({ store, hosts, web, sessions, ask }) {
  return {
    sleep: sleepEffect,
    'fs.realpath': realpathEffect,
    'text.decode': textEffect,
    ...(web === undefined ? {} : { 'fetch.web': webEffect(web) }),
    ...(hosts === undefined ? {} : { fetch: fetchEffect(hosts) }),
    ...(store === undefined ? {} : storeEffects(store)),
    ...(sessions === undefined ? {} : sessionEffects(sessions)),
    ...(ask === undefined ? {} : { ask }),
  }
}
