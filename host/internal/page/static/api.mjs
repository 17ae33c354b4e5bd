// The host's routes. Every refusal becomes an ApiError with the host's sentence.
/** @import * as chat from '../../../../proto/schema/chat.js' */

import { textOf } from './language.mjs';
import { chunksOf, readLines } from './ndjson.mjs';
import { words } from './words.mjs';

export class ApiError extends Error {
  /**
   * @param {number} status HTTP status; 0 where nothing was reached
   * @param {Partial<chat.Error>} error
   */
  constructor(status, error) {
    super(textOf(error) || words.badAnswer);
    this.status = status;
    this.code = /** @type {string} */ (error.code || '');
    this.details = error.details || '';
  }

  /** Whether the same request may succeed a little later. */
  get passing() {
    return this.status === 0 || this.status >= 500;
  }
}

/**
 * @param {string} token
 * @param {typeof fetch} [fetcher]
 */
export function connect(token, fetcher = (...a) => fetch(...a)) {
  /**
   * @param {string} method @param {string} path
   * @param {unknown} [body] @param {AbortSignal} [signal]
   */
  async function request(method, path, body, signal) {
    /** @type {Record<string, string>} */
    const headers = { Authorization: `Bearer ${token}` };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    let response;
    try {
      response = await fetcher(path, {
        method, headers, signal, cache: 'no-store', credentials: 'omit',
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (err) {
      if (signal?.aborted) throw err;
      throw new ApiError(0, { text: words.offline, details: String(err) });
    }
    if (response.ok) return response;
    /** @type {Partial<chat.Error>} */
    let error = {};
    try {
      error = (await response.json()).error ?? {};
    } catch { /* not ours: the sentence of ApiError says so */ }
    throw new ApiError(response.status, error);
  }

  /** @param {string} method @param {string} path @param {unknown} [body] */
  const json = async (method, path, body) => (await request(method, path, body)).json();

  /**
   * @param {string} method @param {string} path @param {unknown} body
   * @param {AbortSignal} signal
   * @returns {AsyncGenerator<chat.Frame, void, void>}
   */
  async function* stream(method, path, body, signal) {
    const response = await request(method, path, body, signal);
    if (!response.body) return;
    yield* readLines(chunksOf(response.body));
  }

  /** @param {Record<string, string | number>} q */
  const query = (q) => new URLSearchParams(Object.entries(q).map(([k, v]) => [k, String(v)])).toString();

  return {
    /** @param {chat.StreamRequest} r @param {AbortSignal} signal */
    send: (r, signal) => stream('POST', '/api/chat/stream', r, signal),
    /** @param {string} chatId @param {string} run @param {number} after @param {AbortSignal} signal */
    attach: (chatId, run, after, signal) =>
      stream('GET', `/api/chat/stream?${query({ chatId, run, after })}`, undefined, signal),
    /** @param {chat.ApprovalRequest} r */
    answer: (r) => json('POST', '/api/chat/approval', r),
    /** @param {chat.PlanRequest} r @returns {Promise<chat.PlanAnswer>} */
    plan: (r) => json('POST', '/api/chat/plan', r),
    /** @param {chat.OversizeRequest} r @returns {Promise<chat.OversizeAnswer>} */
    oversize: (r) => json('POST', '/api/chat/oversize', r),
    /** @param {chat.StopRequest} r @returns {Promise<chat.StopAnswer>} */
    stop: (r) => json('POST', '/api/chat/stop', r),
    /** @param {string} id @param {string} run @returns {Promise<chat.StreamRequest>} the message */
    takeBack: (id, run) => json('DELETE', `/api/chats/${encodeURIComponent(id)}/waiting/${encodeURIComponent(run)}`),
    /** @param {string} id @param {string} run */
    steerWaiting: (id, run) => json('POST', `/api/chats/${encodeURIComponent(id)}/waiting/${encodeURIComponent(run)}/steer`),
    /** @returns {Promise<chat.AgentStatus>} */
    status: () => json('GET', '/api/agent/status'),
    /** @returns {Promise<chat.PendingAnswer>} */
    pending: () => json('GET', '/api/agent/pending'),
    /** @returns {Promise<chat.ChatList>} */
    chats: () => json('GET', '/api/chats'),
    /** @param {string} id @returns {Promise<chat.Chat>} */
    chat: (id) => json('GET', `/api/chats/${encodeURIComponent(id)}`),
    /** @param {string} id @param {chat.ChatPatch} p @returns {Promise<chat.ChatSummary>} */
    patch: (id, p) => json('PATCH', `/api/chats/${encodeURIComponent(id)}`, p),
    /** @returns {Promise<chat.PermissionList>} */
    permissions: () => json('GET', '/api/permissions'),
    /** @param {string} id */
    revoke: (id) => request('DELETE', `/api/permissions/${encodeURIComponent(id)}`),
    /** @returns {Promise<chat.ModelsAnswer>} */
    models: () => json('GET', '/api/models'),
    /** @param {chat.ConnectionSpec} c @returns {Promise<chat.ModelConnection>} */
    addModel: (c) => json('POST', '/api/models', c),
    /** @param {string} id @param {chat.ConnectionSpec} c @returns {Promise<chat.ModelConnection>} */
    changeModel: (id, c) => json('PUT', `/api/models/${encodeURIComponent(id)}`, c),
    /** @param {string} id */
    removeModel: (id) => request('DELETE', `/api/models/${encodeURIComponent(id)}`),
    /** @param {string} id @returns {Promise<chat.ModelTest>} */
    testModel: (id) => json('POST', `/api/models/${encodeURIComponent(id)}/test`),
    /** @param {chat.ConnectionSpec} c that is not saved @returns {Promise<chat.ModelTest>} */
    tryModel: (c) => json('POST', '/api/models/test', c),
    /** @param {string} id @returns {Promise<chat.ModelOffers>} asks the server anew */
    offers: (id) => json('GET', `/api/models/${encodeURIComponent(id)}/offers?again=1`),
    /** @param {string} route */
    setDefaultModel: (route) => request('PUT', '/api/models/default', { route }),
    /** @param {number} limit @param {number} before 0 for the newest @returns {Promise<chat.DecisionList>} */
    decisions: (limit, before) => json('GET', `/api/decisions?${query(before ? { limit, before } : { limit })}`),
  };
}

/** @typedef {ReturnType<typeof connect>} Api */
