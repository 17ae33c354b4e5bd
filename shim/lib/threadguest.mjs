// @ts-check
/**
 * What runs in the thread of thread.mjs: one guest. Each message is an export to run and is answered once, in order.
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads'
import { startGeneration } from './generation.mjs'
import { asPluginError } from './messages.mjs'

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)

/** Errors lose their class on the way. @param {unknown} error */
const plain = error => (({ code, message, details }) => ({ code, message, details }))(asPluginError(error))

/** @type {import('./abi.mjs').Guest | undefined} */
let guest
try {
  ({ guest } = startGeneration(workerData.module, workerData.plugin, workerData.config, {
    log: (level, text) => port.postMessage({ on: 'log', level, text }),
    stderr: text => port.postMessage({ on: 'stderr', text }),
  }))
  port.postMessage({ on: 'ready' })
} catch (error) {
  port.postMessage({ on: 'refused', error: plain(error) })
}

port.on('message', message => {
  try {
    port.postMessage({ on: 'step', id: message.id, ...run(/** @type {import('./abi.mjs').Guest} */ (guest), message) })
  } catch (error) {
    port.postMessage({ on: 'dead', error: plain(error) })
  }
})

/** @param {import('./abi.mjs').Guest} guest @param {any} message */
function run(guest, { do: what, id, row, token, ok, head, body }) {
  if (what === 'cancel') return guest.cancel(id)
  const { end, effects } = what === 'call' ? guest.call(id, row, head, body) : guest.resume(id, token, ok, head, body)
  return { effects, end: end === undefined || end.ok ? end : { ok: false, error: plain(end.error) } }
}
