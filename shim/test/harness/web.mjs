// @ts-check
/**
 * The row of ../../search.mjs on a pretend web: what it asks of the search pages and of any public host goes to one
 * server on loopback, whose address is in the row's config. Nothing of this is in the package. e2e/web_test.go mounts
 * it too.
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { fetchEffect } from '../../lib/effects/fetch.mjs'
import { webEffect } from '../../lib/effects/web.mjs'
import { mount } from '../../search/mount.mjs'

export const name = 'strata-search'
export const inject = ['commands', 'web']

/** @param {any} ctx @param {any} config `web` is the server's host:port, `token` the key */
export function apply(ctx, { web, token = '', ...config }) {
  const [host = '', port = ''] = web.split(':')
  const toServer = fetchEffect([web])
  const clock = config.store && path.join(config.store, 'pretend-clock') // the next process goes on from there
  let skipped = clock && existsSync(clock) ? Number(readFileSync(clock)) : 0 // nobody waits for the manners towards search pages
  mount(ctx, config, { token, world: {
    now: () => Date.now() + skipped,
    network: effects => ({
      ...effects,
      fetch: (request, call) => {
        const url = new URL(request.value.url)
        if (net.isIP(url.hostname)) return /** @type {any} */ (effects.fetch)(request, call) // a key proxy's, or our own
        return toServer({ ...request, value: { ...request.value, url: `http://${web}/${url.host}${url.pathname}${url.search}` } }, call)
      },
      sleep: async ({ value }) => {
        skipped += value.ms
        if (clock) writeFileSync(clock, String(skipped))
        await new Promise(setImmediate)
        return {}
      },
      'fetch.web': webEffect({
        lookup: async name => (name.startsWith('none.') ? [] : [{ address: name.startsWith('private.') ? '10.0.0.7' : '93.184.215.14', family: 4 }]),
        connect: () => net.connect(Number(port), host),
      }),
    }),
  } })
}
