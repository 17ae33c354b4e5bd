import { readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { Instance } from '../lib/hot.mjs'
import { loadModule } from '../lib/module.mjs'
import { realPaths } from '../lib/effects/paths.mjs'
const wasm = process.env.WASM
const corpus = readFileSync('../plugins/gate/testdata/corpus.jsonl', 'utf8').trim().split('\n').map(l => JSON.parse(l)).filter(r => r.shell === 'bash').map(r => r.command)
const long = `${'grep -rn "needle in the hay" src/internal/*.go && '.repeat(42)}ls`
const module = await loadModule(wasm, createHash('sha256').update(readFileSync(wasm)).digest('hex'))
const inst = new Instance({ module, plugin: 'gate', config: { secrets: ['/work/main/.run'] } })
const callOf = command => ({ tool: 'bash', arguments: { command, description: 'bench' }, mode: 'manual', cwd: '/work/main', workspace: '/work/main', platform: 'linux', root: 's', session: 's', callId: 'call_1' })
const GIT = { programs: [] }
function whole(call) {
  const facts = inst.callSync('facts', call)
  if (facts.value.decision) return facts.value.decision
  return inst.callSync('decide', { ...call, git: GIT, realpaths: realPaths(facts.value.paths) }).value
}
let mode = process.argv[2] ?? 'corpus'
const list = (mode === 'long' ? Array(60).fill(long) : corpus).map(callOf)
const vars = {
  json: c => JSON.parse(JSON.stringify(c)),
  facts: c => inst.callSync('facts', c),
  decide: c => inst.callSync('decide', c),
  digest: c => inst.callSync('digest', c),
  whole,
}
const best = {}
const p50s = {}
for (let round = 0; round < 25; round++) for (const [n, f] of Object.entries(vars)) {
  const t = []
  const a = process.cpuUsage()
  for (const c of list) { const s = performance.now(); f(c); t.push(performance.now() - s) }
  const d = process.cpuUsage(a)
  t.sort((x, y) => x - y)
  if (round < 5) continue
  ;(best[n] ??= []).push((d.user + d.system) / list.length)
  ;(p50s[n] ??= []).push(t[t.length >> 1] * 1000)
}
const med = a => a.sort((x, y) => x - y)[a.length >> 1].toFixed(1)
for (const n in best) console.log(n.padEnd(8), 'cpu mean µs: min', best[n].sort((x, y) => x - y)[0].toFixed(1), 'med', med(best[n]), '  p50 wall med', med(p50s[n]), 'min', p50s[n][0].toFixed(1))
