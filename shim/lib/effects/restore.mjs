// @ts-check
import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, rename, rm } from 'node:fs/promises'
import path from 'node:path'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW

/** What a session has, at most. */
const MOST = { files: 8, bytes: 32 * 2 ** 20 }
/** What all sessions of a workspace have, in bytes, at most; the newest file stays however large it is. */
const ALL = 128 * 2 ** 20

const KEPT = /^[0-9a-f]{8}-[0-9a-f]{16}\.md$/

/**
 * Effect `restore.put`: keeps a text of a session in a file of its workspace, where the agent reads it. The same text
 * is the same file. Folders are 0700 and files 0600, no link is followed, and nothing in there is anybody's to commit.
 * @param {string} workspace absolute @param {string} session its id @param {string} text
 * @returns {Promise<string>} its path below the workspace, with slashes
 */
export async function putRestore(workspace, session, text) {
  const root = await realpath(workspace)
  const own = await folder(root, '.strata')
  const inner = await folder(own, 'restore')
  await write(path.join(own, '.gitignore'), '*\n').catch(error => {
    if (error.code !== 'EEXIST') throw error
  })
  const of = hash(session, 8)
  const name = `${of}-${hash(text, 16)}.md`
  const draft = path.join(inner, `.${name}.${randomBytes(3).toString('hex')}`)
  try {
    await write(draft, text)
    if (await realpath(inner) !== inner) throw new Error(`${inner} is a link`) // it was put elsewhere meanwhile
    await rename(draft, path.join(inner, name))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await clear(inner, of, name)
  return `.strata/restore/${name}`
}

/** @param {string} text @param {number} digits */
const hash = (text, digits) => createHash('sha256').update(text).digest('hex').slice(0, digits)

/**
 * Removes the oldest files of a session that are too many, then the oldest of any, and what a write of the session's
 * left that was cut off.
 * @param {string} inner @param {string} of whose @param {string} newest the one that stays
 */
async function clear(inner, of, newest) {
  const names = await readdir(inner)
  const gone = names.filter(name => name.startsWith(`.${of}-`))
  const files = await Promise.all(names.filter(name => KEPT.test(name)).map(async name => {
    const { size, mtimeMs } = await lstat(path.join(inner, name)).catch(() => ({ size: 0, mtimeMs: 0 })) // it is gone
    return { name, size, at: name === newest ? Infinity : mtimeMs }
  }))
  let all = 0
  const own = { files: 0, bytes: 0 }
  for (const { name, size } of files.sort((a, b) => b.at - a.at)) {
    const mine = name.startsWith(of)
    const over = all + size > ALL || mine && (own.files === MOST.files || own.bytes + size > MOST.bytes)
    if (over && name !== newest) {
      gone.push(name)
      continue
    }
    all += size
    if (mine) Object.assign(own, { files: own.files + 1, bytes: own.bytes + size })
  }
  for (const name of gone) await rm(path.join(inner, name), { force: true })
}

/** @param {string} parent @param {string} name @returns {Promise<string>} a folder and no link, which is made where it is missing */
async function folder(parent, name) {
  const dir = path.join(parent, name)
  await mkdir(dir, { mode: 0o700 }).catch(error => {
    if (error.code !== 'EEXIST') throw error
  })
  if (!(await lstat(dir)).isDirectory()) throw new Error(`${dir} is no folder`)
  return dir
}

/** @param {string} name of a file that is not there yet @param {string} text */
async function write(name, text) {
  const file = await open(name, NEW, 0o600)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}
