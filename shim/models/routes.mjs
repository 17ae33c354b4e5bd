// @ts-check
/**
 * The models that a helper agent can run on now.
 * @module
 */
import { hasMethods } from '../lib/probe.mjs'

/** As op resolve takes it (proto/abi). @typedef {{provider: string, id: string, name?: string, connection?: string, local?: boolean, contextWindow?: number, images?: boolean, efforts?: string[], price?: {input: number, output: number}}} Route */

/**
 * The profile's routes that the Harness still has; without any in the profile, all that the Harness has.
 * @param {any} llm the Harness's service
 * @param {Route[]} [known] of the profile
 * @returns {Promise<Route[]>}
 */
export async function routesOf(llm, known) {
  if (!hasMethods(llm, 'listProviders', 'listModels')) return known ?? []
  const there = (await Promise.all(llm.listProviders().map(async (/** @type {{id: string, name: string}} */ provider) => {
    // One that cannot tell its models can still be asked for those of the profile.
    const models = await Promise.resolve().then(() => llm.listModels(provider.id)).catch(() => [])
    return { provider, models }
  })))
  if (known !== undefined) {
    return known.filter(({ provider, id }) => there.some(({ provider: one, models }) => one.id === provider &&
      (models.length === 0 || models.some((/** @type {{id: string}} */ model) => model.id === id))))
  }
  return Promise.all(there.flatMap(({ provider, models }) => models.map((/** @type {any} */ model) => described(llm, provider, model))))
}

/** @param {any} llm @param {{id: string, name: string}} provider @param {any} model @returns {Promise<Route>} */
async function described(llm, provider, model) {
  const info = hasMethods(llm, 'resolveModelInfo') ? await llm.resolveModelInfo(provider.id, model.id).catch(() => ({})) : {}
  const contextWindow = info.context?.contextWindow
  const efforts = info.reasoning?.efforts.map((/** @type {{id: string}} */ { id }) => id)
  return {
    provider: provider.id, id: model.id, name: model.name, connection: provider.name,
    ...(contextWindow && { contextWindow }), ...(efforts && { efforts }),
    images: (info.inputModalities ?? model.inputModalities ?? []).includes('image'),
  }
}
