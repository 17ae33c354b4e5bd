// @ts-check
/**
 * WASI preview1 as far as a Go reactor needs it: clock, random, stderr and a working poll_oneoff. No files, no
 * environment, no arguments, no sockets: every other call is refused.
 *
 * poll_oneoff must work: with it refused everything seems fine until the first timer (the plugin's or the Go
 * runtime's own) starts the poller, and the next collection dies.
 * @module
 */
import { randomFillSync } from 'node:crypto'

const OK = 0
const EBADF = 8
const ENOSYS = 52
const CLOCK_REALTIME = 0
const SUBSCRIPTION_BYTES = 48
const EVENT_BYTES = 32
const CLOCK_EVENT = 0
const ABSOLUTE = 1

/** The functions of wasi_snapshot_preview1. A module that wants another one cannot be run. */
export const WASI_NAMES = Object.freeze((
  'args_get args_sizes_get clock_res_get clock_time_get environ_get environ_sizes_get fd_advise fd_allocate fd_close '
  + 'fd_datasync fd_fdstat_get fd_fdstat_set_flags fd_fdstat_set_rights fd_filestat_get fd_filestat_set_size '
  + 'fd_filestat_set_times fd_pread fd_prestat_dir_name fd_prestat_get fd_pwrite fd_read fd_readdir fd_renumber fd_seek '
  + 'fd_sync fd_tell fd_write path_create_directory path_filestat_get path_filestat_set_times path_link path_open '
  + 'path_readlink path_remove_directory path_rename path_symlink path_unlink_file poll_oneoff proc_exit proc_raise '
  + 'random_get sched_yield sock_accept sock_recv sock_send sock_shutdown').split(' '))

/** The guest asked to end its process: a trap. */
export class GuestExit extends Error {
  /** @param {number} code */
  constructor(code) {
    super(`the plugin exited with code ${code}`)
  }
}

const realtimeNs = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6))
const sleeper = new Int32Array(new SharedArrayBuffer(4))

/**
 * The import object for one guest.
 * @param {() => WebAssembly.Memory} memory the guest's memory, once it exists
 * @param {(text: string) => void} stderr what the guest wrote to stdout or stderr
 * @returns {Record<string, Function>}
 */
export function wasiImports(memory, stderr) {
  const view = () => new DataView(memory().buffer)
  const decoder = new TextDecoder()

  /** @type {Record<string, Function>} */
  const served = {
    args_sizes_get: nothing,
    environ_sizes_get: nothing,
    args_get: () => OK,
    environ_get: () => OK,
    sched_yield: () => OK,
    fd_close: () => EBADF,
    fd_fdstat_get: () => EBADF,
    fd_fdstat_set_flags: () => EBADF,
    fd_prestat_get: () => EBADF,
    fd_prestat_dir_name: () => EBADF,
    /** @param {number} code */
    proc_exit(code) {
      throw new GuestExit(code)
    },
    /** @param {number} clock @param {bigint} _precision @param {number} out */
    clock_time_get(clock, _precision, out) {
      view().setBigUint64(out, clock === CLOCK_REALTIME ? realtimeNs() : process.hrtime.bigint(), true)
      return OK
    },
    /** @param {number} at @param {number} size */
    random_get(at, size) {
      randomFillSync(new Uint8Array(memory().buffer, at >>> 0, size >>> 0))
      return OK
    },
    /** @param {number} fd @param {number} vectors @param {number} count @param {number} written */
    fd_write(fd, vectors, count, written) {
      if (fd !== 1 && fd !== 2) return EBADF
      const v = view()
      let total = 0
      let text = ''
      for (let i = 0; i < count; i++) {
        const at = v.getUint32(vectors + 8 * i, true)
        const size = v.getUint32(vectors + 8 * i + 4, true)
        text += decoder.decode(new Uint8Array(memory().buffer, at, size))
        total += size
      }
      stderr(text)
      v.setUint32(written, total, true)
      return OK
    },
    poll_oneoff: poll,
  }
  return Object.fromEntries(WASI_NAMES.map(name => [name, served[name] ?? (() => ENOSYS)]))

  /** @param {number} count @param {number} bytes */
  function nothing(count, bytes) {
    const v = view()
    v.setUint32(count, 0, true)
    v.setUint32(bytes, 0, true)
    return OK
  }

  /**
   * Waits for the nearest clock and reports every clock as fired. Blocks the thread: a plugin that wants to wait
   * uses the effect `sleep`.
   * @param {number} subscriptions @param {number} events @param {number} count @param {number} reported
   */
  function poll(subscriptions, events, count, reported) {
    const v = view()
    const now = process.hrtime.bigint()
    let wait = Infinity
    for (let i = 0; i < count; i++) {
      const at = subscriptions + SUBSCRIPTION_BYTES * i
      if (v.getUint8(at + 8) !== CLOCK_EVENT) continue
      const clock = v.getUint32(at + 16, true)
      const timeout = v.getBigUint64(at + 24, true)
      const base = (v.getUint16(at + 40, true) & ABSOLUTE) === 0 ? 0n : clock === CLOCK_REALTIME ? realtimeNs() : now
      wait = Math.min(wait, Number(timeout - base))
    }
    if (wait > 0 && wait < Infinity) Atomics.wait(sleeper, 0, 0, wait / 1e6)

    for (let i = 0; i < count; i++) {
      const at = subscriptions + SUBSCRIPTION_BYTES * i
      const out = events + EVENT_BYTES * i
      const kind = v.getUint8(at + 8)
      v.setBigUint64(out, v.getBigUint64(at, true), true)
      v.setUint16(out + 8, kind === CLOCK_EVENT ? OK : EBADF, true)
      v.setUint8(out + 10, kind)
    }
    v.setUint32(reported, count, true)
    return OK
  }
}
