// @ts-check
/**
 * The modules that tests run, built by Go once per content of its sources.
 * @module
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freeze } from '../freeze.mjs'
import { LIMITS } from '../lib/messages.mjs'
import { loadModule } from '../lib/module.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * @param {string} name of the file
 * @param {string} main the command's package below plugins/
 * @param {string[]} [flags] more for the build
 * @returns {{wasm: string, sha256: string}}
 */
function build(name, main, flags = []) {
  const wasm = path.join(root, '.run/shim-test', `${name}.wasm`)
  mkdirSync(path.dirname(wasm), { recursive: true })
  execFileSync('go', ['build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-buildmode=c-shared', ...flags, '-o', wasm, main], {
    cwd: path.join(root, 'plugins'), env: { ...process.env, GOOS: 'wasip1', GOARCH: 'wasm' }, stdio: ['ignore', 'ignore', 'inherit'],
  })
  return { wasm, sha256: hashOf(readFileSync(wasm)) }
}

/** The module as the build ships it. @param {{wasm: string}} built */
function frozen({ wasm }) {
  const module = freeze(readFileSync(wasm), { maxPages: LIMITS.MemoryPages })
  const file = `${wasm}.frozen`
  writeFileSync(`${file}.${process.pid}`, module) // tests that run at once build the same
  renameSync(`${file}.${process.pid}`, file)
  return { wasm: file, sha256: hashOf(module) }
}

const hashOf = (/** @type {Uint8Array} */ bytes) => createHash('sha256').update(bytes).digest('hex')

/** A plugin whose ops misbehave on request. */
export const buildProbe = () => build('probe', './cmd/conformance')

/** strata.wasm with a gate that traps when a call holds STRATA_TRAP_DECIDE. */
export const buildTrap = () => frozen(build('strata-trap', './cmd/strata', ['-tags=straptest']))

/** strata.wasm as people run it. */
export const buildStrata = () => frozen(build('strata', './cmd/strata'))

/** The probe, compiled. */
export function loadProbe() {
  const { wasm, sha256 } = buildProbe()
  return loadModule(wasm, sha256)
}
