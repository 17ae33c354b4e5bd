// @ts-check
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, suite, test } from 'node:test'
import { shim, startHarness } from './kit.mjs'
import { startModel } from './model.mjs'

const MODELS = { id: 'strata-models', name: path.join(shim, 'models.mjs') }

suite('the choice of a model', { timeout: 120_000 }, () => {
  /** @type {Awaited<ReturnType<typeof startHarness>>} */
  let harness
  /** @type {Awaited<ReturnType<typeof startModel>>} */
  let model
  before(async () => {
    model = await startModel()
    harness = await startHarness({ rows: [{ insert: [MODELS] }], model: model.url })
  })
  after(async () => {
    await harness.stop()
    model.close()
  })
  const settings = () => readFile(path.join(harness.home, 'settings.yaml'), 'utf8').catch(() => 'none')
  const select = (/** @type {string} */ sessionId, /** @type {string} */ id) =>
    harness.wire.rpc('session.selectModel', { sessionId, provider: 'scripted', model: id })
  const asked = (/** @type {import('./kit.mjs').Chat} */ chat) =>
    chat.events('assistant/message').map(({ data }) => data.message.source.model)

  test('two chats on two models at once leave the default alone', async () => {
    const first = await settings()
    const [one, two] = await Promise.all([harness.wire.session(harness.workspace), harness.wire.session(harness.workspace)])
    await select(one.id, 'scripted-2')
    await select(two.id, 'scripted-1')
    await Promise.all([one.turn('hello'), two.turn('hello')])
    assert.deepEqual([asked(one), asked(two), await settings()], [['scripted-2'], ['scripted-1'], first])
    const next = await harness.wire.session(harness.workspace)
    await next.turn('hello')
    assert.deepEqual(asked(next), ['scripted-1'])
  })

  test('without the row a choice is everyone’s again', async () => {
    const first = await settings()
    await harness.setRows(harness.base)
    const one = await harness.wire.session(harness.workspace)
    // The row is on its way out; the Harness tells nothing when it is gone.
    for (let now = first; now === first; now = await settings()) await select(one.id, 'scripted-2')
  })
})
