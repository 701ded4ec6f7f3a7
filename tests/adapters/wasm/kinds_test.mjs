// kinds_test.mjs FOLDER PAGE: filters of every kind of keys, asked about numbers and text.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Filter, SimdbloomError } from 'simdbloom';
import { kindsTable } from './kinds_table.mjs';
import { expectError } from './support.mjs';

const [, , folder, page] = process.argv;
const asked = {
  integers: [[5, -3, 0], [5n, -3n, 0n], Int32Array.of(5, -3, 0), BigInt64Array.of(5n, -3n, 0n)],
  bytes: [['a', 'é', ''], [new Uint8Array([0x61]), new Uint8Array([0xC3, 0xA9]), '']],
};
const table = kindsTable(page);
assert.equal(Object.keys(table).length, 11);
for (const [kind, answers] of Object.entries(table)) {
  const filter = Filter.load(new Uint8Array(readFileSync(`${folder}/${kind}.filter`)));
  assert.equal(filter.describe().keyKind, kind);
  for (const [about, forms] of Object.entries(asked))
    for (const keys of forms) {
      if (answers.includes(about)) {
        assert.equal(filter.count(keys), 3, `${kind} asked about ${about}`);
        assert.deepEqual([...filter.select(keys)], [0, 1, 2]);
        assert.deepEqual([...filter.bitmap(keys)], [0b111]);
        assert.ok(filter.contains(keys[0]) && filter.touched(keys[0]).length > 0);
        continue;
      }
      for (const call of [() => filter.count(keys), () => filter.select(keys),
        () => filter.bitmap(keys), () => filter.contains(keys[0]), () => filter.touched(keys[0])])
        expectError(call, SimdbloomError, /a filter of .* cannot be probed with /);
    }
  assert.equal(filter.count([]), 0);
}

// The first keys say what all are; numbers and text together are unknown.
const filter = Filter.make('split256', 100, 30);
filter.insert([]);
assert.equal(filter.describe().keyKind, 'unknown');
filter.insert([5]);
assert.equal(filter.describe().keyKind, 'integers');
expectError(() => filter.contains('5'), SimdbloomError, /of integers cannot be probed with text/);
assert.equal(Filter.load(filter.save()).describe().keyKind, 'integers');
filter.insert('5');
assert.equal(filter.describe().keyKind, 'unknown');
assert.ok(filter.contains('5') && filter.contains(5));
const days = Filter.load(new Uint8Array(readFileSync(`${folder}/days.filter`)));
expectError(() => days.insert(5), SimdbloomError,
  /dates and integers cannot be keys of one filter/);
console.log(`${Object.keys(table).length} kinds of filters asked about ${Object.keys(asked)}`);
