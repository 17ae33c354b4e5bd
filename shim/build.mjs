// @ts-check
/**
 * Makes what is shipped of a module that Go built: the module frozen as it stands after its start, its hash, and the
 * bundle patch that names it. `node build.mjs <module> [folder]`, dist/ when no folder is named.
 * @module
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freeze } from './freeze.mjs'
import { LIMITS } from './lib/messages.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const [, , built = '', folder = path.join(here, 'dist')] = process.argv

const module = freeze(await readFile(built), { maxPages: LIMITS.MemoryPages })
const sha256 = createHash('sha256').update(module).digest('hex')
const patch = await readFile(path.join(here, 'cordis.patch.yml'), 'utf8')
await mkdir(folder, { recursive: true })
await writeFile(path.join(folder, 'strata.wasm.sha256'), `${sha256}\n`)
await writeFile(path.join(folder, 'cordis.patch.yml'), patch.replaceAll('@SHA256@', () => sha256))
// Last and at once: make takes a module that is there for one that is done.
await writeFile(path.join(folder, 'strata.wasm.frozen'), module)
await rename(path.join(folder, 'strata.wasm.frozen'), path.join(folder, 'strata.wasm'))
