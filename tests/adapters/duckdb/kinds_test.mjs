// kinds_test.mjs EXTENSION FOLDER PAGE: filters of other programs, of every kind of keys, asked
// about keys of every type, as the page says; and what the extension writes about its own.
import assert from 'node:assert/strict';
import { db, one, refused, rows, test } from './support.mjs';
import { kindsTable } from './kinds_table.mjs';

const [folder, page] = process.argv.slice(3);
const table = kindsTable(page);

// What the filters in the folder hold, as types of DuckDB have it.
const values = {
  integers: ['5::TINYINT', '-3::BIGINT', '0::HUGEINT', 'false'],
  floats: ['5::FLOAT', '-3::DOUBLE', "'-0.0'::DOUBLE", '5.00::DECIMAL(9,2)'],
  bytes: ["'a'", "'é'", "''", "'a'::BLOB", "'é'::ENUM('a', 'é')"],
  days: ["DATE '2020-01-01'", "DATE '1969-12-31'"],
  seconds: ["'2020-01-01'::TIMESTAMP_S"],
  milliseconds: ["'2020-01-01'::TIMESTAMP_MS"],
  microseconds: ["'2020-01-01'::TIMESTAMP", "'2020-01-01 00:00:00+00'::TIMESTAMPTZ"],
  nanoseconds: ["'2020-01-01'::TIMESTAMP_NS"],
  durations: ["TIME '00:00:05'", "TIME '00:00:00'"],
  other: ["'101'::BIT"],
};

await test('filters of other programs are asked as the page says', async () => {
  assert.equal(Object.keys(table).length, 11);
  for (const [kind, answers] of Object.entries(table)) {
    const filter = `(SELECT content FROM read_blob('${folder}/${kind}.filter'))`;
    for (const [about, keys] of Object.entries(values)) for (const key of keys) {
      // `other` is that of another program.
      if (answers.includes(about) && about !== 'other')
        assert.equal(await one(`SELECT bloom_contains(${filter}, ${key})`), true,
          `${kind} asked with ${key}`);
      else await refused(`SELECT bloom_contains(${filter}, ${key})`, 'is probed with');
    }
    await refused(`SELECT bloom_contains(${filter}, 5, 'a')`, 'is probed with');
  }
});

await test('floats of other programs are compared as = does', async () => {
  const filter = `(SELECT content FROM read_blob('${folder}/floats.filter'))`;
  assert.equal(await one(`SELECT bloom_contains(${filter}, 9007199254740993)`), true);
  assert.equal(await one(`SELECT bloom_contains(${filter}, 6)`), false);
});

await test('a filter says what its keys are, in the words of the page', async () => {
  const kinds = ['unknown', 'integers', 'bytes', 'floats', 'days', 'seconds', 'milliseconds',
    'microseconds', 'nanoseconds', 'durations', 'rows', 'other'];
  const written = { ...values, integers: [...values.integers, '5::UHUGEINT'],
    bytes: [...values.bytes, "'00000000-0000-0000-0000-000000000001'::UUID"] };
  for (const [kind, keys] of Object.entries(written)) for (const key of keys) {
    const is = (await rows(`SELECT hex(bloom_filter(${key}))[31:32]`))[0][0];
    const instant = ['days', 'seconds', 'milliseconds', 'nanoseconds'].includes(kind);
    assert.equal(kinds[parseInt(is, 16)], instant ? 'microseconds' : kind, key);
  }
  assert.equal(kinds[parseInt((await rows(`SELECT hex(bloom_filter((5, 'a')))[31:32]`))[0][0], 16)],
    'other');
});

await test('a UUID is its 16 bytes', async () => {
  const uuid = "'01234567-89ab-cdef-fedc-ba9876543210'::UUID";
  assert.equal(await one(`SELECT bloom_contains(bloom_filter(${uuid}, 30), ${uuid})`), true);
  assert.equal(await one(`SELECT bloom_contains(content, ${uuid})
    FROM read_blob('${folder}/uuid.filter')`), true);
});
