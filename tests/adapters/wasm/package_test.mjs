// package_test.mjs GOLDEN: the npm package as its users see it: each function of index.d.ts,
// what is refused, and memory.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as simdbloom from 'simdbloom';
import { expectError, randomKeys, rowsOf } from './support.mjs';

const { Filter, FilterTimes, SimdbloomError, advise, bitsForFpr, expectedFpr, isas, layout,
  measure } = simdbloom;
const golden = process.argv[2];

// All kinds of batches hold the same keys.
const numbers = [0, 1, 5, 4294967295], n = numbers.length;
const filter = Filter.make('split256', 1000, 12);
filter.insert(numbers);
for (const batch of [numbers, numbers.map(BigInt), Uint32Array.from(numbers),
  BigUint64Array.from(numbers.map(BigInt)), BigInt64Array.from(numbers.map(BigInt))]) {
  assert.equal(filter.count(batch), n);
  assert.deepEqual([...filter.bitmap(batch)], [0b1111]);
  assert.deepEqual([...filter.select(batch)], [0, 1, 2, 3]);
}
filter.insert(-7);
assert.equal(filter.count(Int32Array.of(-7)), 1);
assert.equal(filter.count(BigInt64Array.of(-7n)), 1);
assert.ok(filter.contains(2n ** 64n - 7n));
filter.insert('a word');
filter.insert(['ä', new Uint8Array([1, 2, 3]), '']);
for (const key of ['a word', 'ä', new Uint8Array([0xC3, 0xA4]), '\x01\x02\x03', ''])
  assert.ok(filter.contains(key), String(key));
assert.ok(!filter.contains('another word'));
for (const nothing of [[], new BigUint64Array(0)]) {
  assert.equal(filter.count(nothing), 0);
  assert.equal(filter.bitmap(nothing).length, 0);
  assert.equal(filter.select(nothing).length, 0);
  filter.insert(nothing);
}
// A part of an array is that part.
assert.equal(filter.count(new Uint32Array([9, 0, 1, 9]).subarray(1, 3)), 2);

// Batches of each length around a chunk, in each kind of answer.
const keys = randomKeys(300), asked = randomKeys(600);
for (const isa of isas) {
  const f = Filter.make('sector512', 300, 10, { isa });
  f.insert(keys);
  for (const size of [1, 2, 7, 63, 64, 65, 129, 600]) {
    const part = asked.subarray(0, size), found = [...f.select(part)];
    assert.deepEqual(found.slice(0, Math.min(size, 300)),
      Array.from({ length: Math.min(size, 300) }, (_, i) => i));
    assert.deepEqual(rowsOf(f.bitmap(part), size), found);
    assert.equal(f.count(part), found.length);
  }
}

// One key is the key of a batch, for numbers and strings of every length and alphabet.
const everyKey = [0, -0, -1, 2 ** 31, 2 ** 32, -(2 ** 32) - 1, 2 ** 53 - 1, -(2 ** 53) + 1,
  2n ** 63n, -(2n ** 63n), 2n ** 64n - 1n];
const everyString = ['\x7F', '\x80', '\u07FF', '\u0800', '\uD7FF', '\uE000', '\uFFFF', '\u{10FFFF}',
  '\uD800', '\uDC00', 'a\uD83D', '\uDE00b', ...[47, 48, 49, 1023, 1024, 1025, 9999].flatMap((n) =>
    ['a', 'é', '漢', '😀'].map((unit) => unit.repeat(n)))];
for (const batch of [everyKey, everyString]) {
  const one = Filter.make('cuckoo16', 1000, 18), all = Filter.make('cuckoo16', 1000, 18);
  for (const key of batch) one.insert(key);
  all.insert(batch);
  assert.deepEqual(one.save(), all.save());
  assert.ok(batch.every((key) => one.contains(key)));
  assert.deepEqual([...one.select(batch)], batch.map((_, i) => i));
  for (const key of batch) assert.equal(one.erase(key), 1);
  assert.equal(all.erase(batch), batch.length);
  assert.deepEqual(one.save(), all.save());
  assert.ok(!batch.some((key) => one.contains(key)) && one.erase(batch[0]) === 0);
}
const bytesOfStrings = Filter.make('split256', 1000, 30);
bytesOfStrings.insert(everyString);
assert.equal(bytesOfStrings.count(everyString.map((s) => new TextEncoder().encode(s))),
  everyString.length);
