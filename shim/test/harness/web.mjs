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

/**
 * A clock on which nobody waits for the manners towards search pages: it jumps to whoever wants to wake first, and
 * stands still while a request is under way, so that those who wait for its end do not use up their time in no time.
 * @param {number} skipped ms that it is ahead @param {(skipped: number) => void} keep
 */
function pretendTime(skipped, keep) {
  const now = () => Date.now() + skipped
  /** @type {{at: number, wake: (value: {}) => void}[]} */
  const sleepers = []
  let requests = 0
  function jump() {
    if (requests > 0 || sleepers.length === 0) return
    const [{ at, wake }] = /** @type {[any]} */ (sleepers.sort((a, b) => a.at - b.at).splice(0, 1))
    skipped += Math.max(0, at - now())
    keep(skipped)
    wake({})
  }
  return {
    now,
    /** @param {number} ms */
    sleep: ms => new Promise(wake => {
      sleepers.push({ at: now() + ms, wake })
      setImmediate(jump)
    }),
    /** @template T @param {() => Promise<T>} request @returns {Promise<T>} */
    async during(request) {
      requests++
      try {
        return await request()
      } finally {
        requests--
        for (const _ of sleepers) setImmediate(jump)
      }
    },
  }
}

/** @param {any} ctx @param {any} config `web` is the server's host:port, `token` the key */
export function apply(ctx, { web, token = '', ...config }) {
  const [host = '', port = ''] = web.split(':')
  const toServer = fetchEffect([web])
  const clock = config.store && path.join(config.store, 'pretend-clock') // the next process goes on from there
  const time = pretendTime(clock && existsSync(clock) ? Number(readFileSync(clock)) : 0, skipped => clock && writeFileSync(clock, String(skipped)))
  mount(ctx, config, { token, world: {
    now: time.now,
    network: effects => ({
      ...effects,
      fetch: (request, call) => time.during(() => {
        const url = new URL(request.value.url)
        if (net.isIP(url.hostname)) return /** @type {any} */ (effects.fetch)(request, call) // a key proxy's, or our own
        return toServer({ ...request, value: { ...request.value, url: `http://${web}/${url.host}${url.pathname}${url.search}` } }, call)
      }),
      sleep: ({ value }) => time.sleep(value.ms),
      'fetch.web': webEffect({
        lookup: async name => (name.startsWith('none.') ? [] : [{ address: name.startsWith('private.') ? '10.0.0.7' : '93.184.215.14', family: 4 }]),
        connect: () => net.connect(Number(port), host),
      }),
    }),
  } })
}
