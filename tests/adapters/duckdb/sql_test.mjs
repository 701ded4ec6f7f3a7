// sql_test.mjs EXTENSION PARQUET_FILE: the extension in a DuckDB as it comes from npm, through real
// SQL; writes a Parquet file for the test of the program.
import assert from 'node:assert/strict';
import { db, instance, one, refused, rows, test } from './support.mjs';

const [parquetFile] = process.argv.slice(3);

await db.run(`CREATE TABLE fact AS SELECT i AS id, (i * 7919) % 100000 AS k
              FROM range(300000) t(i)`);
await db.run(`CREATE TABLE dim AS SELECT i * 10 AS k FROM range(2000) t(i)`);
/// Whether a key is among those of dim, by a filter of them.
const found = (filter, key = 'k') => `bloom_contains((SELECT ${filter} FROM dim), ${key})`;
const countOfFact = (condition) => `SELECT count(*) FROM fact WHERE ${condition}`;

await test('no row of a join is lost, and few others pass', async () => {
  const joined = await one('SELECT count(*) FROM fact JOIN dim USING (k)');
  assert.equal(await one(`SELECT count(*) FROM fact JOIN dim USING (k)
    WHERE ${found('bloom_filter(k)', 'fact.k')}`), joined);
  const passing = await one(countOfFact(found('bloom_filter(k, 16)')));
  assert.ok(passing >= joined && Number(passing - joined) < 0.005 * 300000,
    `${passing} of 300000 pass, ${joined} join`);
});

await test('NULLs are not in a filter and are not answered', async () => {
  assert.deepEqual(
    await rows(`SELECT ${found('bloom_filter(k)', 'x')} FROM (VALUES (0), (NULL), (10)) t(x)`),
    [[true], [null], [true]]);
  assert.deepEqual(await rows('SELECT bloom_contains(NULL, 5)'), [[null]]);
  const keysOf = (x, from) => one(`SELECT (bloom_info(bloom_filter(${x}))).keys FROM ${from}`);
  assert.equal(await keysOf('x', '(VALUES (1), (NULL), (1), (2)) t(x)'), 2n); // distinct ones
  // Many: exact where all differ, within 1 % where rows repeat, the same however threads divide
  // them.
  assert.equal(await keysOf('i', 'range(300000) t(i)'), 300000n);
  const repeated = Number(await keysOf('i % 50000', 'range(1000000) t(i)'));
  assert.ok(Math.abs(repeated - 50000) < 500, `${repeated} keys in place of 50000`);
  await db.run('SET threads = 1');
  assert.equal(Number(await keysOf('i % 50000', 'range(1000000) t(i)')), repeated);
  await db.run('SET threads = 2');
  const evenOnes = 'bloom_filter(CASE WHEN i % 2 = 0 THEN i::VARCHAR END, 24)';
  assert.equal(await one(`SELECT count(*) FILTER (
      bloom_contains((SELECT ${evenOnes} FROM range(10000) t(i)), x::VARCHAR))
    FROM range(0, 10000, 2) u(x)`), 5000n);
});

await test('NULLs are NULLs in every row of a vector', async () => {
  const all = 'range(2048) t(i)', whole = `(SELECT bloom_filter(i) AS f FROM ${all})`;
  // Each row alone, and rows without a pattern.
  const some = [0, 1, 62, 63, 64, 65, 127, 128, 129, 191, 192, 2047].map((row) => `i = ${row}`);
  for (const is of [...some, 'hash(i) % 3 = 0']) {
    const expected = await one(`SELECT count(*) FILTER (${is}) FROM ${all}`);
    for (const answer of ['bloom_contains(g, i)', `bloom_contains(${whole}, x)`,
      '(bloom_info(g)).keys > 0', 'octet_length(bloom_ref(g)) > 0'])
      assert.deepEqual(await rows(`
        SELECT count(a), count(*) FILTER (a), count(*) FILTER (a IS NULL AND ${is})
        FROM (SELECT i, ${answer} AS a
              FROM (SELECT i, CASE WHEN ${is} THEN i END AS x, CASE WHEN ${is} THEN f END AS g
                    FROM ${all}, ${whole}))`),
      [[expected, expected, 0n]], `${answer} where ${is}`);
    // The size may stand in any row.
    const bits = await one(`SELECT (bloom_info(f)).bits_per_key
      FROM (SELECT bloom_filter(i, CASE WHEN ${is} THEN 20 END) AS f FROM ${all})`);
    assert.ok(Math.abs(bits - 20) < 0.1, `${bits} bits a key, of 20 where ${is}`);
  }
});

await test('an empty table has a filter in which nothing is found', async () => {
  const empty = '(SELECT bloom_filter(k) FROM dim WHERE k < 0)';
  assert.equal(await one(`SELECT bloom_contains(${empty}, 5)`), false);
  assert.equal(await one(countOfFact(`NOT bloom_contains(${empty}, k)`)), 300000n);
  assert.equal(await one(`SELECT count(*) FROM (SELECT * FROM fact WHERE false)
    WHERE ${found('bloom_filter(k)')}`), 0n);
});

