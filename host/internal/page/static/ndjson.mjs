// A stream of bytes as JSON values, one a line. Empty lines (the host sends them
// so that a dead connection is noticed) are skipped.

/**
 * @param {AsyncIterable<Uint8Array>} chunks
 * @returns {AsyncGenerator<any, void, void>}
 */
export async function* readLines(chunks) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    const lines = (rest + text).split('\n');
    rest = /** @type {string} */ (lines.pop());
    for (const line of lines) if (line.trim()) yield JSON.parse(line);
  }
  rest += decoder.decode();
  if (rest.trim()) yield JSON.parse(rest);
}

/**
 * The chunks of a body; not every browser can iterate a ReadableStream itself.
 * @param {ReadableStream<Uint8Array>} body
 */
export async function* chunksOf(body) {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