// Strings are encoded together: each has the bytes that it has alone, whatever stands before and
// after it, also where one ends with the first half of a pair and the next begins with the second.
const units = ['x', 'é', '漢', '😀', '\uD83D', '\uDE00'];
for (let round = 0; round < 200; ++round) {
  const texts = Array.from({ length: 300 }, (_, i) => Array.from({ length: (i * i + round) % 23 },
    (_, j) => units[((i * 7 + j * 5 + round) * (i + j + 3) >> 2) % (1 + round % 7)] ?? i).join(''));
  const one = Filter.make('split256', 300, 30), all = Filter.make('split256', 300, 30);
  for (const text of texts) one.insert(new TextEncoder().encode(text));
  all.insert(texts);
  assert.deepEqual(one.save(), all.save());
}
const mixed = ['x', new Uint8Array([1, 2]), 'é', 'y'.repeat(5000)];
bytesOfStrings.insert(mixed);
assert.ok(mixed.every((key) => bytesOfStrings.contains(key)));
// Memory that grows leaves earlier views of it empty.
const early = Filter.make('cuckoo16', 10, 18);
early.insert('é');
Filter.make('split256', 5e7, 16).free();
assert.ok(early.contains('é') && !early.contains('è'));
const words = Filter.make('split256', 1000, 30);
for (const iterable of [new Set(['a', 'é']), (function* () { yield 'a'; yield 'é'; })(),
  new Map([['a', 1], ['é', 2]]).keys()]) {
  words.insert(iterable);
  assert.equal(words.count(['a', 'é']), 2);
  words.clear();
  assert.deepEqual([words.count(['a', 'é']), words.describe().keyKind], [0, 'unknown']);
}
assert.deepEqual([...words.select(new Set())], []);
words.insert(new Set([1, 2n]));
assert.deepEqual([words.count([1, 2]), words.describe().keyKind], [2, 'integers']);
expectError(() => words.erase(1), SimdbloomError, /split256 cannot erase/);
expectError(() => words.erase([1]), SimdbloomError, /split256 cannot erase/);

// The union is a third filter.
const [few, others, none] = [[1, 2], [3, 4], []].map((some) => {
  const f = Filter.make('split256', 100, 30);
  f.insert(some);
  return f;
});
const united = few.union(others);
assert.deepEqual([united, few, others].map((f) => [...f.select([1, 2, 3, 4])]),
  [[0, 1, 2, 3], [0, 1], [2, 3]]);
for (const same of [few.union(none), none.union(few)]) assert.deepEqual(same.save(), few.save());
none.union(none).insert('text');
expectError(() => few.union(words), SimdbloomError, /different numbers of blocks/);
expectError(() => few.union(new Set([1])), TypeError, /is not a Filter/);
const tables = Filter.make('cuckoo16', 100, 18);
expectError(() => tables.union(tables), SimdbloomError, /cannot be united/);

// Models and descriptions.
const about = Filter.make('blocked512', 1e6, 12).describe();
assert.equal(about.spec, 'blocked512:k=8');
assert.equal(about.expectedFpr, expectedFpr('blocked512', 1e6, 12));
assert.equal(about.estimatedFpr, 0);
assert.ok(Math.abs(about.bitsPerKey - 12) < 0.01 && about.blocks * 64 === about.bytes);
const bits = bitsForFpr('split256', 1e6, 0.01);
assert.ok(expectedFpr('split256', 1e6, bits) <= 0.01);
assert.ok(expectedFpr('split256', 1e6, bits - 0.01) > 0.01);
assert.ok(Filter.forFpr('split256', 1e6, 0.01).describe().expectedFpr <= 0.01);
assert.deepEqual(layout('zoned512:z=2', 1000, 10), { spec: 'zoned512:z=2,k=6', name: 'zoned512',
  blockBits: 512, k: 6, cellBits: 1, anywhere: false, fingerprintBits: 0, cells: 0, zones: 2,
  wordsPerZone: 4, wordBits: 64 });
