// @ts-check
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modernCode } from '../failure.mjs'
import { checkArgs, exactly, id, passes, tagged } from '../keys.mjs'

test('exactly these keys', () => {
  const check = exactly({ 'a': id, 'b?': id })
  assert.deepEqual([{ a: 'x' }, { a: 'x', b: 'y' }, { a: '' }, { b: 'y' }, { a: 'x', c: 1 }, [], null, 'x'].map(v => passes(check, v)),
    [true, true, false, false, false, false, false, false])
})

test('tagged objects, and no name of Object.prototype as a tag', () => {
  const check = tagged('kind', { next: {}, result: { 'value?': id } })
  assert.deepEqual([{ kind: 'next' }, { kind: 'result', value: 'x' }, { kind: 'next', value: 'x' }, { kind: 'toString' }, {}].map(v => passes(check, v)),
    [true, true, false, false, false])
})

test('names of arguments and their shapes are refused under different codes', () => {
  const parameters = { 'request': exactly({ sessionId: id }), 'more?': id }
  const code = (/** @type {any} */ args) => {
    try {
      checkArgs('session/cancel', parameters, args)
      return undefined
    } catch (/** @type {any} */ error) {
      return [error.code, error.details]
    }
  }
  const endpoint = 'session/cancel'
  assert.deepEqual([{ request: { sessionId: 's' } }, {}, { request: {}, spare: 1 }, { request: {} }, { request: { sessionId: 's', spare: 1 } }].map(code), [
    undefined, ['gateway/arguments-invalid', { endpoint }], ['gateway/arguments-invalid', { endpoint }],
    ['gateway/input-invalid', { endpoint, field: 'request' }], ['gateway/input-invalid', { endpoint, field: 'request' }],
  ])
})

test('codes of 0.1.0 under their modern names', () => {
  assert.deepEqual([
    'internal', 'bad-request', 'cancelled', 'session-not-found', 'session-conflict', 'agent-busy', 'attachment-error', 'model-unavailable', 'workspace-attach-failed',
    'queue-item-not-found', 'agent-preset-conflict', 'subagent-not-found', 'workspace-invalid-path', 'settings-rejected', 'credential-rejected', 'invalid-time-zone',
  ].map(modernCode), [
    'gateway/internal', 'gateway/bad-request', 'gateway/cancelled', 'session/not-found', 'session/conflict', 'session/agent-busy', 'session/attachment-invalid',
    'session/model-unavailable', 'session/workspace-attach-failed', 'session/queue-item-not-found', 'agent-preset/conflict', 'subagent/not-found',
    'workspace/invalid-path', 'settings/rejected', 'credential/rejected', 'session/invalid-time-zone',
  ])
})
