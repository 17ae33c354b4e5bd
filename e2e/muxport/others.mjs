// @ts-check
/**
 * The methods outside the namespace `session`: commands, goals, subagents, presets and what is read of the host
 * (harness-wire.md §6.3 to §6.9).
 * @module
 */
import { agentOf } from './address.mjs'
import { Failure, valueOf } from './failure.mjs'
import { bool, exactly, id, integer, list, object, oneOf, string } from './keys.mjs'
import { contentCheck } from './sessions.mjs'

/** @typedef {import('./plugin.mjs').Parts} Parts */
/** @typedef {import('./plugin.mjs').Calls} Calls */

/** The agent that an argument `agentId` names. @param {any} ctx @param {string} agentId */
async function lookup(ctx, agentId) {
  const agent = await agentOf(ctx, agentId)
  if (agent === undefined) throw new Failure('gateway/lookup-not-found', `no agent "${agentId}"`, { endpoint: 'agent', field: 'agentId' })
  return agent
}

/** @param {Parts} parts @returns {Calls} */
export function commandMethods({ ctx, journals, attachments }) {
  return {
    'commands/list': {
      parameters: { agentId: id },
      async call({ agentId }) { return ctx.commands.list(await lookup(ctx, agentId)) },
    },
    'commands/execute': {
      parameters: { agentId: id, line: string, [attachments]: list(object) },
      async call(args, signal) {
        const agent = await lookup(ctx, args.agentId)
        const done = await ctx.commands.execute(agent, args.line, args[attachments], signal)
        if (done?.result.sourceEventSeq === undefined) return done
        const seq = journals.attached(args.agentId)?.log.seqOf(done.result.sourceEventSeq)
        return { ...done, result: { ...done.result, sourceEventSeq: seq } }
      },
    },
  }
}

/** @param {Parts} parts @returns {Calls} */
export function goalMethods({ ctx }) {
  const refCheck = exactly({ id, revision: integer })
  /** @type {(agentId: string, use: (goals: any, agent: any) => unknown) => Promise<unknown>} */
  const on = async (agentId, use) => {
    const agent = await lookup(ctx, agentId)
    const goals = ctx.get('agentPresets')?.serviceFor(agent, 'goals') ?? ctx.get('goals')
    if (goals === undefined) throw new Failure('gateway/service-unavailable', 'this session has no goals', { endpoint: 'goals' })
    return use(goals, agent)
  }
  /** @type {Calls} */
  const changes = Object.fromEntries(['pause', 'resume', 'complete', 'clear'].map(verb => [`goals/${verb}`, {
    parameters: { agentId: id, ref: refCheck },
    call: ({ agentId, ref }) => on(agentId, (goals, agent) => goals[verb](agent, ref)),
  }]))
  return {
    ...changes,
    'goals/get': { parameters: { agentId: id }, call: ({ agentId }) => on(agentId, (goals, agent) => goals.get(agent)) },
    'goals/create': {
      parameters: { agentId: id, request: exactly({ 'objective': string, 'maxGoalRounds?': integer }) },
      call: ({ agentId, request }) => on(agentId, (goals, agent) => {
        const { id, revision } = goals.create(agent, request)
        return { ref: { id, revision } }
      }),
    },
    'goals/edit': {
      parameters: { agentId: id, ref: refCheck, request: exactly({ 'objective?': string, 'maxGoalRounds?': integer }) },
      call: ({ agentId, ref, request }) => on(agentId, (goals, agent) => goals.edit(agent, ref, request)),
    },
  }
}

/** @param {Parts} parts @returns {Calls} */
export function subagentMethods({ ctx }) {
  const api = ctx.apiProxy.subagents
  const continuable = oneOf('continuable')
  return {
    'subagents/prompt': {
      parameters: {
        request: exactly({
          'requestId': id, 'parentSessionId': id, 'childSessionId': id, 'mode': continuable, 'delivery': oneOf('queue', 'steer'),
          'content': contentCheck, 'clientTimeZone?': string,
        }),
      },
      async call({ request: { requestId, delivery: _, ...payload } }, signal) {
        // A repeat is known by what the child's log and inbox hold of it.
        const messages = [...ctx.sessions.get(payload.childSessionId)?.events ?? []].flatMap(event => event.type === 'agent/inbox/spliced' ? event.data.inserted : [])
        const taken = messages.find((/** @type {any} */ message) => message.source.rpcId === requestId)
        return taken ? { messageId: taken.id } : valueOf(await api.prompt({ rpcId: requestId, payload }, signal))
      },
    },
    'subagents/interruptByParent': {
      parameters: { childSessionId: id, parentSessionId: id, mode: continuable },
      async call({ childSessionId, parentSessionId }) {
        return valueOf(await api.interrupt({ rpcId: 'muxport', payload: { childSessionId, parentSessionId, mode: 'continuable' } }))
      },
    },
  }
}

/** @param {Parts} parts @returns {Calls} */
export function hostMethods({ ctx, newer }) {
  const ask = async (/** @type {any} */ owner, /** @type {string} */ method, /** @type {any} */ payload) => valueOf(await owner[method]({ rpcId: 'muxport', payload }, new AbortController().signal))
  const { settings, credentials, agentPresets, skills, workspace } = ctx.apiProxy
  /** @type {Calls} */
  const calls = {
    'llm/listProviders': { parameters: {}, call: async () => ctx.llm.listProviders().map((/** @type {any} */ { id, name }) => ({ id, name })) },
    'settings/describe': { parameters: {}, call: () => ask(settings, 'describe', {}) },
    'settings/update': { parameters: { 'ns': id, 'patch': object, 'expectedRevision?': integer }, call: args => ask(settings, 'update', args) },
    'credentials/describe': { parameters: { refs: list(id) }, call: async args => (await ask(credentials, 'describe', args)).credentials },
    'agentPresets/list': { parameters: {}, call: async () => (await ask(agentPresets, 'list', {})).presets },
    'skills/list': { parameters: { request: exactly({ sessionId: id }) }, call: ({ request }) => ask(skills, 'list', request) },
    'workspace/create': { parameters: { request: exactly({ path: id }) }, call: ({ request }) => ask(workspace, 'create', request) },
    'workspace/archiveSession': {
      parameters: { request: exactly({ 'sessionId': id, 'stopActivity?': bool }) },
      async call({ request: { sessionId } }) { await ask(workspace, 'archiveSession', { sessionId }) },
    },
  }
  if (newer) {
    calls['permissionPresets/catalog'] = {
      parameters: {},
      async call() {
        const any = ctx.sessions.list()[0]
        const { options, currentValue } = any ? ctx.sessionProjections.snapshot(any).values.permissions : { options: [], currentValue: 'custom' }
        return { options, defaultOptions: options, defaultPreset: currentValue }
      },
    }
  }
  return calls
}
