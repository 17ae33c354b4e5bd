// @ts-check
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, beforeEach, suite, test } from 'node:test'
import { Judge } from '../gate/judge.mjs'
import { Modes } from '../gate/modes.mjs'
import { GitSettingsReader } from '../lib/gitconfig.mjs'
import { Instance } from '../lib/hot.mjs'
import { loadModule } from '../lib/module.mjs'
import { buildStrata } from './guests.mjs'

/** @type {Instance} */
let instance
/** @type {string} a folder for this file */
let root
/** @type {string} one for each test, with the person's own settings in home/ */
let dir
/** @type {string} */
let repo
/** @type {Judge} */
let judge
const saved = { HOME: process.env.HOME, GIT_CONFIG_NOSYSTEM: process.env.GIT_CONFIG_NOSYSTEM }

before(async () => {
  const { wasm, sha256 } = buildStrata()
  instance = new Instance({ module: await loadModule(wasm, sha256), plugin: 'gate', config: {} })
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'gitconfig-')))
  dir = path.join(root, 'template')
  prepare()
  repository(path.join(dir, 'repo'))
})
beforeEach(() => {
  dir = mkdtempSync(path.join(root, 'case-'))
  prepare()
  repo = path.join(dir, 'repo')
  fresh(repo)
  judge = new Judge(instance, new Modes({ get: () => undefined }))
})
after(() => {
  for (const [name, value] of Object.entries(saved)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  rmSync(root, { recursive: true, force: true })
  instance.close()
})

/** The person's own settings, and a program that tells when it is started. */
function prepare() {
  mkdirSync(path.join(dir, 'home'), { recursive: true })
  Object.assign(process.env, { HOME: path.join(dir, 'home'), GIT_CONFIG_NOSYSTEM: '1' })
  write(path.join(dir, 'home/.gitconfig'), '[user]\n\tname = A\n\temail = a@example.invalid\n')
  write(ran(), `#!/bin/sh\necho ran >>'${dir}/ran'\ncat "$@" 2>/dev/null\nexit 0\n`, true)
}

/** @param {string} folder @param {string[]} args */
const git = (folder, ...args) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
/** @param {string} key @param {string} value */
const person = (key, value) => git(dir, 'config', '--file', path.join(dir, 'home/.gitconfig'), key, value)
/** @param {string} key @param {string} value */
const set = (key, value) => git(repo, 'config', key, value)
const ran = () => path.join(dir, 'ran.sh')

/** @param {string} file @param {string} text @param {boolean} [program] */
function write(file, text, program) {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  if (program) chmodSync(file, 0o755)
}

/** A copy of that repository. @param {string} folder */
function fresh(folder) {
  cpSync(path.join(root, 'template/repo'), folder, { recursive: true, preserveTimestamps: true })
}

/** A repository with one file in two versions, and one more change. @param {string} folder */
function repository(folder) {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '-q', '-b', 'main')
  for (const text of ['one\n', 'two\n']) {
    write(path.join(folder, 'f.txt'), text)
    git(folder, 'add', 'f.txt')
    git(folder, 'commit', '-q', '-m', text)
  }
  write(path.join(folder, 'f.txt'), 'three\n')
}

/** Whether a command started our program. @param {string} command */
function starts(command) {
  rmSync(path.join(dir, 'ran'), { force: true })
  try {
    execFileSync('sh', ['-c', command], { cwd: repo, stdio: 'ignore', env: { ...process.env, GIT_TERMINAL_PROMPT: '0' } })
  } catch { // what it was asked for failed, which is not the question
  }
  const did = existsSync(path.join(dir, 'ran'))
  rmSync(path.join(dir, 'ran'), { force: true })
  return did
}

/** @param {string} command @param {string} [cwd] @returns {Promise<any>} */
async function decide(command, cwd = repo) {
  const call = judge.call(/** @type {any} */ ({ name: 'bash', arguments: { command }, callId: 'call_1', signal: new AbortController().signal }))
  const { decision } = await judge.decide({ ...call, cwd, workspace: cwd })
  return decision
}

