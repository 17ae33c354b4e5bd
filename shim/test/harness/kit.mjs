// @ts-check
/**
 * Starts the real Harness with rows of ours and talks to it as a host does.
 * @module
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const shim = fileURLToPath(new URL('../../', import.meta.url))
const harness = process.env.STRATA_HARNESS_DIR || path.join(shim, '../e2e/harness')
export const bin = path.join(harness, 'node_modules/@deepseek-ai/dsh/lib/bin.js')
export const wasm = process.env.STRATA_WASM || path.join(shim, 'dist/strata.wasm')

/** @param {string} [file] @returns {string} the expected hash of dist/strata.wasm */
export const sha256 = (file = `${wasm}.sha256`) => readFileSync(file, 'utf8').trim()

// Far more than any test needs on a busy machine: what hangs fails and says what it waited for.
const READY_MS = 90_000
const WAIT_MS = 60_000

if (process.env.STRATA_HARNESS_DIR) needEventsMux(process.env.STRATA_HARNESS_DIR)

/** Leaves out a test file that the named Harness lacks the wire for, and names it. @param {string} dir */
function needEventsMux(dir) {
  const files = globSync([
    'node_modules/.pnpm/@deepseek-ai+dsh-host-apiproxy@*/node_modules/@deepseek-ai/dsh-host-apiproxy/lib/index.js',
    'packages/host/apiproxy/lib/index.js',
  ], { cwd: dir })
  if (files.some(file => readFileSync(path.join(dir, file), 'utf8').includes('/api/events.mux'))) return
  const named = path.relative(path.dirname(shim), process.argv[1] ?? '')
  if (process.env.STRATA_NEEDS_FILE) appendFileSync(process.env.STRATA_NEEDS_FILE, `${named} needs the events.mux wire\n`)
  process.exit(0)
}

/** @typedef {{type: string, sessionId?: string, [field: string]: any}} Frame payload of a mux frame; rpcId is the frame's own */

/**
 * @param {object} options
 * @param {object[]} options.rows rows of the profile's patch
 * @param {string} [options.model] base URL of the model
 * @param {string[]} [options.bundles]
 * @param {boolean} [options.permission] false leaves the presets to a bundle
 * @param {boolean} [options.fenced] send a launch secret on stdin and carry it
 * @param {(dir: string, home: string) => Promise<void>} [options.prepare] runs when the home is written, before the start
 * @param {number} [options.readyMs] how long to wait until the RPC answers
 */
