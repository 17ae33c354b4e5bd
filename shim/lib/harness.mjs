// @ts-check
/**
 * The Harness's home and its own classes, for plugins that are mounted by absolute path and so cannot import them.
 * @module
 */
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * The folder that holds all of the Harness's data.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string} absolute
 */
export function harnessHome(env = process.env) {
  const named = env.DSH_HOME?.trim()
  return path.resolve(named ? named.replace(/^~(?=$|[/\\])/, homedir()) : path.join(homedir(), '.dsh'))
}

/**
 * Imports one of the Harness's own packages as a profile would.
 * @param {string} name for instance `@deepseek-ai/dsh-compaction-basic`
 * @param {string} [home]
 * @returns {Promise<any>} undefined when this Harness does not carry it: use its stock behaviour then
 */
export async function importHarness(name, home = harnessHome()) {
  try {
    const file = createRequire(path.join(home, 'profiles', 'any.mjs')).resolve(name)
    return await import(pathToFileURL(file).href)
  } catch {
    return undefined
  }
}
