import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chunksOf, readLines } from '../static/ndjson.mjs';

const values = [{ run: 'r', seq: 1, text: 'naïve “quotes” 🦊\n' }, { seq: 2 }, [3]];
const bytes = new TextEncoder().encode(`${values.map((v) => JSON.stringify(v)).join('\n\n')}\n`);

/** @param {Uint8Array[]} parts */
async function* each(parts) {
  yield* parts;
}

/** @param {AsyncIterable<Uint8Array>} chunks */
async function all(chunks) {
  const out = [];
  for await (const v of readLines(chunks)) out.push(v);
  return out;
}

test('split at every byte, inside characters and lines', async () => {
  for (let i = 0; i <= bytes.length; i++) {
    assert.deepEqual(await all(each([bytes.slice(0, i), bytes.slice(i)])), values, `split at ${i}`);
  }
});

test('a byte at a time', async () => {
  assert.deepEqual(await all(each([...bytes].map((b) => Uint8Array.of(b)))), values);
});

test('a value is given as soon as its line is whole', async () => {
  let asked = 0;
  async function* chunks() {
    asked++;
    yield new TextEncoder().encode('{"a":1}\n{"b"');
    asked++;
    yield new TextEncoder().encode(':2}\n');
  }
  const it = readLines(chunks());
  assert.deepEqual((await it.next()).value, { a: 1 });
  assert.equal(asked, 1);
  assert.deepEqual((await it.next()).value, { b: 2 });
});

test('a last line without its newline counts; half a line is an error', async () => {
  assert.deepEqual(await all(each([new TextEncoder().encode('{"a":1}\n{"b":2}')])), [{ a: 1 }, { b: 2 }]);
  await assert.rejects(all(each([new TextEncoder().encode('{"a":1}\n{"b":')])), SyntaxError);
  await assert.rejects(all(each([Uint8Array.of(0x22, 0xc3)])), TypeError);
});

test('only empty lines give nothing', async () => {
  assert.deepEqual(await all(each([new TextEncoder().encode('\n\n \n\n')])), []);
});

test('chunksOf lets the body go when its reader stops', async () => {
  let cancelled = false;
  const body = new ReadableStream({
    start: (c) => c.enqueue(new TextEncoder().encode('{"a":1}\n')),
    cancel: () => { cancelled = true; },
  });
  for await (const v of readLines(chunksOf(body))) {
    assert.deepEqual(v, { a: 1 });
    break;
  }
  await new Promise((r) => setImmediate(r));
  assert.equal(cancelled, true);
});
