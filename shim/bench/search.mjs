// @ts-check
/**
 * A page of ten results (25 KB) through the shim: in the main thread, and as a worker op, with the way there and back.
 * `node bench/search.mjs`
 * @module
 */
import { readFileSync } from 'node:fs'
import { Instance } from '../lib/hot.mjs'
import { loadModule } from '../lib/module.mjs'
import { measure, print } from './measure.mjs'

const at = (/** @type {string} */ name) => new URL(name, import.meta.url)
const sha256 = readFileSync(at('../dist/strata.wasm.sha256'), 'utf8').trim()
const search = new Instance({ module: await loadModule(at('../dist/strata.wasm'), sha256), plugin: 'search' })
const page = readFileSync(at('../../plugins/search/testdata/pages/ddg-01-normal.html'))
const head = { engine: 'duckduckgo-html', query: 'q', http: { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } } }

const { results } = search.callSync('parse', head, page).value
if (results.length !== 10) throw new Error(`${results.length} results`)
print('A page of ten results', await measure([
  { name: 'in the main thread', run: () => search.callSync('parse', head, page), inputs: [0] },
  { name: 'in the thread of worker ops', run: () => search.call('parse', head, page), inputs: [0] },
], { rounds: 200, warmUp: 50 }))
search.close()