/** Asserts that a command asks for this reason, and that looking started nothing. @param {string} command @param {RegExp} why */
async function asks(command, why) {
  const { decision, reason } = await decide(command)
  assert.equal(decision, 'ask', command)
  assert.match(reason, why)
  assert.equal(existsSync(path.join(dir, 'ran')), false, 'looking at the settings started a program')
}

suite('a folder with hostile settings asks', () => {
  /** @type {Record<string, {set: () => void, run: string[], why: RegExp}>} */
  const hostile = {
    'core.fsmonitor': { set: () => set('core.fsmonitor', ran()), run: ['git status', 'git ls-files -m', 'git diff --name-only'], why: /\(core\.fsmonitor\)/ },
    'diff.external': { set: () => set('diff.external', ran()), run: ['git diff'], why: /diff\.external/ },
    'a driver of its own': {
      set: () => {
        set('diff.mine.command', ran())
        write(path.join(repo, '.gitattributes'), '*.txt diff=mine\n')
      },
      run: ['git diff'], why: /diff\.mine\.command/,
    },
    textconv: {
      set: () => {
        set('diff.mine.textconv', ran())
        write(path.join(repo, '.git/info/attributes'), '*.txt diff=mine\n')
      },
      run: ['git log -p', 'git blame f.txt', 'git show HEAD', 'git diff'], why: /diff\.mine\.textconv/,
    },
    'a filter': {
      set: () => {
        set('filter.mine.clean', ran())
        write(path.join(repo, '.gitattributes'), '*.txt filter=mine\n')
        write(path.join(repo, 'f.txt'), 'two\n')
        utimesSync(path.join(repo, 'f.txt'), 1, 1)
      },
      run: ['git status', 'touch -d @2 f.txt; git diff --stat'], why: /filter\.mine\.clean/,
    },
    signatures: {
      set: () => {
        set('gpg.program', ran())
        set('log.showSignature', 'true')
        const commit = git(repo, 'cat-file', 'commit', 'HEAD').replace('\n\n', '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n')
        write(path.join(dir, 'commit'), commit)
        git(repo, 'update-ref', 'HEAD', git(repo, 'hash-object', '-t', 'commit', '-w', path.join(dir, 'commit')).trim())
      },
      run: ['git log -1', 'git show HEAD'], why: /gpg\.program, log\.showsignature/,
    },
    'a format with signatures': { set: () => set('format.pretty', '%h %G?'), run: [], why: /format\.pretty/ },
    'a hook for the index': {
      set: () => {
        write(path.join(repo, '.git/hooks/post-index-change'), `#!/bin/sh\nexec ${ran()}\n`, true)
        write(path.join(repo, 'f.txt'), 'two\n')
        utimesSync(path.join(repo, 'f.txt'), 1, 1)
      },
      run: ['git status'], why: /hooks\/post-index-change/,
    },
    'hooks in a folder of its own': {
      set: () => {
        set('core.hooksPath', 'tools')
        write(path.join(repo, 'tools/post-index-change'), `#!/bin/sh\nexec ${ran()}\n`, true)
        write(path.join(repo, 'f.txt'), 'two\n')
        utimesSync(path.join(repo, 'f.txt'), 1, 1)
      },
      run: ['git status'], why: /hooks\/post-index-change/,
    },
    'a nested repository': {
      set: () => {
        fresh(path.join(repo, 'sub'))
        git(repo, 'add', 'sub')
        git(path.join(repo, 'sub'), 'config', 'core.fsmonitor', ran())
      },
      run: ['git status', 'git diff'], why: /core\.fsmonitor \(sub\)/,
    },
    'objects that are fetched when looked at': {
      set: () => {
        set('core.repositoryFormatVersion', '1')
        set('extensions.partialClone', 'o')
        set('remote.o.url', `ext::${ran()} x`)
        set('remote.o.promisor', 'true')
        set('protocol.ext.allow', 'always')
        const blob = git(repo, 'rev-parse', 'HEAD:f.txt').trim()
        rmSync(path.join(repo, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true })
      },
      run: ['git log -p', 'git show HEAD:f.txt'], why: /extensions\.partialclone, remote\.o\.promisor/,
    },
    'settings from elsewhere': {
      set: () => {
        set('include.path', '../more')
        write(path.join(repo, 'more'), `[core]\n\tfsmonitor = ${ran()}\n`)
      },
      run: ['git status'], why: /core\.fsmonitor/,
    },
    'settings of one working tree': {
      set: () => {
        set('extensions.worktreeConfig', 'true')
        git(repo, 'config', '--worktree', 'core.fsmonitor', ran())
      },
      run: ['git status'], why: /core\.fsmonitor/,
    },
    'an alias': { set: () => set('alias.x', `!${ran()}`), run: ['git x'], why: /alias\.x/ },
    'a pager': { set: () => set('core.pager', ran()), run: [], why: /core\.pager/ },
    'an ssh command': { set: () => set('core.sshCommand', ran()), run: ['git fetch ssh://host.invalid/x'], why: /core\.sshcommand/ },
    'the working tree of the whole home': {
      set: () => set('core.worktree', path.join(dir)), run: [], why: /another folder than the chat's own/,
    },
    'a file that names another repository': {
      set: () => {
        fresh(path.join(dir, 'private'))
        rmSync(path.join(repo, '.git'), { recursive: true })
        write(path.join(repo, '.git'), `gitdir: ${path.join(dir, 'private/.git')}\n`)
      },
      run: [], why: /another folder than the chat's own: .*private/,
    },
    'links into another repository': {
      set: () => {
        fresh(path.join(dir, 'private'))
        for (const name of ['refs', 'objects']) {
          rmSync(path.join(repo, '.git', name), { recursive: true })
          symlinkSync(path.join(dir, 'private/.git', name), path.join(repo, '.git', name))
        }
      },
      run: [], why: /another folder than the chat's own: .*private/,
    },
  }
  for (const [name, { set, run, why }] of Object.entries(hostile)) {
    test(name, async () => {
      const plain = ['git status', 'git log --oneline -3']
      set()
      for (const command of run) assert.ok(starts(command), `${command} starts nothing, so this case proves nothing`)
      for (const command of plain) await asks(command, why)
    })
  }

  test('a variable of git’s that names a program', async () => {
    process.env.GIT_EXTERNAL_DIFF = ran()
    try {
      assert.ok(starts('git diff'))
      await asks('git diff', /GIT_EXTERNAL_DIFF/)
    } finally {
      delete process.env.GIT_EXTERNAL_DIFF
    }
  })
})

