// @ts-check
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Answers } from '../gate/answers.mjs'
import { askEffect } from '../gate/ask.mjs'

const digest = (/** @type {string} */ letter) => letter.repeat(64)

/** An approval service that the test answers, and the effect over it. @param {string} [policy] the session's */
function world(policy = 'ask') {
  const answers = new Answers()
  const cards = /** @type {{callId: string, answer: (outcome: string) => void}[]} */ ([])
  const request = (/** @type {{callId: string, signal: AbortSignal}} */ { callId, signal }) => new Promise(resolve => {
    cards.push({ callId, answer: resolve })
    signal.addEventListener('abort', () => resolve('cancelled'))
  })
  const effect = askEffect({ approval: () => /** @type {any} */ ({ request }), answers, prepare: () => {} })
  /** Asks about the call of a session in the chat `r`. @param {string} callId @param {object} [more] of the question @param {AbortController} [stop] */
  const ask = async (callId, more, stop = new AbortController()) => {
    const agent = { session: { id: callId, events: [{ type: 'approval/policy', data: { policy } }] } }
    const exec = { agent, callId, name: 'bash', arguments: {}, signal: stop.signal }
    const call = { root: 'r', session: callId, callId }
    const value = { session: callId, callId, tool: 'bash', reason: 'May it?', digest: digest(callId), ...more }
    const { value: answer } = await effect(/** @type {any} */ ({ kind: 'ask', value }), /** @type {any} */ ({ context: { exec, call, decision: {} }, signal: stop.signal }))
    return answer
  }
  return { answers, cards, ask }
}
const turn = () => new Promise(resolve => setImmediate(resolve))

test('what the host said before goes with the Harness’s own answer', async () => {
  const { answers, cards, ask } = world()
  const asked = ask('a')
  answers.take('a', JSON.stringify({ callId: 'a', digest: digest('a'), allow: true, note: 'n', scope: 'always', pattern: 'ls', expires: 7 }))
  cards[0]?.answer('allowed-once')
  assert.deepEqual(await asked, { outcome: 'allowed-once', digest: digest('a'), note: 'n', scope: 'always', pattern: 'ls', expires: 7 })
  assert.equal(answers.size, 0)
})

test('a no by the policy is nobody’s', async () => {
  for (const [policy, outcome] of [['never', 'unavailable'], ['ask', 'rejected']]) {
    const { cards, ask } = world(policy)
    const asked = ask('a')
    cards[0]?.answer('rejected')
    assert.deepEqual(await asked, { outcome })
  }
})

test('another call than its own is refused', async () => {
  await assert.rejects(world().ask('a', { callId: 'b' }), { code: 'refused' })
  await assert.rejects(world().ask('a', { share: 5 }), { code: 'bad-input' })
})

suite('a card that is shared', () => {
  const share = { share: 'web' }

  for (const outcome of ['allowed-once', 'rejected']) {
    test(`${outcome} answers both`, async () => {
      const { cards, ask } = world()
      const call = new AbortController()
      const asked = [ask('a', share, call), ask('b', share), ask('c')]
      assert.deepEqual(cards.map(({ callId }) => callId), ['a', 'c'])
      for (const card of cards) card.answer(outcome)
      assert.deepEqual(await Promise.all(asked), [{ outcome }, { outcome, card: digest('a') }, { outcome }])
      assert.deepEqual(await ask('late', share), { outcome, card: digest('a') }, 'while the call is not over')
      call.abort()
      const later = ask('d', share)
      assert.equal(cards.at(-1)?.callId, 'd')
      cards.at(-1)?.answer('rejected')
      assert.deepEqual(await later, { outcome: 'rejected' })
    })
  }

  test('a yes to that call alone reaches no later one', async () => {
    const { answers, cards, ask } = world()
    const asked = ask('a', share)
    answers.take('a', JSON.stringify({ callId: 'a', digest: digest('a'), allow: true, scope: 'once' }))
    cards[0]?.answer('allowed-once')
    await asked
    const later = ask('b', share)
    assert.deepEqual(cards.map(({ callId }) => callId), ['a', 'b'])
    cards[1]?.answer('rejected')
    await later
  })

  test('one that is called off leaves the question to the next', async () => {
    const { cards, ask } = world()
    const stop = [new AbortController(), new AbortController()]
    const asked = [ask('a', share, stop[0]), ask('b', share, stop[1]), ask('c', share), ask('d', share)]
    stop[1]?.abort()
    stop[0]?.abort()
    await turn()
    assert.deepEqual(cards.map(({ callId }) => callId), ['a', 'c'])
    cards[1]?.answer('allowed-once')
    assert.deepEqual(await Promise.all(asked), [
      { outcome: 'cancelled' }, { outcome: 'cancelled' }, { outcome: 'allowed-once' }, { outcome: 'allowed-once', card: digest('c') },
    ])
  })
})
