// @ts-check
/**
 * Times one start of the gate, in milliseconds, and prints it as JSON: from the file to the first decision. Fresh
 * memory is most of a start's work, and its price differs fiftyfold between machines: 0.2 µs a page on bare metal,
 * 13 µs in some virtual machines. So the start's page faults are counted, and one is priced in the same process.
 * @module
 */
import { Instance } from '../lib/hot.mjs'
import { loadModule } from '../lib/module.mjs'

const [, , wasm = '', sha256 = ''] = process.argv
const WARM_UP = { tool: 'bash', arguments: { command: 'ls' }, mode: 'manual', cwd: '/', workspace: '/', platform: process.platform }

const price = priceOfPage()
const faultsBefore = process.resourceUsage().minorPageFault
const begin = performance.now()
const module = await loadModule(wasm, sha256)
const loaded = performance.now()
const first = open()
const ready = performance.now()
const faults = process.resourceUsage().minorPageFault - faultsBefore
const more = [open(), open(), open()]
const end = performance.now()
console.log(JSON.stringify({
  'file, hash, compile': loaded - begin,
  'guest, init, first decision': ready - loaded,
  'gate ready': ready - begin,
  'of it the first touch of memory': faults * price,
  'three more instances': end - ready,
  'four instances': end - begin,
}))
void [first, more]

/** What it costs to touch a fresh page, in milliseconds. */
function priceOfPage() {
  const before = process.resourceUsage().minorPageFault
  const from = performance.now()
  new Uint8Array(16 * 1024 * 1024).fill(1)
  const took = performance.now() - from
  return took / Math.max(1, process.resourceUsage().minorPageFault - before)
}

function open() {
  const instance = new Instance({ module, plugin: 'gate', config: {} })
  instance.callSync('decide', WARM_UP)
  return instance
}
