// @ts-check
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { putRestore } from '../lib/effects/restore.mjs'

/** @param {(folder: string, aged: (file: string, seconds: number, size?: number) => Promise<void>, kept: () => Promise<string[]>) => Promise<void>} run */
async function inWorkspace(run) {
  const folder = await mkdtemp(path.join(tmpdir(), 'strata-'))
  const aged = async (/** @type {string} */ file, /** @type {number} */ seconds, /** @type {number | undefined} */ size) => {
    if (size !== undefined) await truncate(path.join(folder, file), size)
    await utimes(path.join(folder, file), seconds, seconds)
  }
  const kept = async () => (await readdir(path.join(folder, '.strata/restore'))).map(name => `.strata/restore/${name}`).sort()
  try {
    await run(folder, aged, kept)
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('a session keeps its newest files, and takes none of another', () => inWorkspace(async (folder, aged, kept) => {
  const other = await putRestore(folder, 'another', 'text')
  await aged(other, 1)
  const files = /** @type {string[]} */ ([])
  for (let n = 0; n < 12; n++) {
    files.push(await putRestore(folder, 's', `text ${n}`))
    await aged(files[n], 100 + n)
  }
  assert.deepEqual(await kept(), [other, ...files.slice(4)].sort())
  await aged(files[5], 0)
  assert.equal(await putRestore(folder, 's', 'text 3'), files[3]) // which was gone
  assert.deepEqual(await kept(), [other, ...files.slice(3).filter(file => file !== files[5])].sort())
}))

test('what is too large goes, the oldest first and whosever it is, and nothing of the person\'s', () => inWorkspace(async (folder, aged, kept) => {
  const put = async (/** @type {string} */ session, /** @type {number} */ at, /** @type {number} */ mebibytes) => {
    const file = await putRestore(folder, session, `${session} ${at}`)
    await aged(file, at, mebibytes * 2 ** 20)
    return file
  }
  const [old, larger] = [await put('s', 1, 20), await put('s', 2, 30)]
  const files = /** @type {string[]} */ ([])
  for (let n = 0; n < 4; n++) files.push(await put(`other ${n}`, 10 + n, 30))
  await writeFile(path.join(folder, '.strata/restore/notes.md'), 'of the person\'s')
  await writeFile(path.join(folder, `${old.replace('restore/', 'restore/.')}.0a1b2c`), 'cut off')
  const newest = await putRestore(folder, 's', 'text')
  assert.deepEqual(await kept(), [newest, ...files, '.strata/restore/notes.md'].sort())
  assert.ok(!(await kept()).includes(larger))
}))
