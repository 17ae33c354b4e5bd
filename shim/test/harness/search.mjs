// @ts-check
/** A row that searches a web of its own. @module */
export const name = 'search'
export const inject = ['web']

/** @param {any} ctx */
export function apply(ctx) {
  ctx.web.registerSearchProvider({
    id: 'scripted', available: () => true,
    search: async (/** @type {{query: string}} */ { query }) => ({ content: `found ${query}`, sources: [], truncated: false }),
  })
}
