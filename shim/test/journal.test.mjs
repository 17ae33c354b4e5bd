// @ts-check
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Journal, subjectOf } from '../gate/journal.mjs'

const entry = (/** @type {number} */ time) => ({ time, root: 'r', session: 's', call: 'c', tool: 'bash', what: 'ls', mode: 'manual', decision: 'allow', rule: 'bash:ls' })
const times = (/** @type {{time: number}[]} */ entries) => entries.map(({ time }) => time)

test('entries go in batches, in order, one batch at a time', async () => {
  const batches = /** @type {number[][]} */ ([])
  let open = 0
  const journal = new Journal(async entries => {
    assert.equal(++open, 1)
    await new Promise(resolve => setImmediate(resolve))
    batches.push(times(entries))
    open--
  }, assert.fail)
  const all = Array.from({ length: 250 }, (_, at) => at)
  for (const at of all) journal.add(entry(at))
  await journal.flush()
  assert.deepEqual([batches.flat(), batches.every(batch => batch.length <= 100)], [all, true])
  journal.add(entry(250))
  await journal.flush()
  assert.deepEqual(batches.at(-1), [250])
})

test('what waits is handed over without being asked for', { timeout: 5_000 }, async () => {
  const beat = setInterval(() => {}, 1_000) // the journal keeps no process alive
  const got = await new Promise(resolve => new Journal(async entries => resolve(times(entries)), assert.fail).add(entry(1)))
  clearInterval(beat)
  assert.deepEqual(got, [1])
})

test('a batch is tried twice, and what is lost is told once', async () => {
  const warned = /** @type {string[]} */ ([])
  let tries = 0
  const journal = new Journal(async () => {
    tries++
    throw new Error('The disk is full.')
  }, text => warned.push(text))
  for (const at of [1, 2]) {
    journal.add(entry(at))
    await journal.flush()
  }
  assert.deepEqual([tries, warned], [4, ['The decision log could not be written. The disk is full.']])
})

for (const [args, want] of /** @type {[unknown, string][]} */ ([
  [{ description: 'list', command: 'ls -la' }, 'ls -la'], [{ content: 'x', file_path: 'a.txt' }, 'a.txt'], [{ queries: ['a', 'b'] }, 'a; b'],
  [{ queries: [], url: 'https://a.invalid' }, 'https://a.invalid'], [{ id: 3 }, '{"id":3}'], [undefined, '{}'], ['text', '"text"'],
  [{ command: 'x'.repeat(3_000) }, 'x'.repeat(2_000)],
])) {
  test(`a call is about ${want.slice(0, 20)}`, () => assert.equal(subjectOf(args), want))
}
