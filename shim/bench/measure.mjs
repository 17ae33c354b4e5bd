// @ts-check
/**
 * @typedef {{p50?: number, p99?: number}} Limit microseconds that a call may take
 * @typedef {{name: string, run: (input: any) => unknown, inputs: any[], limit?: Limit}} Variant
 * @typedef {{name: string, p50: number, p99: number, limit?: Limit}} Figure microseconds a call
 */

/**
 * Times variants in turn, so that a noisy machine is noisy for all of them.
 * @param {Variant[]} variants
 * @param {{rounds?: number, warmUp?: number}} [options] rounds over each variant's inputs
 * @returns {Promise<Figure[]>}
 */
export async function measure(variants, { rounds = 40, warmUp = 10 } = {}) {
  const times = variants.map(() => /** @type {number[]} */ ([]))
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const [i, { run, inputs }] of variants.entries()) {
      for (const input of inputs) {
        const start = performance.now()
        const end = run(input)
        if (end instanceof Promise) await end
        const took = performance.now() - start
        if (round >= warmUp) times[i]?.push(took * 1000)
      }
    }
  }
  return variants.map(({ name, limit = {} }, i) => {
    const sorted = (times[i] ?? []).sort((a, b) => a - b)
    return { name, p50: at(sorted, 0.5), p99: at(sorted, 0.99), limit }
  })
}

/** @param {number[]} sorted @param {number} share @returns {number} */
export const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN

/** Prints figures, each beside the first of them. @param {string} title @param {Figure[]} figures */
export function print(title, figures) {
  const first = figures[0]?.p50 ?? NaN
  console.log(`\n${title}\n${'p50 µs'.padStart(54)}${'p99 µs'.padStart(11)}${'ratio'.padStart(9)}`)
  for (const { name, p50, p99, limit = {} } of figures) {
    const against = verdict(' p50', p50, limit.p50) + verdict(' p99', p99, limit.p99)
    console.log(`  ${name.padEnd(42)}${p50.toFixed(1).padStart(10)}${p99.toFixed(1).padStart(11)}${(p50 / first).toFixed(2).padStart(9)}${against}`)
  }
}

/** What a figure is beside its limit; nothing without one. @param {string} what @param {number} took @param {number | undefined} most */
export const verdict = (what, took, most) => (most === undefined ? '' : ` ${what} < ${most}: ${took < most ? 'held' : 'MISSED'};`)
