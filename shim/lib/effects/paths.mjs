// @ts-check
/**
 * Real paths. Looked up in the thread: a few microseconds for a path that exists, and the gate's decision needs
 * them before it can answer.
 * @module
 */
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { CODES, LIMITS, MESSAGES, PluginError, fill } from '../messages.mjs'
import { expectHead } from './shape.mjs'

const MAX_LINKS = 40
/** How many names of one folder, or of all folders on one level, are looked up. */
const MAX_ENTRIES = 2000
/** How many names below a folder are gone through for links: some hundred milliseconds. */
const MAX_BELOW = 50_000
const BELOW = '/**'

/** Effect `fs.realpath`: PathsRequest → PathsAnswer. @type {import('../hot.mjs').EffectHandler} */
export function realpathEffect({ kind, value }) {
  expectHead(kind, value, { paths: 'strings' })
  if (value.paths.length > LIMITS.MaxPaths) throw new PluginError(CODES.Refused, fill(MESSAGES.Paths, { max: LIMITS.MaxPaths }))
  return { value: { real: realPaths(value.paths) } }
}

/**
 * Maps each path to its real path: links replaced by their targets, what does not exist kept as it stands. "" stands
 * for a path that cannot be looked up.
 * @param {string[]} paths
 * @returns {Record<string, string>} keys in sorted order
 */
export function realPaths(paths) {
  /** @type {Record<string, string>} */
  const known = {}
  for (const one of [...new Set(paths)].sort()) known[one] = realPath(one, known)
  return known
}

/**
 * The real paths of all that lies in a folder, by the folder's path, a slash and the name. "" stands for a folder with
 * too much in it, or one that cannot be looked at. A path with a star at its end stands for all folders in a folder;
 * links to folders are left out. One with two stars stands for all links below, see linksBelow.
 * @param {string} folder absolute and clean
 * @returns {Record<string, string>}
 */
export function entriesOf(folder) {
  if (folder.endsWith(BELOW)) return linksBelow(folder.slice(0, -BELOW.length))
  if (!folder.endsWith('/*')) return entriesIn(folder)
  const above = folder.slice(0, -2)
  /** @type {Record<string, string>} */
  const all = {}
  for (const one of foldersIn(above)) {
    Object.assign(all, entriesIn(one))
    if (Object.keys(all).length > MAX_ENTRIES) return { [above.replaceAll('/*', '')]: '' }
  }
  return all
}

/**
 * The real paths of all links below a folder, by its path, two stars and the rest; with a slash at the end of one that
 * is a folder. The path with the stars stands for the folder itself, "" for one with too much in it or that cannot be
 * looked at.
 * @param {string} folder
 */
function linksBelow(folder) {
  /** @type {Record<string, string>} */
  const links = { [folder + BELOW]: realPath(folder) }
  let [left, linksLeft] = [MAX_BELOW, MAX_ENTRIES]
  for (const open = ['']; open.length > 0;) {
    const at = open.pop() ?? ''
    try {
      const entries = readdirSync(folder + at, { withFileTypes: true })
      if ((left -= entries.length) < 0) return { [folder + BELOW]: '' }
      for (const entry of entries) {
        const one = `${at}/${entry.name}`
        if (entry.isDirectory()) open.push(one)
        if (!entry.isSymbolicLink()) continue
        if (--linksLeft < 0) return { [folder + BELOW]: '' }
        links[folder + BELOW + one] = realPath(folder + one) + (isFolder(folder + one) ? '/' : '')
      }
    } catch (error) {
      if (codeOf(error) !== 'ENOTDIR' && codeOf(error) !== 'ENOENT') return { [folder + BELOW]: '' }
    }
  }
  return links
}

/** The folders in a folder, or in all folders on a level. @param {string} folder @returns {string[]} */
function foldersIn(folder) {
  if (folder.endsWith('/*')) return foldersIn(folder.slice(0, -2)).flatMap(foldersIn)
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter(entry => entry.isDirectory()).slice(0, MAX_ENTRIES + 1).map(entry => `${folder === '/' ? '' : folder}/${entry.name}`)
  } catch {
    return [] // what cannot be looked at is named above as it is
  }
}

/** @param {string} folder @returns {Record<string, string>} */
function entriesIn(folder) {
  try {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return {}
    const entries = readdirSync(folder, { withFileTypes: true })
    const real = realPath(folder)
    if (entries.length > MAX_ENTRIES || real === '') return { [folder]: '' }
    return Object.fromEntries(entries.map(entry => {
      const one = `${folder === '/' ? '' : folder}/${entry.name}`
      return [one, entry.isSymbolicLink() ? realPath(one) : path.join(real, entry.name)]
    }))
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '') ? {} : { [folder]: '' }
  }
}

/** Whether a path is a folder, or leads to one; so is one that cannot be looked at. @param {string} one @returns {boolean} */
export function isFolder(one) {
  try {
    return statSync(one, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return true
  }
}

/**
 * @param {string} wanted absolute and clean; on Windows with slashes of either kind
 * @param {Record<string, string>} [known] real paths of others, that this one may lie below
 * @returns {string}
 */
export function realPath(wanted, known = {}) {
  const given = path.sep === '/' ? wanted : wanted.replaceAll('/', path.sep)
  if (!isClean(given)) return ''
  if (process.platform === 'linux') { // elsewhere only the system knows how names are really written
    for (let end = given.lastIndexOf('/'); end > 0; end = given.lastIndexOf('/', end - 1)) {
      const above = known[given.slice(0, end)]
      if (above) return walk(above, given.slice(end))
    }
  }
  try {
    return realpathSync.native(given)
  } catch (error) {
    const { root } = path.parse(given)
    return codeOf(error) === 'ENOENT' ? walk(root, given.slice(root.length)) : ''
  }
}

/** @param {string} given */
function isClean(given) {
  const root = path.parse(given).root
  return path.isAbsolute(given) && !given.includes('\0') && path.normalize(given) === given && (given === root || !given.endsWith(path.sep))
}

/** The walk for a path whose end need not exist, from a real folder on. @param {string} real @param {string} below @returns {string} */
function walk(real, below) {
  const rest = below.split(path.sep).filter(Boolean)
  for (let links = 0; rest.length > 0;) {
    const name = /** @type {string} */ (rest.shift())
    if (name === '.' || name === '') continue
    if (name === '..') {
      real = path.dirname(real)
      continue
    }
    const next = path.join(real, name)
    try {
      const stat = lstatSync(next, { throwIfNoEntry: false })
      if (stat === undefined) return rest.includes('..') ? '' : path.join(next, ...rest)
      if (stat.isSymbolicLink()) {
        if (++links > MAX_LINKS) return ''
        const target = readlinkSync(next)
        if (path.isAbsolute(target)) real = path.parse(target).root
        rest.unshift(...target.split(path.sep).filter(Boolean))
        continue
      }
      if (rest.length > 0 && !stat.isDirectory()) return ''
      real = next
    } catch {
      return ''
    }
  }
  return real
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code
}
