// The messages behind a running turn: those that the host lists, and those that are on
// their way to it.
/** @import * as chat from '../../../../proto/schema/chat.js' */
/** @import {Api} from './api.mjs' */
/** @import {Waits} from './ui/waiting.mjs' */
/** @import {View} from './view.mjs' */

import { follow } from './follow.mjs';

export class Outbox {
  /** @type {chat.StreamRequest[]} */
  #sending = [];
  /** Requests of the shown chat that have waited. @type {Set<string>} */
  #due = new Set();

  /** @param {Api} api @param {(ms: number) => Promise<void>} [sleep] between tries */
  constructor(api, sleep) {
    this.api = api;
    this.sleep = sleep;
  }

  /**
   * Hands a message over that does not begin now: its own run is followed once it does.
   * @param {chat.StreamRequest} request
   * @param {() => Promise<void>} look makes the host's list known; the message is listed here until then
   * @returns {Promise<void>} rejects with the ApiError that more tries don't help against
   */
  async hand(request, look) {
    this.#sending.push(request);
    const taken = new AbortController();
    try {
      await follow({
        api: this.api, chatId: request.chatId, request, signal: taken.signal, sleep: this.sleep,
        onFrame: () => taken.abort(), onCut: () => {},
      });
      await look();
    } finally {
      this.#sending = this.#sending.filter((r) => r !== request);
    }
  }

  /**
   * What waits in a chat, in the order of the turns.
   * @param {string} chatId @param {chat.Waiting[]} [listed] by the host
   * @returns {Waits[]}
   */
  list(chatId, listed = []) {
    const known = new Set(listed.map((w) => w.requestId));
    return [...listed, ...this.#sending.flatMap((r) => (r.chatId === chatId && !known.has(r.requestId)
      ? [{ requestId: r.requestId, text: r.text, pictures: r.attachments, sending: /** @type {const} */ (true) }] : []))];
  }

  /** Another chat is shown, or this one anew. */
  begin() {
    this.#due.clear();
  }

  /**
   * Whether something had its turn without being seen.
   * @param {Waits[]} list what waits in the shown chat now @param {View} view
   */
  missed(list, view) {
    for (const w of list) this.#due.add(w.requestId);
    const seen = new Set([...list.map((w) => w.requestId), ...view.entries.map((e) => e.request)]);
    return [...this.#due].some((id) => !seen.has(id));
  }
}
