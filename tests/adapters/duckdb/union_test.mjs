// union_test.mjs EXTENSION: unions of filters, and ranges that a filter prunes.
import assert from 'node:assert/strict';
import { db, one, refused, rows, test } from './support.mjs';

await db.run(`CREATE TABLE parts AS SELECT i % 10 AS part, bloom_filter(i, 12, 30000) AS f,
  count(*) AS n FROM range(30000) t(i) GROUP BY part`);

await test('a union is the filter of all keys, in any order, grouped and in windows', async () => {
  const whole = '(SELECT bloom_filter(i, 12, 30000) FROM range(30000) t(i))';
  assert.equal(await one(`SELECT bloom_union(f) = ${whole} FROM parts`), true);
  assert.equal(await one(`SELECT bloom_union(f ORDER BY hash(part)) = ${whole} FROM parts`), true);
  assert.equal(await one(`SELECT list_aggregate(list(f), 'bloom_union') = ${whole} FROM parts`),
    true);
  assert.equal(await one(`SELECT count(*) FROM range(30000) t(i),
    (SELECT part % 3 AS g, bloom_union(f) AS f FROM parts GROUP BY g)
    WHERE i % 10 % 3 = g AND NOT bloom_contains(f, i)`), 0n);
  assert.equal(await one(`SELECT count(*) FROM range(30000) t(i),
    (SELECT part, bloom_union(f) OVER (ORDER BY part) AS f FROM parts) s
    WHERE i % 10 <= part AND NOT bloom_contains(f, i)`), 0n);
  assert.equal(await one(`SELECT bloom_union(r) = ${whole}
    FROM (SELECT bloom_ref(f) AS r FROM parts)`), true);
});

await test('NULLs, filters of no keys, and nothing at all', async () => {
  assert.equal(await one(`SELECT bloom_union(f) = (SELECT f FROM parts WHERE part = 3) FROM (
    SELECT f FROM parts WHERE part = 3 UNION ALL SELECT NULL
    UNION ALL SELECT bloom_filter(i) FROM range(0) t(i))`), true);
  for (const from of ['parts WHERE part > 10', '(SELECT NULL::BLOB AS f)'])
    assert.equal(await one(`SELECT bloom_contains(bloom_union(f), 5) FROM ${from}`), false);
});

await test('of two sizes the smaller one remains, if it divides the other', async () => {
  const both = `(SELECT bloom_filter(i, 16, 1024) AS f FROM range(500) t(i)
    UNION ALL SELECT bloom_filter(i, 16, 4096) FROM range(500, 900) t(i)
    UNION ALL SELECT bloom_filter(i, 16, 2048) FROM range(900, 1000) t(i))`;
  assert.equal(await one(`SELECT bloom_union(f) =
    (SELECT bloom_filter(i, 16, 1024) FROM range(1000) t(i)) FROM ${both}`), true);
  await refused(`SELECT bloom_union(f) FROM (SELECT bloom_filter(i) AS f FROM range(1000) t(i)
    UNION ALL SELECT bloom_filter(i) FROM range(1300) t(i))`,
  'bytes have no union: neither size divides the other');
});

await test('filters of other keys and BLOBs that are no filter are refused', async () => {
  await refused(`SELECT bloom_union(f) FROM (SELECT f FROM parts
    UNION ALL SELECT bloom_filter(i::VARCHAR, 12, 30000) FROM range(9) t(i))`, 'have no union');
  await refused(`SELECT bloom_union(f) FROM (VALUES ('abc'::BLOB)) t(f)`, 'bloom_union');
  await refused('SELECT bloom_filter(i, 12, 0) FROM range(9) t(i)', 'keys is 0');
  await refused('SELECT bloom_filter(i, 12, i + 1) FROM range(9) t(i)', 'in one group');
  await refused('SELECT bloom_filter(i, 12, 1e30) FROM range(9) t(i)', 'keys is');
  await refused('SELECT bloom_filter(i, 12, 1e12) FROM range(9) t(i)', 'more than a BLOB can hold');
});

await test('what a union held is given back', async () => {
  const held = async () => (await rows('SELECT unnest(bloom_memory())'))[0][0];
  const before = await held();
  for (let n = 0; n < 50; ++n) await one('SELECT octet_length(bloom_union(f)) FROM parts');
  assert.ok(await held() <= before + 1000n, `${await held() - before} bytes`);
});

await test('bloom_prune says of a range what each of its keys says', async () => {
  await db.run('CREATE TABLE even AS SELECT bloom_filter(2 * i, 40) AS f FROM range(1000) t(i)');
  const ranges = `(SELECT a AS low, a + n AS high
    FROM range(-40, 2040) t(a), (VALUES (0), (1), (2), (30)) u(n))`;
  assert.equal(await one(`SELECT count(*) FROM ${ranges}, even
    WHERE bloom_prune(f, low, high) != CASE
      WHEN NOT list_bool_or(list_transform(range(low, high + 1), lambda x: bloom_contains(f, x)))
        THEN 'none'
      WHEN list_bool_and(list_transform(range(low, high + 1), lambda x: bloom_contains(f, x)))
        THEN 'all' ELSE 'maybe' END`), 0n);
  const said = (low, high) => one(`SELECT bloom_prune(f, ${low}, ${high}) FROM even`);
  assert.equal(await said(-9000, -1), 'none');
  assert.equal(await said(-(2 ** 62), 2 ** 62), 'maybe');
  assert.equal(await said('-9223372036854775808', '9223372036854775807'), 'maybe');
  assert.equal(await said(5, 'NULL'), null);
  await refused('SELECT bloom_prune(f, 9, 1) FROM even', 'a range from 9 to 1');
});

await test('bloom_prune of days, and of keys that lie between integers', async () => {
  const days = `(SELECT bloom_filter((DATE '2024-03-01' + i::INTEGER)::DATE, 40) AS f
    FROM range(0, 30, 2) t(i))`;
  const said = (low, high) =>
    one(`SELECT bloom_prune(f, DATE '${low}', DATE '${high}') FROM ${days}`);
  assert.equal(await said('2024-02-01', '2024-02-29'), 'none');
  assert.equal(await said('2024-03-05', '2024-03-09'), 'maybe');
  assert.equal(await said('2024-03-05', '2024-03-05'), 'all');
  assert.equal(await said('-infinity', 'infinity'), 'maybe');
  // 12:00 lies between two days, and 0.5 between two integers: no range of these is empty.
  const hours = "SELECT bloom_filter(TIMESTAMP '2024-03-01 12:00:00') AS f";
  await refused(`SELECT bloom_prune(f, DATE '2024-03-01', DATE '2024-03-02') FROM (${hours})`,
    'a range of DATE does not fit a filter of TIMESTAMP');
  await refused('SELECT bloom_prune(bloom_filter(0.5), 0, 1)',
    'a range of integers does not fit a filter of DECIMAL');
});
