// @ts-check
/**
 * What git would do in a folder beyond looking: gathered with git itself (fixed arguments, no shell), judged by the
 * gate's plugin, kept until one of the files it came from changes.
 * @module
 */
import { execFile } from 'node:child_process'
import { lstatSync, statSync } from 'node:fs'
import { readFile, readdir, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

/**
 * @typedef {{programs: string[], elsewhere?: string}} GitFacts
 * @typedef {GitFacts & {files: string[], volatile?: boolean}} GitSettings the plugin's answer
 * @typedef {(repository: object, listing: Uint8Array) => GitSettings} GitJudge
 * @typedef {{facts: GitFacts, watch: string[], lasting: boolean}} Look
 */

const TIMEOUT_MS = 5_000
const MAX_OUTPUT = 256 << 20 // the list of all files of a very large repository
const MAX_KEPT = 100
const MAX_SUBMODULES = 50
const SUBMODULE = '160000 '
/** A file that changed less than this long ago may change again without its times telling: FAT counts in 2 s. */
const SETTLED_MS = 2_500
/** Git is started from here: some systems look for programs in the current folder first, and a workspace may hold one. */
const SAFE_FOLDER = path.dirname(process.execPath)
const NOT_A_REPOSITORY = /^fatal: not a git repository/

const run = promisify(execFile)

export class GitSettingsReader {
  #judge
  #env
  #now
  /** @type {Map<string, {facts: GitFacts, watch: string[], marks: number[]}>} */
  #kept = new Map()
  /** How often a repository was looked at. */
  looks = 0

  /**
   * @param {GitJudge} judge the plugin's op `git`
   * @param {{env?: NodeJS.ProcessEnv, now?: () => number}} [options] env: what tools run in; now: the clock of file times, ms
   */
  constructor(judge, { env = process.env, now = Date.now } = {}) {
    this.#judge = judge
    this.#env = env
    this.#now = now
  }

  /**
   * The facts for git's commands in a folder.
   * @param {string} folder absolute
   * @returns {Promise<GitFacts | undefined>} undefined when they cannot be found out
   */
  async of(folder) {
    const kept = this.#kept.get(folder)
    if (kept !== undefined && same(stampOf(kept.watch).marks, kept.marks)) return kept.facts
    this.#kept.delete(folder)
    const began = this.#now()
    try {
      this.looks++
      const { facts, watch: all, lasting } = await this.#look(await realpath(folder), MAX_SUBMODULES)
      const watch = [...new Set(all)]
      const stamp = stampOf(watch)
      if (lasting && stamp.newest < began - SETTLED_MS) {
        if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
        this.#kept.set(folder, { facts, watch, marks: stamp.marks })
      }
      return facts
    } catch {
      return undefined
    }
  }

  /** @param {string} folder @param {number} budget how many submodules may be looked at @returns {Promise<Look>} */
  async #look(folder, budget) {
    const found = await this.#git(folder, 'rev-parse', '--absolute-git-dir', '--git-common-dir', '--git-path', 'hooks', '--is-inside-work-tree')
      .catch((/** @type {{code?: unknown, stderr?: Buffer}} */ error) => {
        if (error.code === 128 && NOT_A_REPOSITORY.test(String(error.stderr))) return undefined
        throw error
      })
    if (found === undefined) return { facts: { programs: [] }, watch: [], lasting: false }
    const [gitDir, commonDir, hooks, inside] = lines(found, 4).map((line, i) => (i < 3 ? path.resolve(folder, line) : line))
    if (gitDir === undefined || commonDir === undefined || hooks === undefined) throw new Error('git did not say where it looks')
    const topLevel = inside === 'true' ? lines(await this.#git(folder, 'rev-parse', '--show-toplevel'), 1)[0] : undefined

    const listing = await this.#git(folder, 'config', '--list', '-z', '--show-scope', '--show-origin')
    const { files, volatile, ...facts } = this.#judge({
      cwd: folder, topLevel, gitDir: await realpath(gitDir), commonDir: await realpath(commonDir),
      dotGit: topLevel && await leadsTo(path.join(topLevel, '.git')), back: await backOf(gitDir),
      linked: await linkedFrom(commonDir), hooks: await names(hooks),
      env: Object.keys(this.#env).filter(name => /^GIT_/i.test(name)), platform: process.platform,
    }, listing)
    /** @type {Look} */
    const look = {
      facts,
      lasting: !volatile,
      watch: [
        ...files.filter(file => path.isAbsolute(file)), ...this.#personal(), hooks,
        ...['config', 'config.worktree', 'commondir', 'gitdir', 'index'].map(name => path.join(gitDir, name)),
        ...['config', 'refs', 'objects'].map(name => path.join(commonDir, name)),
        ...(topLevel === undefined ? [] : [path.join(topLevel, '.git')]),
      ],
    }
    // Only a repository that starts nothing may be asked what files it has.
    if (topLevel !== undefined && facts.programs.length === 0 && !facts.elsewhere) await this.#submodules(topLevel, budget, look)
    return look
  }

  /**
   * Git's commands look into submodules too, by the submodules' own settings. Adds theirs to a look.
   * @param {string} topLevel @param {number} budget @param {Look} look
   */
  async #submodules(topLevel, budget, look) {
    const listed = await this.#git(topLevel, 'ls-files', '--stage', '-z')
    for (const name of links(listed)) {
      const folder = path.join(topLevel, name)
      look.watch.push(path.join(folder, '.git'))
      if (!exists(path.join(folder, '.git'))) continue
      if (--budget < 0) throw new Error('there are too many submodules')
      const inner = await this.#look(folder, Math.min(budget, 5))
      look.watch.push(...inner.watch)
      look.lasting &&= inner.lasting
      look.facts.programs.push(...inner.facts.programs.map(one => `${one} (${name})`))
      if (inner.facts.elsewhere) look.facts.elsewhere ??= inner.facts.elsewhere
    }
  }

  /** Where the person's own settings may come to stand. */
  #personal() {
    const { GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, XDG_CONFIG_HOME, HOME = homedir() } = this.#env
    return [
      path.join(HOME, '.gitconfig'), path.join(XDG_CONFIG_HOME || path.join(HOME, '.config'), 'git/config'), '/etc/gitconfig',
      ...[GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM].filter(file => file !== undefined),
    ].filter(file => path.isAbsolute(file))
  }

  /** @param {string} folder @param {string[]} args @returns {Promise<Buffer>} */
  async #git(folder, ...args) {
    const { stdout } = await run('git', ['-C', folder, ...args], {
      cwd: SAFE_FOLDER, encoding: 'buffer', timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT, windowsHide: true,
      env: { ...this.#env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    })
    return stdout
  }
}

/** @param {Buffer} output @param {number} count @returns {string[]} @throws when a name brought a line break of its own */
function lines(output, count) {
  const list = String(output).replace(/\r?\n$/, '').split(/\r?\n/)
  if (list.length !== count || list.includes('')) throw new Error('git named an unusual folder')
  return list
}

/** The submodules of an index. @param {Buffer} listed of git ls-files --stage -z @returns {string[]} */
function links(listed) {
  const found = []
  for (let at = 0; at < listed.length;) {
    const end = listed.indexOf(0, at)
    if (end < 0) throw new Error('git ended in the middle of a name')
    if (listed[at] === SUBMODULE.charCodeAt(0) && listed.toString('latin1', at, at + SUBMODULE.length) === SUBMODULE) {
      found.push(listed.toString('utf8', listed.indexOf(9, at) + 1, end))
    }
    at = end + 1
  }
  return found
}

/** Where a .git leads: itself, or the folder that a file of that name names. @param {string} file @returns {Promise<string | undefined>} */
async function leadsTo(file) {
  try {
    if (statSync(file).isDirectory()) return await realpath(file)
    const [, named] = /^gitdir: (.+)$/m.exec(await readFile(file, 'utf8')) ?? []
    return named === undefined ? undefined : await realpath(path.resolve(path.dirname(file), named.trimEnd()))
  } catch {
    return undefined
  }
}

/** Real paths behind the links in a repository, its refs and its objects. @param {string} folder */
async function linkedFrom(folder) {
  const folders = [folder, path.join(folder, 'refs'), path.join(folder, 'objects')]
  const entries = (await Promise.all(folders.map(one => readdir(one, { withFileTypes: true }).catch(() => [])))).flat()
  return Promise.all(entries.filter(entry => entry.isSymbolicLink()).map(entry => {
    const link = path.join(entry.parentPath, entry.name)
    return realpath(link).catch(() => link)
  }))
}

/** The .git file that a linked working tree's repository belongs to. @param {string} gitDir @returns {Promise<string | undefined>} */
async function backOf(gitDir) {
  try {
    const [named = ''] = (await readFile(path.join(gitDir, 'gitdir'), 'utf8')).split(/\r?\n/)
    const file = path.resolve(gitDir, named)
    return path.join(await realpath(path.dirname(file)), path.basename(file))
  } catch {
    return undefined
  }
}

/** @param {string} folder @returns {Promise<string[]>} */
async function names(folder) {
  return readdir(folder).catch(error => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
}

/** @param {string} file */
function exists(file) {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined
}

/** What tells whether any of these files has changed, and when one last did. @param {string[]} files */
function stampOf(files) {
  /** @type {number[]} */
  const marks = []
  let newest = 0
  for (const file of files) {
    const stat = statIfThere(file)
    if (stat === undefined) marks.push(-1)
    else {
      newest = Math.max(newest, stat.mtimeMs, stat.ctimeMs)
      marks.push(stat.mtimeMs, stat.ctimeMs, stat.size, stat.ino)
    }
  }
  return { marks, newest }
}

/** @param {number[]} a @param {number[]} b */
function same(a, b) {
  return a.length === b.length && a.every((mark, i) => mark === b[i])
}

/** @param {string} file */
function statIfThere(file) {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
