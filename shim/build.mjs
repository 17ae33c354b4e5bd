// @ts-check
/**
 * Writes what depends on the bytes of dist/strata.wasm: its hash, and the bundle patch that names it.
 * @module
 */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'

const at = (/** @type {string} */ name) => new URL(name, import.meta.url)

const sha256 = createHash('sha256').update(await readFile(at('dist/strata.wasm'))).digest('hex')
const patch = await readFile(at('cordis.patch.yml'), 'utf8')
await writeFile(at('dist/strata.wasm.sha256'), `${sha256}\n`)
await writeFile(at('dist/cordis.patch.yml'), patch.replace('@SHA256@', () => sha256))
