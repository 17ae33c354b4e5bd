// @ts-check
import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, realpath, unlink } from 'node:fs/promises'
import path from 'node:path'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW

/**
 * Effect `restore.put`: keeps a text in a new file of a session's workspace, where the agent reads it. Folders are
 * 0700 and files 0600, no link is followed, and nothing in there is anybody's to commit.
 * @param {string} workspace absolute @param {string} text
 * @returns {Promise<string>} its path below the workspace, with slashes
 */
export async function putRestore(workspace, text) {
  const root = await realpath(workspace)
  const own = await folder(root, '.strata')
  const inner = await folder(own, 'restore')
  await write(path.join(own, '.gitignore'), '*\n').catch(error => {
    if (error.code !== 'EEXIST') throw error
  })
  const name = `${createHash('sha256').update(text).digest('hex').slice(0, 12)}-${randomBytes(3).toString('hex')}.md`
  const file = path.join(inner, name)
  await write(file, text)
  if (await realpath(inner) !== inner) { // it was put elsewhere meanwhile
    await unlink(file)
    throw new Error(`${inner} is a link`)
  }
  return `.strata/restore/${name}`
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
