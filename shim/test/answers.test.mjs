// @ts-check
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Answers } from '../gate/answers.mjs'

const A = 'a'.repeat(64)
const B = 'b'.repeat(64)
const say = (/** @type {object} */ value) => JSON.stringify({ callId: 'c', digest: A, allow: true, ...value })
/** The call of a helper `s` in the chat `r`. @param {string} digest */
const call = digest => ({
  call: /** @type {import('../gate/judge.mjs').Call} */ (/** @type {unknown} */ ({ root: 'r', session: 's', callId: 'c' })), decision: { decision: 'ask' }, digest, waiting: { calls: 1 },
})
const plain = { note: '', scope: '', pattern: '', expires: 0 }
const FOREIGN = 'This chat has no such open question.'
const UNREADABLE = 'That is not an answer to a question of the gate.'
const CLOSED = 'That question is no longer open.'

test('an answer is kept with its question until that is closed', () => {
  const answers = new Answers()
  const question = answers.open(call(A))
  assert.equal(answers.take('s', say({ note: 'gern' })), undefined)
  assert.deepEqual(question.answer, { ...plain, digest: A, allow: true, note: 'gern' })
  assert.equal(answers.take('s', say({ allow: false })), undefined)
  assert.deepEqual(question.answer, { ...plain, digest: A, allow: false })
  question.close()
  assert.deepEqual([answers.take('s', say({})), answers.size], [CLOSED, 0])
})

test('a note is measured in characters, and one of blanks is none', () => {
  const answers = new Answers()
  const question = answers.open(call(A))
  assert.equal(answers.take('s', say({ note: '😀'.repeat(4_000) })), undefined)
  assert.equal(question.answer?.note, '😀'.repeat(4_000))
  assert.notEqual(answers.take('s', say({ note: '😀'.repeat(4_001) })), undefined)
  assert.equal(answers.take('s', say({ note: ' \n ' })), undefined)
  assert.equal(question.answer?.note, '')
})

test('only for that call, said where it is asked or on its chat’s own session', () => {
  const answers = new Answers()
  const question = answers.open(call(A))
  assert.equal(answers.take('t', say({})), CLOSED)
  assert.equal(answers.take('t', say({ session: 's' })), FOREIGN)
  assert.equal(answers.take('r', say({ session: 'other' })), FOREIGN)
  assert.equal(question.answer, undefined)
  assert.equal(answers.take('r', say({ session: 's', note: 'from the chat' })), undefined)
  assert.equal(/** @type {any} */ (question.answer).note, 'from the chat')
  assert.equal(answers.take('s', say({ callId: 'd' })), CLOSED)
})

test('of two open questions with one id the digest picks', () => {
  const answers = new Answers()
  const [one, other] = [answers.open(call(A)), answers.open(call(B))]
  answers.take('s', say({ digest: B }))
  assert.deepEqual([one.answer, other.answer?.digest], [undefined, B])
  one.close()
  answers.take('s', say({ digest: A })) // fits none: the plugin is told, and refuses
  assert.equal(other.answer?.digest, A)
})

test('how far a yes reaches is checked before it is kept', () => {
  const answers = new Answers()
  const question = answers.open(call(A))
  const asked = /** @type {unknown[]} */ ([])
  const objection = (/** @type {unknown} */ _, /** @type {{pattern: string, scope: string}} */ { pattern, scope }) => {
    asked.push([pattern, scope])
    return pattern === 'bad' ? 'No.' : undefined
  }
  assert.equal(answers.take('s', say({ scope: 'always', pattern: 'bad' }), objection), 'No.')
  assert.equal(question.answer, undefined)
  assert.equal(answers.take('s', say({ scope: 'always', pattern: 'good', expires: 5 }), objection), undefined)
  assert.deepEqual(question.answer, { ...plain, digest: A, allow: true, scope: 'always', pattern: 'good', expires: 5 })
  assert.equal(answers.take('s', say({ scope: 'once', pattern: 'bad' }), objection), undefined)
  assert.equal(answers.take('s', say({ allow: false, scope: 'always', pattern: 'bad' }), objection), undefined)
  assert.deepEqual(asked, [['bad', 'always'], ['good', 'always']])
})

test('the questions of a chat are its own', () => {
  const answers = new Answers()
  const question = answers.open(call(A))
  assert.deepEqual([answers.of('r'), answers.of('s')], [[question], []])
})

for (const [what, text] of /** @type {[string, string][]} */ ([
  ['no JSON', '{'], ['null', 'null'], ['a list', '[]'], ['no call', say({ callId: undefined })], ['a number as call', say({ callId: 1 })],
  ['no digest', say({ digest: undefined })], ['half a digest', say({ digest: 'ab' })], ['a yes in words', say({ allow: 'yes' })],
  ['a note that is no text', say({ note: {} })], ['a note without end', say({ note: 'x'.repeat(4_001) })], ['an odd session', say({ session: 5 })],
  ['an odd scope', say({ scope: 'for ever' })], ['an odd pattern', say({ pattern: 5 })], ['an odd end', say({ expires: -1 })],
])) {
  test(`refuses ${what}`, () => {
    const answers = new Answers()
    const question = answers.open(call(A))
    assert.deepEqual([answers.take('s', text), question.answer], [UNREADABLE, undefined])
  })
}