export async function startHarness({ rows, model, bundles = ['@deepseek-ai/dsh-base', '@deepseek-ai/dsh-web-app'], permission = true, fenced = false, readyMs = READY_MS, prepare = async () => {} }) {
  const dir = await scratch()
  const home = path.join(dir, 'home')
  const profile = path.join(home, 'profiles/strata')
  const workspace = path.join(dir, 'workspace')
  for (const folder of [profile, workspace, path.join(dir, 'user')]) await mkdir(folder, { recursive: true })
  await writeFile(path.join(profile, 'package.json'), JSON.stringify({
    name: 'dsh-profile-strata', private: true, dependencies: {}, dsh: { profile: { bundles } },
  }))
  const setRows = async (/** @type {object[]} */ list) => { // in one step: the Harness keeps the old tree when it reads half a file
    await writeFile(path.join(dir, 'rows'), JSON.stringify(list))
    await rename(path.join(dir, 'rows'), path.join(profile, 'cordis.patch.yml'))
  }
  await setRows([...base(model, permission), ...rows])

  await prepare(dir, home)

  const secret = randomBytes(32).toString('hex')
  const child = spawn(process.execPath, [bin, '--profile', 'strata', '--port', '0', '--no-open'], {
    cwd: workspace, env: environment(dir, home), stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => { stderr += text })
  const exited = new Promise(resolve => child.once('exit', (code, signal) => resolve(code ?? signal)))
  if (fenced) child.stdin.write(`${secret}\n`)
  child.stdin.on('error', () => {})

  const clean = () => rm(dir, { recursive: true, force: true })
  const url = await Promise.race([firstUrl(child.stdout), exited.then(() => undefined)])
  if (url === undefined) {
    await clean()
    throw new StartFailed(stderr)
  }
  const headers = fenced ? { authorization: `Bearer ${secret}` } : {}
  const wire = new Wire(url, /** @type {Record<string, string>} */ (headers))
  try {
    await wire.ready(exited, readyMs)
    await wire.listen()
  } catch (error) {
    child.kill('SIGKILL')
    await clean()
    throw error instanceof StartFailed ? new StartFailed(stderr) : error
  }
  return {
    url, wire, home, workspace, setRows, child, exited, secret,
    base: base(model, permission),
    stderr: () => stderr,
    /** Ends it as a host does and gives its exit code. */
    async stop() {
      wire.close()
      child.kill('SIGTERM')
      const code = await exited
      await clean()
      return code
    },
  }
}

/** The Harness ended, or said it would not start. */
export class StartFailed extends Error {}

/** A folder of its own outside /tmp, where the sandbox would let anything write. */
export async function scratch() {
  const parent = path.join(shim, '../.run/shim-test')
  await mkdir(parent, { recursive: true })
  return mkdtemp(path.join(parent, 'h-'))
}

/** @param {string} dir @param {string} home @returns {NodeJS.ProcessEnv} nothing of ours but what it needs */
export function environment(dir, home) {
  return {
    PATH: process.env.PATH, HOME: path.join(dir, 'user'), LANG: 'C.UTF-8', DSH_HOME: home,
    DSH_TELEMETRY_DISABLED: '1', SCRIPTED_KEY: 'k',
  }
}

/** Rows that every profile has here: the model, no title requests, the gate's presets. @param {string | undefined} model @param {boolean} permission */
function base(model, permission) {
  return [
    ...(model === undefined ? [] : [
      { id: 'llm-pi-ai', config: { providers: { scripted: {
        api: 'openai-completions', baseURL: model, apiKeyEnv: 'SCRIPTED_KEY', models: ['scripted-1', 'scripted-2'].map(id => ({ id, contextWindow: 60000, maxTokens: 1000 })),
      } } } },
      { id: 'agent-default-model', config: { provider: 'scripted', model: 'scripted-1' } },
    ]),
    { id: 'session-title-llm', disabled: true },
    ...(!permission ? [] : [{ id: 'permission', config: { presets: {
      'read-only': { sandbox: 'read-only', approval: 'ask' },
      'workspace-write': { sandbox: 'workspace-write', approval: 'ask' },
      'danger-full-access': { sandbox: 'danger-full-access', approval: 'never' },
      'strata-manual': { sandbox: 'danger-full-access', approval: 'ask' },
      'strata-plan': { sandbox: 'read-only', approval: 'never' },
      'strata-bypass': { sandbox: 'danger-full-access', approval: 'never' },
    } } }]),
  ]
}

/** @param {import('node:stream').Readable} stdout @returns {Promise<string | undefined>} */
async function firstUrl(stdout) {
  let text = ''
  for await (const chunk of stdout) {
    text += chunk
    const url = /^dsh web: (\S+)\n/m.exec(text)?.[1]
    if (url !== undefined) {
      stdout.resume()
      return url
    }
  }
  return undefined
}

/** The RPC and the event stream of one Harness. */
export class Wire {
  /** Every event frame so far. @type {Frame[]} */
  frames = []
  /** @type {Map<string, Frame[]>} */
  #bySession = new Map()
  #url
  #headers
  #calls = 0
  /** @type {WebSocket | undefined} */
  #socket
  /** @type {Set<() => void>} */
  #waiting = new Set()

  /** @param {string} url @param {Record<string, string>} headers */
  constructor(url, headers) {
    this.#url = url
    this.#headers = headers
  }

  /** @param {string} method @param {object} payload @returns {Promise<any>} the value; throws the error */
  async rpc(method, payload) {
    const body = JSON.stringify({ type: 'client-request', rpcId: `r${++this.#calls}`, method, payload })
    const response = await fetch(`${this.#url}/api/${method}`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...this.#headers } })
    if (response.status !== 200) throw Object.assign(new Error(`${method}: ${response.status} ${await response.text()}`), { status: response.status })
    const { result } = /** @type {any} */ (await response.json())
    if (!result.ok) throw new Error(`${method}: ${JSON.stringify(result.error)}`)
    return result.value
  }

  /** The frames of one session so far. @param {string} session @returns {Frame[]} */
  of(session) {
    let frames = this.#bySession.get(session)
    if (frames === undefined) this.#bySession.set(session, frames = [])
    return frames
  }

  /** Until the RPC answers. @param {Promise<unknown>} exited @param {number} ms */
  async ready(exited, ms) {
    let last
    let gone = false
    void exited.then(() => { gone = true })
    for (const end = Date.now() + ms; Date.now() < end && !gone;) {
      last = await this.rpc('host.describe', {}).then(() => undefined, error => error)
      if (last === undefined) return
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    throw gone ? new StartFailed('') : last
  }

  /** Opens the event stream. */
  async listen() {
    const socket = this.#socket = new WebSocket(`${this.#url.replace('http', 'ws')}/api/events.mux`, /** @type {any} */ ({ headers: this.#headers }))
    socket.onmessage = ({ data }) => {
      const { rpcId, payload } = JSON.parse(data)
      const frame = { ...payload, rpcId }
      this.frames.push(frame)
      this.of(payload.sessionId).push(frame)
      for (const check of this.#waiting) check()
    }
    await new Promise((resolve, reject) => {
      socket.onopen = resolve
      socket.onerror = reject
    })
  }

  close() {
    this.#socket?.close()
  }

  /**
   * Waits until something has come, past or future.
   * @template T
   * @param {() => T | undefined} look tried now and after every frame
   * @param {string} what for the error
   * @returns {Promise<T>}
   */
  until(look, what) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(check)
        reject(new Error(`no ${what}; last frames: ${JSON.stringify(this.frames.slice(-8)).slice(0, 3000)}`))
      }, WAIT_MS)
      const check = () => {
        const found = look()
        if (found === undefined) return
        clearTimeout(timer)
        this.#waiting.delete(check)
        resolve(found)
      }
      this.#waiting.add(check)
      check()
    })
  }

  /** Answers a frame that waits for it. @param {string} rpcId @param {object} value @returns {Promise<{accepted: boolean, reason?: string}>} */
  async respond(rpcId, value) {
    const body = JSON.stringify({ type: 'client-response', rpcId, result: { ok: true, value } })
    const response = await fetch(`${this.#url}/api/respond`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...this.#headers } })
    return /** @type {any} */ (await response.json())
  }

  /** Runs a slash command on a session. @param {string} session @param {string} line @returns {Promise<{kind: string, text?: string}>} */
  async command(session, line) {
    return (await this.rpc('commands/execute', { args: { agentId: session, line, images: [] } }))?.result
  }

  /** A new session in a mode. @param {string} cwd @param {string} [preset] */
  async session(cwd, preset = 'strata-manual') {
    const { sessionId } = await this.rpc('session.create', { cwd })
    const { kind, text } = await this.command(sessionId, `/permission ${preset}`)
    if (kind !== 'success') throw new Error(text)
    return new Chat(this, sessionId)
  }
}

