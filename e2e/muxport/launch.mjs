// @ts-check
/**
 * Starts the Harness in this process with one more row, and prints the modern ready line, with its token, in place of
 * the Harness's own. A wrapper component's program calls it.
 * @module
 */
import { pathToFileURL } from 'node:url'
import { announced } from './ready.mjs'

const READY = /^dsh web: (http:\/\/[^\s/]+)\n$/

/**
 * @param {string} bin the Harness's program; absolute
 * @param {string} patch the patch file with the row; absolute
 */
export async function launch(bin, patch) {
  const [, profile] = process.argv.indexOf('--profile') === 2 ? process.argv.slice(2, 4) : []
  if (profile !== undefined && !process.argv.includes('--dump-default-config')) {
    process.argv.splice(4, 0, '--patch', patch)
    const write = process.stdout.write.bind(process.stdout)
    process.stdout.write = /** @type {any} */ ((/** @type {any} */ text, /** @type {any[]} */ ...rest) => {
      const older = typeof text === 'string' && READY.exec(text)?.[1]
      if (!older) return write(text, ...rest)
      void announced.then(url => write(`muxport: events.mux is at ${older}\ndsh web: ${url}\n`))
      return true
    })
  }
  process.argv[1] = bin
  await import(pathToFileURL(bin).href)
}
