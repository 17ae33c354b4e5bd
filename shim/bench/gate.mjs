// @ts-check
/**
 * The gate's cost in Node: parsing beside web-tree-sitter's bash grammar, the whole decision beside that same parse
 * and beside plain JS, and how long a start takes; each figure that design holds with its limit. Ratios within one
 * process; figures of one run say little by themselves.
 * @module
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Language, Parser } from 'web-tree-sitter'
import { Judge } from '../gate/judge.mjs'
import { Modes } from '../gate/modes.mjs'
import { Instance } from '../lib/hot.mjs'
import { loadModule } from '../lib/module.mjs'
import { at, measure, print, verdict } from './measure.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const wasm = path.join(root, 'shim/dist/strata.wasm')
const hashOf = (/** @type {string} */ file) => createHash('sha256').update(readFileSync(file)).digest('hex')

const corpus = readFileSync(path.join(root, 'plugins/gate/testdata/corpus.jsonl'), 'utf8').trim().split('\n').map(line => JSON.parse(line))
const commands = /** @type {string[]} */ (corpus.filter(({ shell }) => shell === 'bash').map(({ command }) => command))
const four = ['git log --oneline -20 | grep -n "fix" | head -5; ls -la src']
const grep = `${'grep -rn "needle in the hay" src/internal/*.go && '.repeat(42)}ls`
const mixed = mixedOf2KB()

// Parsing.
const parser = await treeSitter()
const guest = await parseGuest()
const once = new TextEncoder().encode('[0]')
const TIMES = 10
const many = new TextEncoder().encode(`[${Array(TIMES).fill(0).join(',')}]`)
const encode = (/** @type {string[]} */ list) => list.map(command => new TextEncoder().encode(command))
const syntax = async (/** @type {string} */ name, /** @type {string[]} */ list) => print(name, [
  ...await measure([
    { name: 'web-tree-sitter', inputs: list, run: command => parser.parse(command)?.delete() },
    { name: 'ours, one crossing a parse', inputs: encode(list), run: command => void guest.callSync('parse', once, command) },
  ]),
  ...perParse(await measure([{ name: 'ours, inside wasm', inputs: encode(list), run: command => void guest.callSync('parse', many, command) }])),
])
await syntax('Parse: the corpus', commands)
await syntax('Parse: a line of four commands', Array(200).fill(four[0]))
await syntax('Parse: 2 KB', [...Array(20).fill(grep), ...mixed])

// The decision, as the row makes it for each call: facts, what they ask for, decide. Every call has an id of its own,
// as in the Harness, so that nothing is known from the call before.
const instance = new Instance({ module: await loadModule(wasm, hashOf(wasm)), plugin: 'gate', config: { secrets: [path.join(homedir(), '.dsh')] } })
const judge = new Judge(instance, new Modes({ get: () => undefined }))
const folder = root.replace(/\/$/, '')
let calls = 0
const callOf = (/** @type {string} */ command) => ({
  ...judge.call(/** @type {any} */ ({ name: 'bash', arguments: { command, description: 'bench' }, callId: `call_${calls++}` })),
  cwd: folder, workspace: folder, root: 's', session: 's',
})
for (const command of [grep, ...mixed]) {
  const { decision: { decision, reason } } = await judge.decide(callOf(command))
  if (decision !== 'allow') throw new Error(`not the way that is to be measured: ${reason} ${command}`)
}
/** @param {string} name @param {string[]} inputs @param {import('./measure.mjs').Limit} limit */
const decision = async (name, inputs, limit) => print(name, await measure([
  { name: 'web-tree-sitter, the parse alone', inputs, run: command => parser.parse(command)?.delete() },
  { name: 'plain JS: the call’s JSON, there and back', inputs, run: command => void JSON.parse(JSON.stringify(callOf(command))) },
  { name: 'op facts', inputs, run: command => void instance.callSync('facts', callOf(command)) },
  { name: 'op digest', inputs, run: command => void instance.callSync('digest', callOf(command)) },
  { name: 'whole decision', inputs, run: command => judge.decide(callOf(command)), limit },
]))
await decision('Decision: the corpus', commands, { p50: 60, p99: 1000 })
await decision('Decision: 2 KB, one command again and again', Array(50).fill(grep), { p50: 250 })
await decision('Decision: 2 KB, commands of the corpus', mixed, { p50: 250 })

// Starts, each in a process of its own.
const starts = Array.from({ length: 7 }, () => JSON.parse(execFileSync(process.execPath, [fileURLToPath(new URL('start.mjs', import.meta.url)), wasm, hashOf(wasm)], { encoding: 'utf8' })))
const LIMITS = /** @type {Record<string, number>} */ ({ 'gate ready': 80, 'four instances': 200 })
console.log('\nStart, median of 7 fresh processes, ms')
for (const name of Object.keys(starts[0])) {
  const took = at(starts.map(one => one[name]).sort((a, b) => a - b), 0.5)
  console.log(`  ${name.padEnd(42)}${took.toFixed(1).padStart(10)}${verdict('', took, LIMITS[name])}`)
}

/** Commands of 2 KB made of those that the corpus allows, each begun elsewhere in it. */
function mixedOf2KB() {
  // A command has at most 50 parts: short ones would not make 2 KB of it.
  const parts = /** @type {string[]} */ (corpus
    .filter(({ shell, expected, command }) => shell === 'bash' && expected === 'allow' && command.length > 40 && !/[|;&\n]/.test(command))
    .map(({ command }) => command))
  return parts.map((_, first) => {
    let command = parts[first] ?? ''
    for (let i = 1; command.length <= 2048; i++) command += `; ${parts[(first + i) % parts.length]}`
    return command.slice(0, command.lastIndexOf(';', 2048))
  })
}

/** @param {import('./measure.mjs').Figure[]} figures of several parses a call */
function perParse(figures) {
  return figures.map(({ name, p50, p99 }) => ({ name, p50: p50 / TIMES, p99: p99 / TIMES }))
}

async function treeSitter() {
  await Parser.init()
  const grammar = createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm')
  const parser = new Parser()
  parser.setLanguage(await Language.load(grammar))
  return parser
}

async function parseGuest() {
  const out = path.join(root, '.run/shim-bench/parse.wasm')
  mkdirSync(path.dirname(out), { recursive: true })
  execFileSync('go', ['build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-buildmode=c-shared', '-o', out, path.join(root, 'shim/bench/parse.go')], {
    cwd: path.join(root, 'plugins'), env: { ...process.env, GOOS: 'wasip1', GOARCH: 'wasm' }, stdio: 'inherit',
  })
  return new Instance({ module: await loadModule(out, hashOf(out)), plugin: 'parse' })
}
