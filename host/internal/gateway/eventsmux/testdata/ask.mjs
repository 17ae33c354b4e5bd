// A gate for tests: every tool call whose arguments hold ASKME is asked about.
export const name = 'test-ask'
export const inject = ['tools']

export function apply(ctx) {
  ctx.on('tools/pre-execute', (exec, next) =>
    JSON.stringify(exec.arguments).includes('ASKME') ? { kind: 'ask', reason: 'the test asks' } : next())
}
