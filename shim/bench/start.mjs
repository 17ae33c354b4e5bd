// @ts-check
/**
 * Times one start of the gate, in milliseconds, and prints it as JSON: from the file to the first decision.
 * @module
 */
import { Instance } from '../lib/hot.mjs'
import { loadModule } from '../lib/module.mjs'

const [, , wasm = '', sha256 = ''] = process.argv
const WARM_UP = { tool: 'bash', arguments: { command: 'ls' }, mode: 'manual', cwd: '/', workspace: '/', platform: process.platform }

const begin = performance.now()
const module = await loadModule(wasm, sha256)
const loaded = performance.now()
const first = open()
const ready = performance.now()
const more = [open(), open(), open()]
const end = performance.now()
console.log(JSON.stringify({
  'file, hash, compile': loaded - begin,
  'guest, init, first decision': ready - loaded,
  'gate ready': ready - begin,
  'three more instances': end - ready,
  'four instances': end - begin,
}))
void [first, more]

function open() {
  const instance = new Instance({ module, plugin: 'gate', config: {} })
  instance.callSync('decide', WARM_UP)
  return instance
}