suite('a usual repository does not ask', () => {
  /** @type {Record<string, () => string | void>} gives the folder when it is another one */
  const usual = {
    'a fresh one': () => {},
    'a folder of it': () => {
      mkdirSync(path.join(repo, 'src'))
      return path.join(repo, 'src')
    },
    'a clone': () => {
      git(dir, 'clone', '-q', repo, path.join(dir, 'clone'))
      return path.join(dir, 'clone')
    },
    'with hooks of its own folder': () => {
      set('core.hooksPath', '.husky/_')
      write(path.join(repo, '.husky/_/pre-commit'), '#!/bin/sh\n', true)
    },
    'with the person’s own settings': () => {
      for (const [key, value] of /** @type {const} */ ([['core.pager', 'less'], ['alias.st', 'status'], ['gpg.program', 'gpg'], ['core.editor', 'vim'], ['credential.helper', 'store']])) person(key, value)
    },
    'a linked working tree': () => {
      git(repo, 'worktree', 'add', '-q', path.join(dir, 'linked'))
      return path.join(dir, 'linked')
    },
    'with a submodule': () => {
      fresh(path.join(dir, 'lib'))
      git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', path.join(dir, 'lib'), 'lib')
    },
    'a submodule': () => {
      fresh(path.join(dir, 'lib'))
      git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', path.join(dir, 'lib'), 'lib')
      return path.join(repo, 'lib')
    },
    'a bare one': () => {
      git(dir, 'clone', '-q', '--bare', repo, path.join(dir, 'bare.git'))
      return path.join(dir, 'bare.git')
    },
    'none at all': () => {
      mkdirSync(path.join(dir, 'plain'))
      return path.join(dir, 'plain')
    },
  }
  for (const [name, prepare] of Object.entries(usual)) {
    test(name, async () => {
      const cwd = prepare() ?? repo
      for (const command of ['git log --oneline -3', 'git status && git diff']) {
        const { decision, reason } = await decide(command, cwd)
        assert.equal(decision, 'allow', `${command}: ${reason}`)
      }
    })
  }
})

