// @ts-check
/**
 * A scripted model: OpenAI chat completions over SSE, answered by the request alone. The script is JSON behind `#!`
 * in a user message: a list of steps, each `{"say": text}`, `{"calls": [[tool, arguments], …]}` or `{"fail": status}`;
 * one with `"hold": true` waits until it is released. Which step is due is told by how many answers of the model follow
 * that message.
 * @module
 */
import { once } from 'node:events'
import http from 'node:http'

/** @typedef {{say?: string, calls?: [string, object][], fail?: number, hold?: boolean}} Step */

const MARK = '#! '

/** @param {...Step} steps @returns {string} the text of a prompt */
export const script = (...steps) => MARK + JSON.stringify(steps)

/** Answers as the script says and keeps what it was asked. */
export async function startModel() {
  /** @type {any[]} */
  const requests = []
  /** @type {Set<() => void>} */
  const asked = new Set()
  /** @type {Set<() => void>} */
  const held = new Set()
  const server = http.createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body = JSON.parse(text)
    requests.push(body)
    for (const tell of asked) tell()
    const step = due(body.messages)
    if (step.hold) await new Promise(resolve => held.add(() => resolve(undefined)))
    if (step.fail === undefined) return answer(body, step, response)
    response.writeHead(step.fail, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message: `scripted ${step.fail}` } }))
  })
  server.unref().listen(0, '127.0.0.1') // a test that fails before it closes it must end
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    /** Waits for a request, past or future, of a conversation that begins with a text. @param {string} text @returns {Promise<any>} */
    request: text => new Promise(resolve => {
      const look = () => {
        const found = requests.find(({ messages }) => beginsWith(messages, text))
        if (found === undefined) return
        asked.delete(look)
        resolve(found)
      }
      asked.add(look)
      look()
    }),
    /** Lets go of every answer that is held. */
    release: () => {
      for (const go of held) go()
      held.clear()
    },
    close: () => void server.close().closeAllConnections(),
  }
}

/** @param {any} request @param {Step} step @param {http.ServerResponse} response */
function answer({ model, messages }, { say = 'done', calls = [] }, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (/** @type {object} */ more) => response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, ...more })}\n\n`)
  const delta = (/** @type {object} */ value, /** @type {string | null} */ reason = null) => send({ choices: [{ index: 0, delta: value, finish_reason: reason }] })

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

/** Whether the first thing said in a conversation begins with a text. @param {any[]} messages @param {string} text */
export function beginsWith(messages, text) {
  return messages.filter(({ role }) => role === 'user').slice(0, 2).some(message => textOf(message).startsWith(text)) // one may be the Harness's
}

/** @param {any} message @returns {string} */
function textOf({ content }) {
  return typeof content === 'string' ? content : (content ?? []).map((/** @type {any} */ part) => part.text ?? '').join('')
}
