// memory_test.mjs EXTENSION: what the extension holds has a limit, is said, and is given back.
import assert from 'node:assert/strict';
import { db, one, refused, rows, test } from './support.mjs';

const held = async () => (await rows('SELECT unnest(bloom_memory())'))[0];

await test('the limit of 1 GiB is said and can be set', async () => {
  assert.deepEqual(await held(), [0n, 0n, 1n << 30n]);
  await one(`SELECT bloom_memory(${1 << 20})`);
  assert.deepEqual(await held(), [0n, 0n, 1n << 20n]);
  assert.equal(await one('SELECT bloom_memory(NULL)'), null);
});

await test('a limit may stand in any row', async () => {
  for (const row of [0, 1, 63, 64, 65, 127, 128, 129, 2047]) {
    const limit = (1 << 20) + row;
    assert.equal(await one(`SELECT count(m) FROM (SELECT
      bloom_memory(CASE WHEN i = ${row} THEN ${limit}::UBIGINT END) AS m FROM range(2048) t(i))`),
    1n);
    assert.equal((await held())[2], BigInt(limit));
  }
  await one(`SELECT bloom_memory(${1 << 20})`);
});

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

await test('aggregates beyond the limit are errors that name it', async () => {
  for (const sql of ['bloom_filter(i) FROM range(1000000) t(i)',
    'bloom_filter(i, 100000) FROM range(200) t(i)',
    'sum(octet_length(f)) FROM (SELECT bloom_filter(i) AS f FROM range(100000) t(i) GROUP BY i)',
    'bloom_filter(i ORDER BY -i) FROM range(1000000) t(i)',
    'max(f) FROM (SELECT bloom_filter(i) OVER () AS f FROM range(1000000) t(i))'])
    await refused(`SELECT ${sql}`, 'limit of 1048576 bytes of memory; bloom_memory(bytes) sets');
  await refused('SELECT bloom_filter(i, 1e12) FROM range(9) t(i)', 'more than a BLOB can hold');
});

await test('an aggregate with ORDER BY that fails in the middle holds no key', async () => {
  const [before] = await held();
  for (let n = 0; n < 3; ++n)
    await refused(`SELECT bloom_filter(i, CASE WHEN i < 20000 THEN 12 ELSE 13 END ORDER BY i)
      FROM range(25000) t(i)`, 'in one group');
  const [after] = await held();
  assert.ok(after <= before + 3000n, `${after - before} bytes after it`);
});

await test('after queries of all kinds no key is held', async () => {
  const [before] = await held();
  await one(`SELECT bloom_memory(${1 << 30})`);
  const t = 'FROM (SELECT i, i % 10 AS g FROM range(6000) t(i))';
  const over = 'ORDER BY i ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING';
  for (const select of [`bloom_filter(i) AS f ${t}`, `g, bloom_filter(i) AS f ${t} GROUP BY g`,
    `i, bloom_filter(i) AS f ${t} GROUP BY i`, `bloom_filter(DISTINCT g) AS f ${t}`,
    `bloom_filter(i ORDER BY g) AS f ${t}`, `bloom_filter(i) OVER (PARTITION BY i // 10) AS f ${t}`,
    `bloom_filter(i) OVER (${over}) AS f ${t}`,
    `bloom_filter(DISTINCT g) OVER (${over}) AS f ${t}`,
    `bloom_filter(i ORDER BY g) OVER (${over}) AS f ${t}`]) {
    assert.ok(await one(`SELECT sum(octet_length(f)) FROM (SELECT ${select})`) > 0);
    const [after] = await held();
    assert.ok(after <= before + 1000n, `${after - before} bytes after ${select}`);
  }
});

await test('EXCLUDE, whose states DuckDB never ends, holds those of the last vectors', async () => {
  for (let n = 0; n < 5; ++n)
    await one(`SELECT sum(octet_length(f)) FROM (SELECT bloom_filter(i) OVER (ORDER BY i
      ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING EXCLUDE GROUP) AS f FROM range(20000) t(i))`);
  // Of each query and thread one vector of 2,048; of all rows they would be 25 MB.
  assert.ok((await held())[0] < 10 << 20, `${(await held())[0]} bytes`);
});

await test('states that DuckDB never ends give way', async () => {
  // LIMIT stops the scan of the groups: DuckDB ends the states of those it has shown.
  const stopped = 'SELECT bloom_filter(i) FROM range(20000) t(i) GROUP BY i LIMIT 1';
  const [before] = await held();
  await rows(stopped);
  const [leaked] = await held();
  assert.ok(leaked > before + 1000000n, 'DuckDB ends them now: this test can go');
  await rows(stopped);
  await rows(stopped);
  await one(`SELECT bloom_memory(${16 << 20}, 1.5)`); // of which half is taken now
  await pause(1600);
  await rows(stopped);
  const [after] = await held();
  assert.ok(after < 9n << 20n, `${after} bytes`);
  await refused('SELECT bloom_memory(1, -1)', 'seconds');
  await one(`SELECT bloom_memory(${1 << 30}, 60)`);
});

await test('so many references in one query as fit', async () => {
  const many = Array.from({ length: 80 }, (_, j) =>
    `bloom_contains((SELECT bloom_ref(bloom_filter(x)) FROM range(${j}, ${j} + 2) u(x)), i)`);
  assert.equal(await one(`SELECT count(*) FROM range(100) t(i) WHERE ${many.join(' OR ')}`), 81n);
});

await test('filters are kept up to a quarter of the limit, or one that is larger', async () => {
  const make = (keys, n) => one(`SELECT sum((bloom_info(f)).keys)::BIGINT FROM
    (SELECT bloom_filter(i * ${n} + g, 16) AS f FROM range(${keys}) t(i), range(${n}) u(g)
     GROUP BY g)`);
  await make(2000, 1000); // 4 MB of filters
  await one(`SELECT bloom_memory(${4 << 20})`);
  const [, kept] = await held();
  assert.ok(kept > 1 << 19 && kept <= 1 << 20, `${kept} bytes are kept`);
  await one(`SELECT bloom_memory(${1 << 26})`);
  await db.run('CREATE TABLE saved AS SELECT bloom_filter(i, 16) AS f FROM range(1000000) t(i)');
  await one(`SELECT bloom_memory(${4 << 20})`);
  const passing = 'SELECT count(*) FROM range(5000) t(i), saved WHERE bloom_contains(f, i)';
  assert.equal(await one(passing), 5000n);
  assert.ok((await held())[1] < 2100000n);
  await one('SELECT bloom_memory(0)');
  await make(10, 2).catch(() => {});
  await one('SELECT bloom_info(f) FROM saved');
  await one('SELECT bloom_memory(1)');
  await refused('SELECT bloom_filter(1)', 'limit of 1 bytes of memory');
});
