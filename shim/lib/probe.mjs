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
 * Makes the probing of some seams. Services come and go with their rows, so each look tries them anew.
 * @param {Record<string, Probe>} probes one that throws counts as missing
 * @param {(sentence: string) => void} warn called once for each seam found missing
 * @returns {() => Seams}
 */
export function seamProbe(probes, warn) {
  const told = new Set()
  return () => {
    /** @type {Seams} */
    const found = { seams: {}, missing: [] }
    for (const [name, { has, lost }] of Object.entries(probes)) {
      const there = attempt(has)
      found.seams[name] = there
      if (there) continue
      found.missing.push(lost)
      if (!told.has(name)) warn(lost)
      told.add(name)
    }
    return found
  }
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
