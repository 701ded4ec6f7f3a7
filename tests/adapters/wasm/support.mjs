// What the tests of the npm package share.
import assert from 'node:assert/strict';

const WORD = 2n ** 64n - 1n;

/** Key i of tests/support/support.hpp. */
export function randomKey(i) {
  let x = (BigInt(i) + 1n) * 0x9E3779B97F4A7C15n & WORD;
  x = (x ^ x >> 30n) * 0xBF58476D1CE4E5B9n & WORD;
  x = (x ^ x >> 27n) * 0x94D049BB133111EBn & WORD;
  return x ^ x >> 31n;
}
export const randomKeys = (n, first = 0) =>
  BigUint64Array.from({ length: n }, (_, i) => randomKey(first + i));

/** The numbers of the bits that are set. */
export function rowsOf(bitmap, n) {
  const rows = [];
  for (let i = 0; i < n; ++i) if (bitmap[i >> 3] >> (i & 7) & 1) rows.push(i);
  return rows;
}

export function expectError(work, type, words) {
  assert.throws(work, (e) => {
    assert.ok(e instanceof type, `${e} is not a ${type.name}`);
    assert.match(e.message, words);
    return true;
  }, `no error with ${words}`);
}
