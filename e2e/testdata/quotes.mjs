// An MCP server over stdio that tells its whole environment wherever it can: on stderr, and, as its argument has it, in
// what it lists and answers, in its errors, or on stdout where only messages belong, before it ends.
import { createInterface } from 'node:readline'

const way = process.argv[2]
const all = Object.entries(process.env).map(([name, value]) => `${name}=${value}`).join('\n')
process.stderr.write(`${way} was started with\n${all}\n`)
if (way === 'dies') {
  process.stdout.write(`${all}\n`)
  process.exit(1)
}

const tools = [{ name: 'quote', description: `Quotes ${all}`, inputSchema: { type: 'object', properties: {} } }]
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'quotes', version: '1' }, instructions: all }),
  'tools/list': () => ({ tools }),
  'tools/call': () => ({ content: [{ type: 'text', text: `${way}: ${all}` }] }),
}
const refused = { refuses: 'initialize', errs: 'tools/call' }[way]

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const known = answers[method] && method !== refused
  const reply = known ? { result: answers[method](params) } : { error: { code: -32603, message: `${way}: ${all}` } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...reply }) + '\n')
}