suite('what was found out is kept', () => {
  const reader = (now = Date.now) => new GitSettingsReader((repository, listing) => instance.callSync('git', repository, listing).value, { now })
  const aMinuteLater = () => Date.now() + 60_000

  test('a change that may still go on is not trusted', async () => {
    const facts = reader()
    for (let i = 1; i <= 2; i++) {
      assert.deepEqual(await facts.of(repo), { programs: [] })
      assert.equal(facts.looks, i)
    }
  })

  test('the settings of a repository that has come to rest are read once, and again when they change', async () => {
    const facts = reader(aMinuteLater)
    for (let i = 0; i < 3; i++) assert.deepEqual(await facts.of(repo), { programs: [] })
    assert.equal(facts.looks, 1)

    /** @type {[() => void, string[]][]} */
    const changes = [
      [() => set('core.fsmonitor', ran()), ['core.fsmonitor']],
      [() => git(repo, 'config', '--unset', 'core.fsmonitor'), []],
      [() => person('diff.external', 'x'), ['diff.external']],
      [() => renameSync(path.join(dir, 'home/.gitconfig'), path.join(dir, 'home/old')), []],
      [() => write(path.join(dir, 'home/.config/git/config'), '[diff]\n\texternal = x\n'), ['diff.external']],
      [() => rmSync(path.join(dir, 'home/.config'), { recursive: true }), []],
      [() => write(path.join(repo, '.git/hooks/post-index-change'), ''), ['hooks/post-index-change']],
      [() => rmSync(path.join(repo, '.git/hooks/post-index-change')), []],
      [() => fresh(path.join(repo, 'sub')), []],
      [() => git(repo, 'add', 'sub'), []],
      [() => git(path.join(repo, 'sub'), 'config', 'core.fsmonitor', ran()), ['core.fsmonitor (sub)']],
    ]
    for (const [change, programs] of changes) {
      change()
      assert.deepEqual(await facts.of(repo), { programs }, String(change))
      const { looks } = facts
      assert.deepEqual(await facts.of(repo), { programs })
      assert.equal(facts.looks, looks, String(change))
    }
  })

  test('what hangs on an include is looked at each time', async () => {
    const facts = reader(aMinuteLater)
    set('include.path', '../more')
    assert.deepEqual(await facts.of(repo), { programs: [] })
    write(path.join(repo, 'more'), `[core]\n\tfsmonitor = ${ran()}\n`)
    assert.deepEqual(await facts.of(repo), { programs: ['core.fsmonitor'] })
  })
})

test('without git, or when it does not answer, git asks', async () => {
  const PATH = process.env.PATH
  process.env.PATH = path.join(dir, 'empty')
  try {
    await asks('git status', /^It is not known whether/)
  } finally {
    process.env.PATH = PATH
  }
  write(path.join(repo, '.git/config'), '[broken')
  await asks('git status', /^It is not known whether/)
})
