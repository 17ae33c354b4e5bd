// A small MCP server over stdio: one tool, which adds a note and tells whether the server was given its token, by the
// token's hash. It has no dependency, so that it speaks the protocol as any program may: a JSON-RPC message a line.
import { createHash } from 'node:crypto'
import { createInterface } from 'node:readline'

const tool = {
  name: 'add', description: 'Adds a note.', annotations: { readOnlyHint: true },
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}
const notes = []

const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { text } }) => {
    notes.push(text)
    const secrets = Object.keys(process.env).filter(name => /KEY|TOKEN/.test(name)).sort().join()
    const hash = createHash('sha256').update(process.env.NOTES_TOKEN ?? '').digest('hex').slice(0, 8)
    return { content: [{ type: 'text', text: `${notes.length} noted by ${process.argv[2]}, which has ${secrets} ${hash}` }] }
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answer = answers[method]
  const reply = answer ? { result: answer(params) } : { error: { code: -32601, message: 'no such method' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...reply }) + '\n')
}
