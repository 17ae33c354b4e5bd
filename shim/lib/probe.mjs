// @ts-check
/**
 * Feature probes: a seam is used when what it consists of is there, never by a version string. What a Harness lacks
 * is logged once and listed by the plugin's command.
 * @module
 */

/**
 * @typedef {{has: () => boolean, lost: string}} Probe lost: one plain sentence, what does not work without the seam
 * @typedef {{seams: Record<string, boolean>, missing: string[]}} Seams
 */

/**
 * Tries every probe; one that throws counts as missing.
 * @param {Record<string, Probe>} probes
 * @param {(sentence: string) => void} warn called once for each missing seam
 * @returns {Seams}
 */
export function probeSeams(probes, warn) {
  /** @type {Seams} */
  const found = { seams: {}, missing: [] }
  for (const [name, { has, lost }] of Object.entries(probes)) {
    const there = attempt(has)
    found.seams[name] = there
    if (there) continue
    found.missing.push(lost)
    warn(lost)
  }
  return found
}

/** @param {() => boolean} has */
function attempt(has) {
  try {
    return has()
  } catch {
    return false
  }
}

/** @param {any} owner @param {...string} names @returns {boolean} whether owner has all these methods */
export function hasMethods(owner, ...names) {
  return owner != null && names.every(name => typeof owner[name] === 'function')
}
