// @ts-check
/**
 * A scripted model: OpenAI chat completions over SSE, answered by the request alone. The script is JSON behind `#!`
 * in a user message: a list of steps, each `{"say": text}` or `{"calls": [[tool, arguments], …]}`. Which step is due
 * is told by how many answers of the model follow that message.
 * @module
 */
import { once } from 'node:events'
import http from 'node:http'

/** @typedef {{say?: string, calls?: [string, object][]}} Step */

const MARK = '#! '

/** @param {...Step} steps @returns {string} the text of a prompt */
export const script = (...steps) => MARK + JSON.stringify(steps)

/** @returns {Promise<{url: string, close(): void}>} */
export async function startModel() {
  const server = http.createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    answer(JSON.parse(text), response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}/v1`, close: () => void server.close().closeAllConnections() }
}

/** @param {any} request @param {http.ServerResponse} response */
function answer({ model, messages }, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (/** @type {object} */ more) => response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, ...more })}\n\n`)
  const delta = (/** @type {object} */ value, /** @type {string | null} */ reason = null) => send({ choices: [{ index: 0, delta: value, finish_reason: reason }] })

  const { say = 'done', calls = [] } = due(messages)
  delta({ role: 'assistant', content: calls.length > 0 ? null : say })
  calls.forEach(([name, args], index) => delta({
    tool_calls: [{ index, id: `call_${messages.length}_${index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  }))
  delta({}, calls.length > 0 ? 'tool_calls' : 'stop')
  send({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 } })
  response.end('data: [DONE]\n\n')
}

/** @param {any[]} messages @returns {Step} */
function due(messages) {
  const at = messages.findLastIndex(message => message.role === 'user' && textOf(message).includes(MARK))
  if (at < 0) return {}
  const text = textOf(messages[at])
  const steps = JSON.parse(text.slice(text.indexOf(MARK) + MARK.length))
  return steps[messages.slice(at).filter(message => message.role === 'assistant').length] ?? {}
}

/** @param {any} message @returns {string} */
function textOf({ content }) {
  return typeof content === 'string' ? content : (content ?? []).map((/** @type {any} */ part) => part.text ?? '').join('')
}
