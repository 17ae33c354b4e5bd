// @ts-check
import { setTimeout as delay } from 'node:timers/promises'
import { CODES, LIMITS, MESSAGES, PluginError, fill } from '../messages.mjs'
import { expectHead } from './shape.mjs'

/** Effect `sleep`: SleepRequest → {}. @type {import('../hot.mjs').EffectHandler} */
export async function sleepEffect({ kind, value }, { signal }) {
  expectHead(kind, value, { ms: 'whole' })
  if (value.ms < 0 || value.ms > LIMITS.MaxSleepMs) {
    throw new PluginError(CODES.Refused, fill(MESSAGES.Sleep, { max: LIMITS.MaxSleepMs }))
  }
  await delay(value.ms, undefined, { signal })
  return {}
}
