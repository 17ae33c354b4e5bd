import assert from 'node:assert/strict';
import { test } from 'node:test';

import { takeToken } from '../static/token.mjs';
import { rowsOf, visible } from '../static/visible.mjs';

/** @param {string} hash @param {string | null} [kept] */
function load(hash, kept = null) {
  /** @type {string[]} */
  const done = [];
  const token = takeToken(
    { hash, pathname: '/', search: '' },
    { getItem: () => kept, setItem: (k, v) => { done.push(`keep ${k} ${v}`); } },
    { replaceState: (_s, _t, url) => { done.push(`show ${url}`); } },
  );
  return { token, done };
}

test('the token leaves the address and stays in the tab', () => {
  assert.deepEqual(load('#token=abc'), { token: 'abc', done: ['keep strata.token abc', 'show /'] });
  assert.deepEqual(load('#token=new', 'old'), { token: 'new', done: ['keep strata.token new', 'show /'] });
  assert.deepEqual(load('', 'old'), { token: 'old', done: [] });
  assert.deepEqual(load('#other=1'), { token: '', done: [] });
  assert.deepEqual(load('#token='), { token: '', done: [] });
});

test('what cannot be seen is written out', () => {
  assert.equal(visible('ls -l\n\tok é 漢 🦊'), 'ls -l\n\tok é 漢 🦊');
  assert.equal(visible('rm \u202efr-\u202c x\r\u001b[2K\u200b\u0000\u{e0041}'), 'rm \\u{202e}fr-\\u{202c} x\\u{d}\\u{1b}[2K\\u{200b}\\u{0}\\u{e0041}');
});

test('every argument is a row', () => {
  assert.deepEqual(rowsOf('{"command":"ls\\nrm x","timeout":5,"opts":{"a":[1]},"n":null}'), [
    { name: 'timeout', text: '5' }, { name: 'n', text: 'null' },
    { name: 'command', text: 'ls\nrm x' }, { name: 'opts', text: '{\n  "a": [\n    1\n  ]\n}' },
  ]);
  assert.deepEqual(rowsOf('["a"]'), [{ name: '', text: '[\n  "a"\n]' }]);
  assert.deepEqual(rowsOf('not json\u202e'), [{ name: '', text: 'not json\\u{202e}' }]);
  assert.deepEqual(rowsOf('{"a\u200b":"b"}'), [{ name: 'a\\u{200b}', text: 'b' }]);
});