assert.equal(layout('cuckoo12', 1000, 14).fingerprintBits, 12);

// touched() names the bits that an insert sets, of every layout of bits and counters.
const specs = readFileSync(`${golden}/manifest.txt`, 'utf8').match(/^\w\S*/gm);
for (const spec of specs) {
  const { blockBits, cellBits, fingerprintBits } = layout(spec, 500, 48);
  if (fingerprintBits !== 0) continue;
  for (const key of [123456789n, 'some words']) {
    const f = Filter.make(spec, 500, 12 * cellBits);
    const bitsOf = () => rowsOf(f.save().slice(64, -8), 8 * f.describe().bytes);
    assert.deepEqual(bitsOf(), []);
    f.insert(key);
    const set = new Set(f.touched(key).map(({ block, bit }) => block * blockBits + bit));
    assert.deepEqual([...new Set(bitsOf().map((bit) => bit - bit % cellBits))],
      [...set].sort((a, b) => a - b), spec);
  }
}
assert.equal(Filter.make('cuckoo16', 500, 18).touched(1).length, 2);
assert.equal(Filter.make('dleft16', 500, 26).touched(1).length, 4);

// Advice, from times of this machine.
const times = measure({ keys: 1e6, workNs: 0 });
const advice = advise({ keys: 1e6, workNs: 100 }, times);
assert.ok(advice.ranking.length > 5 && advice.why.includes(advice.ranking[0].spec));
const { spec, bitsPerKey, fpr, bytes, totalNs } = advice.ranking[0];
assert.equal(fpr, expectedFpr(spec, 1e6, bitsPerKey));
assert.ok(bytes > 0 && totalNs < 100 && advice.ranking.at(-1).totalNs >= totalNs);
assert.equal(advice.ranking.find((c) => c.spec === '').totalNs, 100);
assert.equal(advise({ keys: 1e6, workNs: 0 }, times).ranking[0].spec, '');
assert.ok(advise({ keys: 1e6, workNs: 100, erase: true }, times).ranking
  .every((c) => /^(cuckoo|counting|dleft|growing|$)/.test(c.spec)));

// What is refused, and by which words.
for (const [work, words] of [
  [() => Filter.make('split25', 1000, 12), /"split25"/],
  [() => Filter.make('fuse', 1000, 12), /fuse needs all its keys at once: load a saved one/],
  [() => Filter.make('split256', 0, 12), /n_keys=0/],
  [() => Filter.make('split256', 1.5, 12), /n_keys=1\.5/],
  [() => Filter.make('split256', 2 ** 32, 12), /n_keys=4294967296/],
  [() => Filter.make('split256', 1000, -1), /bits_per_key=-1/],
  [() => Filter.make('split256', 4e9, 12), /cannot allocate 6000000000 bytes/],
  [() => Filter.make('split256', 1.43e9, 12), /cannot allocate 2145000000 bytes/],
  [() => Filter.forFpr('split256', 1000, 2), /fpr=2/],
  [() => Filter.make('split256', 10, 12, { isa: 'avx2' }), /"avx2" cannot run on this machine/],
  [() => Filter.make('split256', 10, 12, { isa: 'avx9' }), /"avx9"/],
  [() => Filter.load(new Uint8Array(10)), /10 bytes/],
  [() => Filter.load(new Uint8Array(200)), /are not those of a filter/],
  [() => expectedFpr('split256', 0, 12), /n_keys=0/],
  [() => bitsForFpr('split256', 10, 0), /fpr=0/],
  [() => layout('nothing', 10, 12), /"nothing"/],
  [() => advise({ keys: 0, workNs: 1 }), /n_keys=0/],
  [() => advise({ keys: 1, workNs: -1 }, times), /work_ns=-1/],
  [() => Filter.make('cuckoo16', 100, 18).insert(randomKeys(1000)), /full/],
  [() => { const f = Filter.make('cuckoo16', 1, 18); for (;;) f.insert(7); }, /full/],
]) expectError(work, SimdbloomError, words);
for (const [work, words] of [
  [() => filter.contains(1.5), /1\.5 is not a whole number/],
  [() => filter.contains(2 ** 53), /9007199254740992 is not a whole number/],
  [() => filter.contains(2n ** 64n), /18446744073709551616 is not a whole number/],
  [() => filter.contains(null), /null/],
  [() => filter.contains(undefined), /undefined/],
  [() => filter.contains(['a']), /a is not a whole number/],
  [() => filter.insert(null), /a batch is/],
  [() => filter.insert({}), /a batch is/],
  [() => filter.count('ab'), /a batch is/],
  [() => filter.count([1, 'a']), /a is not a whole number/],
  [() => filter.count(new Uint8Array(1)), /a batch is/],
  [() => filter.count(7), /a batch is/],
  [() => filter.count(['a', 1]), /1 is among strings/],
  [() => filter.count(new Float64Array(1)), /a batch is/],
  [() => Filter.make(7, 1, 1), /7 is not a string/],
  [() => Filter.make('split256', '7', 12), /keys=7 is not a number/],
  [() => Filter.load('text'), /a saved filter is/],
  [() => new Filter(), /Filter\.make/],
  [() => new FilterTimes(), /measure/],
  [() => advise({ keys: 1, workNs: 1 }, 'none'), /not FilterTimes/],
]) expectError(work, TypeError, words);

