// @ts-check
/**
 * The shim behind the wire of wasm/conformance/README.md: commands on stdin, events on stdout, one JSON object a
 * line. It serves until stdin ends.
 * @module
 */
import readline from 'node:readline'
import { createEffects } from '../lib/effects.mjs'
import { Instance } from '../lib/hot.mjs'
import { LIMITS, PluginError, asPluginError } from '../lib/messages.mjs'
import { loadModule } from '../lib/module.mjs'

/** @typedef {{answers: Map<number, (answer: any) => void>, abort: AbortController}} Call */

/** @type {Map<string, Instance>} */
const instances = new Map()
/** @type {Map<string, Call>} */
const calls = new Map()
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const emit = (/** @type {object} */ event) => process.stdout.write(`${JSON.stringify(event)}\n`)
const told = (/** @type {unknown} */ error) => (({ code, message }) => ({ code, message }))(asPluginError(error))
const text = (/** @type {Uint8Array} */ head) => (head.length > 0 ? { head: decoder.decode(head) } : {})
const base64 = (/** @type {Uint8Array} */ body) => (body.length > 0 ? { body: Buffer.from(body).toString('base64') } : {})
const bytes = (/** @type {string | undefined} */ body) => Buffer.from(body ?? '', 'base64')

/** @type {Record<string, (command: any) => void | Promise<void>>} */
const commands = {
  async open({ instance, wasm, sha256, plugin, config = '', store, hosts = [], real = [], scripted = [], pages }) {
    try {
      const module = await loadModule(wasm, sha256, { pages: pages || LIMITS.MemoryPages })
      const offered = createEffects({ store, hosts, web: {} })
      const effects = Object.fromEntries([
        ...real.map((/** @type {string} */ kind) => [kind, offered[kind]]),
        ...scripted.map((/** @type {string} */ kind) => [kind, ask]),
      ])
      const opened = new Instance({
        module, plugin, config: encoder.encode(config), effects,
        log: (level, message) => emit({ on: 'log', instance, level, message }),
      })
      instances.set(instance, opened)
      emit({ on: 'opened', instance, ops: [...opened.ops.keys()] })
    } catch (error) {
      emit({ on: 'refused', instance, error: told(error) })
    }
  },

  call({ instance, call: name, op = '', head = '', body }) {
    const call = { answers: new Map(), abort: new AbortController() }
    calls.set(name, call)
    const options = { signal: call.abort.signal, context: { name, call } }
    find(instance).call(op, encoder.encode(head), bytes(body), options).then(
      answer => emit(answer.fault === undefined
        ? { on: 'done', call: name, ...text(answer.head), ...base64(answer.body) }
        : { on: 'failed', call: name, error: told(answer.fault), ...text(answer.head) }),
      error => emit({ on: 'failed', call: name, error: told(error) }))
  },

  answer({ call, n, ...answer }) {
    calls.get(call)?.answers.get(n)?.(answer)
  },

  cancel({ call }) {
    calls.get(call)?.abort.abort()
  },

  async ping({ text }) {
    await new Promise(resolve => setImmediate(resolve))
    emit({ on: 'pong', text })
  },

  async close({ instance }) {
    find(instance).close()
    instances.delete(instance)
    await new Promise(resolve => setImmediate(resolve)) // the calls that this ended are told first
    emit({ on: 'closed', instance })
  },
}

/** @param {string} name */
function find(name) {
  const instance = instances.get(name)
  if (instance === undefined) throw new Error(`no instance ${name}`)
  return instance
}

/** An effect that the runner answers. @type {import('../lib/hot.mjs').EffectHandler} */
function ask({ kind, n, head, body }, { context: { name, call: { answers } }, signal }) {
  emit({ on: 'effect', call: name, n, kind, ...text(head), ...base64(body) })
  return new Promise((resolve, reject) => {
    answers.set(n, (/** @type {any} */ answer) => {
      answers.delete(n)
      if (answer.error !== undefined) reject(new PluginError(answer.error.code, answer.error.message))
      else resolve({ ...(answer.head && { head: encoder.encode(answer.head) }), body: bytes(answer.body) })
    })
    signal.addEventListener('abort', () => {
      if (answers.delete(n)) emit({ on: 'aborted', call: name, n })
    })
  })
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const command = JSON.parse(line)
  const run = commands[command.do]
  if (run === undefined) throw new Error(`no command ${command.do}`)
  await run(command)
}
