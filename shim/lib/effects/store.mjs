// @ts-check
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, unlink } from 'node:fs/promises'
import path from 'node:path'
import { CODES, LIMITS, MESSAGES, PluginError, fill } from '../messages.mjs'
import { expectHead } from './shape.mjs'

const NAME = /^[a-z0-9_-][a-z0-9._-]{0,63}$/
const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants

/**
 * Effects `store.*`: records of a plugin in its own folder, which is made at the first write.
 * @param {string} root absolute; holds one folder a plugin
 * @returns {import('../hot.mjs').Effects}
 */
export function storeEffects(root) {
  /** One operation at a time, so that an append never meets a half-done put. @type {Promise<unknown>} */
  let last = Promise.resolve()

  /**
   * @param {(folder: string, name: string, body: Uint8Array) => Promise<import('../hot.mjs').EffectAnswer>} run
   * @param {(name: string) => boolean} [admits]
   * @returns {import('../hot.mjs').EffectHandler}
   */
  const handler = (run, admits = name => NAME.test(name)) => ({ kind, value, body }, { plugin }) => {
    expectHead(kind, value, { name: 'string' })
    if (!admits(value.name)) throw new PluginError(CODES.Refused, MESSAGES.StoreName)
    const folder = path.join(root, plugin)
    const turn = last.then(() => plain(folder)).then(() => run(folder, value.name, body)).catch(asStoreError)
    last = turn.catch(() => {})
    return turn
  }
  return {
    'store.get': handler(get),
    'store.put': handler(put),
    'store.append': handler(append),
    'store.delete': handler(remove),
    'store.list': handler(list, prefix => prefix === '' || NAME.test(prefix)),
  }
}

/** Refuses a store whose folder is a link or a file; one that is not there yet is fine. @param {string} folder */
async function plain(folder) {
  const stat = await lstatIfThere(folder)
  if (stat !== undefined && !stat.isDirectory()) throw new Error(`${folder} is not a folder`)
}

/** @param {string} folder @param {string} name */
async function get(folder, name) {
  if (!await exists(folder, name)) throw new PluginError(CODES.NotFound, fill(MESSAGES.StoreMissing, { name }))
  const file = await open(path.join(folder, name), O_RDONLY | O_NOFOLLOW)
  try {
    if ((await file.stat()).size > LIMITS.MaxRecordBytes) throw tooLarge()
    return { body: await file.readFile() }
  } finally {
    await file.close()
  }
}

/** @param {string} folder @param {string} name @param {Uint8Array} body */
async function put(folder, name, body) {
  await exists(folder, name)
  if (body.length > LIMITS.MaxRecordBytes) throw tooLarge()
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = path.join(folder, `.${name}.${randomBytes(6).toString('hex')}`)
  try {
    const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      await file.writeFile(body)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path.join(folder, name))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return {}
}

/** @param {string} folder @param {string} name @param {Uint8Array} body */
async function append(folder, name, body) {
  await exists(folder, name)
  if (body.length > LIMITS.MaxRecordBytes) throw tooLarge()
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = await open(path.join(folder, name), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  try {
    if ((await file.stat()).size + body.length > LIMITS.MaxRecordBytes) throw tooLarge()
    await file.writeFile(body)
    await file.sync()
  } finally {
    await file.close()
  }
  return {}
}

/** @param {string} folder @param {string} name */
async function remove(folder, name) {
  if (await exists(folder, name)) await unlink(path.join(folder, name))
  return {}
}

/** @param {string} folder @param {string} prefix */
async function list(folder, prefix) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(error => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const names = entries.filter(entry => entry.isFile() && NAME.test(entry.name) && entry.name.startsWith(prefix)).map(({ name }) => name)
  return { value: { names: names.sort() } }
}

/** Whether the record is there. @param {string} folder @param {string} name @throws {PluginError} when it is no plain file */
async function exists(folder, name) {
  const stat = await lstatIfThere(path.join(folder, name))
  if (stat !== undefined && !stat.isFile()) throw new PluginError(CODES.Refused, fill(MESSAGES.StoreFile, { name }))
  return stat !== undefined
}

/** @param {string} file */
async function lstatIfThere(file) {
  return lstat(file).catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

const tooLarge = () => new PluginError(CODES.Refused, fill(MESSAGES.StoreSize, { bytes: LIMITS.MaxRecordBytes }))

/** @param {unknown} cause @returns {never} */
function asStoreError(cause) {
  if (cause instanceof PluginError) throw cause
  throw new PluginError(CODES.Failed, MESSAGES.StoreFailed, { cause })
}
