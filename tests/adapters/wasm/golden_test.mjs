// golden_test.mjs FOLDER: the filters of tests/golden, on every instruction set of the module. They
// are loaded, asked and saved, and built anew: the same bytes, the same answers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Filter, isas } from 'simdbloom';
import { randomKeys, rowsOf } from './support.mjs';

const folder = process.argv[2];
// As in tests/persist/golden_test.cpp.
const madeFor = 100, strangers = 65536, seed = 0x0123456789ABCDEFn;
const keys = randomKeys(100), stranger = randomKeys(strangers, 1000000);
const words = Array.from({ length: 28 }, (_, i) => `key ${i}`);

function ask(filter, row) {
  assert.equal(filter.spec, row.spec);
  assert.equal(filter.describe().seed, seed);
  assert.equal(filter.count(keys), keys.length);
  assert.equal(filter.count(words), words.length);
  const found = [...filter.select(stranger)];
  assert.equal(found.length, row.falsePositives);
  assert.deepEqual(found.slice(0, row.first.length), row.first);
  assert.deepEqual(rowsOf(filter.bitmap(stranger), strangers), found);
  assert.equal(filter.count(stranger), found.length);
  // A few at a time go key by key in the library.
  for (let i = 0; i < 400; ++i)
    assert.equal(filter.contains(stranger[i]), found.includes(i), `${row.spec}: stranger ${i}`);
}

function bitsPerKey(saved) {
  const filter = Filter.load(saved);
  const { bytes } = filter.describe();
  filter.free();
  return 8 * bytes / madeFor;
}

let files = 0;
for (const line of readFileSync(`${folder}/manifest.txt`, 'utf8').split('\n')) {
  if (line === '' || line.startsWith('#')) continue;
  const [spec, , falsePositives, ...first] = line.split(' ');
  const row = { spec, falsePositives: +falsePositives, first: first.map(Number) };
  const name = spec.replace(/[^A-Za-z0-9]/g, '_');
  const saved = new Uint8Array(readFileSync(`${folder}/${name}.filter`));
  ++files;
  for (const isa of isas) {
    const loaded = Filter.load(saved, { isa });
    assert.equal(loaded.describe().isa, isa);
    ask(loaded, row);
    assert.deepEqual(loaded.save(), saved);
    loaded.free();

    const made = Filter.make(spec, madeFor, bitsPerKey(saved), { isa, seed });
    made.insert(keys);
    made.insert(words);
    assert.deepEqual(made.save(), saved, `${spec} built on ${isa}`);
    made.free();
  }
}
assert.ok(files >= 45 && isas.includes('scalar') && isas.includes('simd128'));
console.log(`${files} files on ${isas.join(' and ')}`);