/** One session. */
export class Chat {
  #turns = 0

  /** @param {Wire} wire @param {string} id */
  constructor(wire, id) {
    this.wire = wire
    this.id = id
  }

  /** @param {string} text @returns {Promise<void>} once it is accepted */
  async prompt(text) {
    await this.wire.rpc('session.prompt', { sessionId: this.id, mode: 'queue', content: [{ type: 'text', text }] })
  }

  /** Sends a prompt and gives the events of its turn. @param {string} text */
  async turn(text) {
    await this.prompt(text)
    return this.ended()
  }

  /** Events of this session so far. @param {string} [type] @returns {any[]} */
  events(type) {
    return this.wire.of(this.id).filter(frame => frame.type === 'session/event' && (type === undefined || frame.event.type === type)).map(({ event }) => event)
  }

  /** Waits for the next turn's end and gives all events so far. */
  async ended() {
    const wanted = ++this.#turns
    return this.wire.until(() => (this.events('turn/end').length >= wanted ? this.events() : undefined), `turn ${wanted} to end in ${this.id}`)
  }

  /** The n-th question on this session, from 1. @param {number} [n] */
  async question(n = 1) {
    const asked = () => this.wire.of(this.id).filter(({ type }) => type === 'approval/requested')
    return this.wire.until(() => asked()[n - 1], `question ${n} on ${this.id}`)
  }

  /** Answers a question. @param {Frame} question @param {boolean} allow */
  async answer({ rpcId, sessionId, approvalId }, allow) {
    return this.wire.respond(rpcId, { sessionId, approvalId, outcome: allow ? 'allowed-once' : 'rejected' })
  }

  /** Results of the tool calls so far: text and whether it is an error. */
  results() {
    return this.events('tool/result').map(({ data: { message } }) => ({
      callId: message.source.callId,
      error: message.content.some((/** @type {any} */ part) => part.isError === true),
      text: textOf(message),
    }))
  }

  /** @returns {Promise<any>} what `/strata-gate` answers here */
  async gate() {
    const { kind, text = '' } = await this.wire.command(this.id, '/strata-gate')
    if (kind !== 'success') throw new Error(text)
    return JSON.parse(text)
  }
}

/** @param {any} message of a tool/result */
function textOf({ content }) {
  return content.flatMap((/** @type {any} */ part) => part.content ?? [part]).map((/** @type {any} */ part) => part.text ?? '').join('')
}