await test('a filter a group, and a column of filters', async () => {
  await db.run(`CREATE OR REPLACE TABLE groups AS
    SELECT k % 7 AS g, bloom_filter(id, 20) AS f, count(*) AS n FROM fact GROUP BY g`);
  assert.equal(await one(`SELECT count(*) FROM fact JOIN groups ON fact.k % 7 = g
    WHERE NOT bloom_contains(f, id)`), 0n);
  const others = await one(`SELECT count(*) FROM fact JOIN groups ON (fact.k + 1) % 7 = g
    WHERE bloom_contains(f, id)`);
  assert.ok(others < 300n, `${others} of 300000`);
  assert.equal(await one('SELECT sum((bloom_info(f)).keys)::BIGINT FROM groups'), 300000n);
  assert.equal(await one('SELECT bool_and((bloom_info(f)).keys = n) FROM groups'), true);
});

await test('bloom_info', async () => {
  const [[info]] = await rows('SELECT bloom_info(bloom_filter(k, 12)) FROM dim');
  const { spec, bytes, keys, bits_per_key, expected_fpr, estimated_fpr } = info.entries;
  assert.equal(spec, 'split256');
  assert.equal(keys, 2000n);
  assert.equal(bytes, 3008n);
  assert.ok(Math.abs(bits_per_key - 12.032) < 1e-9);
  assert.ok(expected_fpr > 0.004 && expected_fpr < 0.007, `${expected_fpr}`);
  assert.ok(estimated_fpr > 0.003 && estimated_fpr < 0.008, `${estimated_fpr}`);
  // 12 bits a key are what nobody asks for, whether keys are counted or estimated.
  for (const [n, bytes] of [[2000, 3008n], [100000, 150016n]])
    assert.deepEqual(await rows(`SELECT (bloom_info(f)).bytes, (bloom_info(g)).bytes
      FROM (SELECT bloom_filter(i) AS f, bloom_filter(i, 12) AS g FROM range(${n}) t(i))`),
    [[bytes, bytes]]);
  assert.deepEqual(await rows('SELECT bloom_info(NULL::BLOB)'), [[null]]);
  // What stands in the members of a NULL would be memory of other rows.
  const members = ['spec', 'bytes', 'keys', 'bits_per_key', 'expected_fpr', 'estimated_fpr'];
  const nulls = members.map((m) => `count((bloom_info(f)).${m})`).join(', ');
  assert.deepEqual(await rows(`SELECT ${nulls} FROM (SELECT CASE WHEN i = 7 THEN f END AS f
    FROM range(20481) t(i), (SELECT bloom_filter(k) AS f FROM dim))`), [members.map(() => 1n)]);
});

await test('a reference answers as its filter, while that is kept', async () => {
  const with_ = (f) => `SELECT count(*), sum(k) FROM fact
    WHERE bloom_contains((SELECT ${f} FROM (SELECT bloom_filter(k, 9) AS f FROM dim)), k)`;
  assert.deepEqual(await rows(with_('bloom_ref(f)')), await rows(with_('f')));
  assert.equal(await one('SELECT octet_length(bloom_ref(bloom_filter(k, 9))) FROM dim'), 16n);
  const twice = 'bloom_ref(bloom_ref(bloom_filter(k, 9)))';
  assert.equal(await one(`SELECT (bloom_info(${twice})).keys FROM dim`), 2000n);
  assert.equal(await one('SELECT bloom_ref(NULL::BLOB)'), null);
  await db.run('CREATE TABLE saved AS SELECT bloom_filter(k + 1) AS f FROM dim');
  await db.run(`CREATE OR REPLACE TABLE reference AS
    SELECT bloom_ref(bloom_filter(k, 9)) AS r FROM dim`);
  // Another filter takes its place where there is room for one alone.
  await one('SELECT bloom_memory(1000)');
  await one('SELECT bloom_info(f) FROM saved');
  await refused('SELECT bloom_contains(r, 5) FROM reference', 'no longer cached');
  await one(`SELECT bloom_memory(${1 << 30})`);
});

await test('sizes that mean nothing are errors', async () => {
  for (const bits of ['0', '-3', "'inf'::DOUBLE", 'k + 1'])
    await refused(`SELECT bloom_filter(k, ${bits}) FROM dim`, 'bits_per_key');
  await refused('SELECT bloom_filter([k]) FROM dim', 'bloom_filter');
});

await test('filters outlive the connection in a table, and in a file', async () => {
  await db.run(`CREATE OR REPLACE TABLE saved AS SELECT bloom_filter(k) AS f FROM dim`);
  const other = await instance.connect();
  const [[n]] = await rows('SELECT count(*) FROM dim, saved WHERE bloom_contains(f, k)', other);
  assert.equal(n, 2000n);
});

await test('two connections at once', async () => {
  const connections = await Promise.all([instance.connect(), instance.connect()]);
  const asked = [0, 1, 2].map((d) => countOfFact(found(`bloom_filter(k + ${d}, 16)`)));
  const counts = await Promise.all(connections.flatMap((c) => asked.map((sql) => rows(sql, c))));
  const alone = [];
  for (const sql of asked) alone.push(await rows(sql));
  assert.deepEqual(counts, [...alone, ...alone]);
});

// Four row groups of 160 words and numbers each, 64 rows a word, which DuckDB keeps in
// dictionaries: those have Bloom filters.
await db.run(`COPY (SELECT 'word' || (i // 64) AS word, (i // 64)::BIGINT AS number, i AS id
                    FROM range(40960) t(i))
              TO '${parquetFile}' (FORMAT parquet, ROW_GROUP_SIZE 10240)`);
