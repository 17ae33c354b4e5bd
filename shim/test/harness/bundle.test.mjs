// @ts-check
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { bin, environment, sha256, shim, startHarness } from './kit.mjs'

const run = promisify(execFile)
/** A registry that nobody answers for. */
const OFFLINE = { npm_config_registry: 'http://127.0.0.1:9', npm_config_offline: 'true' }

test('dsh plugin add mounts the packed gate and web search, offline', { timeout: 120_000 }, async () => {
  const harness = await startHarness({
    rows: [],
    permission: false,
    prepare: async (dir, home) => {
      const env = { ...environment(dir, home), ...OFFLINE }
      await run('pnpm', ['pack', '--pack-destination', dir], { cwd: shim, env })
      const packed = (await readdir(dir)).filter(name => name.endsWith('.tgz'))
      assert.equal(packed.length, 1)
      await run(process.execPath, [bin, 'plugin', '--profile', 'strata', 'add', path.join(dir, packed[0] ?? '')], { env })
    },
  })
  try {
    const chat = await harness.wire.session(harness.workspace)
    const { gate, sha256: hash, mode, missing } = await chat.gate()
    const search = JSON.parse((await harness.wire.command(chat.id, '/strata-search')).text ?? '')
    assert.deepEqual([search.search, search.service, search.sha256, search.missing], ['on', 'duckduckgo', hash, []])
    assert.deepEqual({ gate, hash, mode, missing }, { gate: 'on', hash: sha256(path.join(shim, 'dist/strata.wasm.sha256')), mode: 'manual', missing: [] })
  } finally {
    assert.equal(await harness.stop(), 0, harness.stderr())
  }
})
