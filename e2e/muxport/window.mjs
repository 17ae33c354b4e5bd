// @ts-check
/**
 * The newest part of a log, cut at a message (harness-wire.md §5.1, §5.2).
 * @module
 */

/** What counts, where it was said: a message that restates others for the model does not. */
const messages = new Set(['user/message', 'assistant/message'])
/** How many messages a window holds where a client does not say. */
const DEFAULT_MESSAGES = 50

/**
 * @param {import('./modernlog.mjs').Event[]} events oldest first, up to the end of the window
 * @param {number} [most] messages in it
 * @returns {{records: {type: 'event', event: import('./modernlog.mjs').Event}[], hasMore: boolean}}
 */
export function newest(events, most = DEFAULT_MESSAGES) {
  let from = 0
  for (let i = events.length - 1, count = 0; i >= 0; i--) {
    if (messages.has(events[i].type) && events[i].surfaceOp === 'append' && ++count >= most) {
      from = i
      break
    }
  }
  return { records: events.slice(from).map(event => ({ type: 'event', event })), hasMore: from > 0 }
}
