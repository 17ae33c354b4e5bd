// Keeps a run's frames coming: sends or attaches, and attaches again after a cut
// with the run and seq it has. It ends with the run, or when it is aborted, which
// only lets go: the run goes on.
/** @import * as chat from '../../../../proto/schema/chat.js' */
/** @import {Api} from './api.mjs' */

import { ApiError } from './api.mjs';
import { ends } from './view.mjs';

/** Waits between tries, in ms: quick at first, then calm. */
const waits = [300, 1000, 2000, 4000, 8000];

/**
 * @param {object} o
 * @param {Api} o.api
 * @param {string} o.chatId
 * @param {chat.StreamRequest} [o.request] what to send; without it the run below is attached to
 * @param {string} [o.run]
 * @param {number} [o.seq]
 * @param {AbortSignal} o.signal
 * @param {(f: chat.Frame) => void} o.onFrame
 * @param {(err: ApiError | null) => void} o.onCut the connection was lost, or stands again (null)
 * @param {(ms: number) => Promise<void>} [o.sleep]
 * @returns {Promise<void>} rejects with the ApiError that more tries don't help against
 */
export async function follow({ api, chatId, request, run = '', seq = 0, signal, onFrame, onCut, sleep = pause(signal) }) {
  for (let tries = 0; ;) {
    // A message whose run has not been seen yet is sent again: its requestId makes
    // that harmless.
    const frames = request && !run ? api.send(request, signal) : api.attach(chatId, run, seq, signal);
    /** @type {ApiError} */
    let cut = new ApiError(0, {});
    try {
      for await (const f of frames) {
        if (tries) onCut(null);
        tries = 0;
        ({ run, seq } = f);
        onFrame(f);
        if (ends(f)) return;
      }
    } catch (err) {
      if (signal.aborted) return;
      if (err instanceof ApiError) {
        if (!err.passing) throw err;
        cut = err;
      }
    }
    if (signal.aborted) return;
    onCut(cut);
    await sleep(waits[Math.min(tries++, waits.length - 1)]);
    if (signal.aborted) return;
  }
}

/** @param {AbortSignal} signal @returns {(ms: number) => Promise<void>} */
const pause = (signal) => (ms) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms * (0.75 + Math.random() / 2));
  signal.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, { once: true });
});
