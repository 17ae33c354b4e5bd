// @ts-check
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ABI, CODES, LIMITS, MESSAGES, PluginError, RULES, asPluginError, fill } from '../lib/messages.mjs'

const source = (/** @type {string} */ name) => readFileSync(new URL(`../../proto/abi/${name}`, import.meta.url), 'utf8')

/** The string constants with a prefix in a Go file, without it. @param {string} file @param {string} prefix */
function constants(file, prefix) {
  const found = [...source(file).matchAll(/^\t([A-Z]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"/gm)].filter(([, name]) => name?.startsWith(prefix))
  return Object.fromEntries(found.map(([, name, text]) => [name?.slice(prefix.length), JSON.parse(`"${text}"`)]))
}

test('the codes, sentences and rules are those of proto/abi', () => {
  const sentences = constants('messages.go', 'Msg') // some are the guest's alone
  assert.deepEqual({ ...CODES }, constants('effects.go', 'Code'))
  assert.deepEqual({ ...MESSAGES }, Object.fromEntries(Object.keys(MESSAGES).map(name => [name, sentences[name]])))
  assert.deepEqual({ ...RULES }, constants('messages.go', 'Rule'))
})

test('the limits are those of proto/abi', () => {
  const found = [...source('limits.go').matchAll(/^\t([A-Z]\w*)\s*=\s*([\d_]+(?: << \d+)?)/gm)]
  const want = Object.fromEntries(found.map(([, name, value = '']) => {
    const [number = '', shift = '0'] = value.split(' << ')
    return [name, Number(number.replaceAll('_', '')) * 2 ** Number(shift)]
  }))
  assert.deepEqual({ ...LIMITS }, want)
})

test('the ABI version is that of proto/abi', () => {
  assert.equal(/^const Version = "(.+)"$/m.exec(source('manifest.go'))?.[1], ABI)
})

test('fill puts values in as they are', () => {
  assert.equal(fill('{a} and {a}, not {b}', { a: '$&' }), '$& and $&, not {b}')
})

test('any error becomes one with a code', () => {
  const own = new PluginError(CODES.Conflict, 'x')
  assert.equal(asPluginError(own), own)
  assert.deepEqual([asPluginError(new Error('y')).code, asPluginError('z').message], ['failed', 'z'])
})