// The first keys say what all are; numbers and text together are unknown. page_test.mjs asks
// filters of every kind.
const typed = Filter.make('split256', 100, 30);
typed.insert([]);
assert.equal(typed.describe().keyKind, 'unknown');
typed.insert([5]);
assert.equal(typed.describe().keyKind, 'integers');
expectError(() => typed.contains('5'), SimdbloomError, /of integers cannot be probed with text/);
assert.equal(Filter.load(typed.save()).describe().keyKind, 'integers');
typed.insert('5');
assert.equal(typed.describe().keyKind, 'unknown');
assert.ok(typed.contains('5') && typed.contains(5));
const days = Filter.load(new Uint8Array(readFileSync(`${golden}/kinds/days.filter`)));
assert.equal(days.describe().keyKind, 'days');
assert.equal(days.count([]), 0);
for (const call of ['count', 'select', 'bitmap'])
  for (const keys of [[5n], Int32Array.of(5), ['a']])
    expectError(() => days[call](keys), SimdbloomError, /of dates cannot be probed with /);
for (const call of ['contains', 'touched'])
  expectError(() => days[call](5), SimdbloomError, /of dates cannot be probed with integers/);
expectError(() => days.insert(5), SimdbloomError,
  /dates and integers cannot be keys of one filter/);

// A failed call leaves nothing behind that breaks the next one.
assert.equal(filter.count(numbers), n);
const damaged = filter.save();
damaged[100] ^= 1;
expectError(() => Filter.load(damaged), SimdbloomError, /checksum/);
filter.free();
filter.free();
for (const call of ['save', 'describe', 'clear'])
  expectError(() => filter[call](), SimdbloomError, /was freed/);
for (const call of ['contains', 'insert', 'erase', 'count', 'union'])
  expectError(() => filter[call](call === 'union' ? few : call === 'count' ? ['a'] : 'a'),
    SimdbloomError, /was freed/);
expectError(() => few.union(filter), SimdbloomError, /was freed/);
assert.ok(times.noise >= 0);
times.free();
expectError(() => advise({ keys: 1, workNs: 1 }, times), SimdbloomError, /were freed/);
expectError(() => filter.count([1]), SimdbloomError, /was freed/);

// 20 GB of filters and batches, one after the other, in a memory of 2: freed by hand, then by the
// garbage collector.
const megabyte = new BigUint64Array(1 << 17);
for (let i = 0; i < 500; ++i) {
  const f = Filter.make('split256', 1e6, 160);
  f.insert(megabyte);
  assert.equal(f.count(megabyte), megabyte.length);
  f.free();
}
for (let i = 0; i < 500; ++i) {
  Filter.make('split256', 1e6, 160);
  if (i % 20 === 0) {
    globalThis.gc();
    await new Promise((done) => { setTimeout(done, 0); });
  }
}
console.log('the package does what its types say');
