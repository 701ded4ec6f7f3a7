// rows_test.mjs EXTENSION: filters of several columns lose no row that `=` joins, by columns or by
// row values.
import assert from 'node:assert/strict';
import { db, one, refused, rows, test } from './support.mjs';

// Every pair of small values, NULLs among them, in the types that `=` compares with each other.
const types = ['INTEGER', 'BIGINT', 'DOUBLE', 'DECIMAL(9,2)', 'DECIMAL(38,20)', 'HUGEINT'];
const texts = ['VARCHAR', "ENUM('1', '2', '3')"];
const pairs = (a, b) => `(SELECT x::${a} AS a, y::${b} AS b
  FROM (VALUES ('1'), ('2'), ('3'), (NULL)) t(x), (VALUES ('1'), ('2'), ('3'), (NULL)) u(y))`;
const compared = async (left, right) => (await rows(`
  SELECT count(*) FILTER (l.a = r.a AND l.b = r.b),
         count(*) FILTER (l.a = r.a AND l.b = r.b AND bloom_contains(f, r.a, r.b)),
         count(*) FILTER (bloom_contains(f, r.a, r.b) AND NOT (l.a = r.a AND l.b = r.b)),
         count(*) FILTER (bloom_contains(f, r.a, r.b) IS NULL) =
           count(*) FILTER (r.a IS NULL OR r.b IS NULL),
         count(*) FILTER ((l.a, l.b) = (r.a, r.b)),
         count(*) FILTER ((l.a, l.b) = (r.a, r.b) AND bloom_contains(f, (r.a, r.b)))
  FROM (SELECT a, b, bloom_filter((a, b), 60) AS f FROM ${left} GROUP BY a, b) l, ${right} r`))[0];

await test('rows of any two types: what = finds equal is found', async () => {
  for (const [of, asked] of [[types, types], [texts, texts]])
    for (const a of of) for (const b of asked) for (const c of of) {
      const [equal, found, more, nulls, same, sameFound] =
        await compared(pairs(a, c), pairs(b, c));
      const what = `(${a}, ${c}) asked with (${b}, ${c})`;
      assert.deepEqual([equal, found, nulls, same, sameFound], [9n, 9n, true, 16n, 16n], what);
      assert.ok(more <= 1n, `${what}: ${more} others pass`);
    }
  const [equal, found] = await compared(pairs('VARCHAR', 'INTEGER'), pairs(texts[1], 'DOUBLE'));
  assert.deepEqual([equal, found], [9n, 9n]);
});

await test('decimals that have two keys, in every column', async () => {
  assert.equal(await one(`SELECT bool_and(bloom_contains(f, d, d::DOUBLE)
      AND bloom_contains(f, d::DOUBLE, d))
    FROM (SELECT (i / 1000)::DECIMAL(38,30) AS d FROM range(500) t(i)),
         (SELECT bloom_filter((d, d), 40) AS f
          FROM (SELECT (i / 1000)::DECIMAL(38,30) AS d FROM range(500) t(i)))`), true);
});

await test('the FPR is that of one column, in any order of columns', async () => {
  await db.run(`CREATE TABLE grid AS SELECT x, y FROM range(300) t(x), range(300) u(y)
    WHERE (x + y) % 3 = 0`);
  const passing = async (a, b) => Number(await one(`SELECT count(*) FILTER (
      bloom_contains((SELECT bloom_filter((x, y), 12) FROM grid), ${a}, ${b}))
    FROM range(300) t(x), range(300) u(y) WHERE (x + y) % 3 != 0`));
  // 0.53 % of 60,000 rows, give or take six standard deviations.
  for (const [a, b] of [['x', 'y'], ['y', 'x'], ['x + 300', 'y'], ['x', '-y - 1']]) {
    const n = await passing(a, b);
    assert.ok(n > 210 && n < 430, `${n} of 60000 absent keys (${a}, ${b}) pass`);
  }
  assert.equal(await one(`SELECT count(*) FROM grid
    WHERE NOT bloom_contains((SELECT bloom_filter((x, y)) FROM grid), x, y)`), 0n);
  const twins = Number(await one(`SELECT count(*) FILTER (
      bloom_contains((SELECT bloom_filter((i, i)) FROM range(20000) t(i)), j, j))
    FROM range(20000, 80000) u(j)`));
  assert.ok(twins > 210 && twins < 430, `${twins} of 60000 absent keys (j, j) pass`);
  const swapped = Number(await one(`SELECT count(*) FILTER (
      bloom_contains((SELECT bloom_filter((i, i + 60000)) FROM range(60000) t(i)), j + 60000, j))
    FROM range(60000) u(j)`));
  assert.ok(swapped > 210 && swapped < 430, `${swapped} of 60000 pass whose columns are swapped`);
});

await test('groups, sizes, rows that are NULL, eight columns', async () => {
  assert.equal(await one(`SELECT count(*) FROM range(3000) t(i),
    (SELECT i % 7 AS g, bloom_filter((i, i % 7), 20) AS f FROM range(3000) t(i) GROUP BY g) s
    WHERE i % 7 = g AND NOT bloom_contains(f, i, g)`), 0n);
  assert.equal(await one(`SELECT (bloom_info(bloom_filter(
    CASE WHEN i % 2 = 0 THEN (i, i) END))).keys FROM range(100) t(i)`), 50n);
  assert.deepEqual(await rows(`SELECT bloom_contains(f, CASE WHEN i > 0 THEN (i, i) END)
    FROM range(2) t(i), (SELECT bloom_filter((i, i)) AS f FROM range(9) t(i))`), [[null], [true]]);
  assert.equal(await one(`SELECT bloom_contains(bloom_filter((i, i, i, i, i, i, i, i)),
    7, 7, 7, 7, 7, 7, 7, 7) FROM range(9) t(i)`), true);
  assert.equal(await one(`SELECT bloom_contains(bloom_filter((i, i)), 1, 2)
    FROM range(0) t(i)`), false);
});

await test('what does not fit is refused by name', async () => {
  const pair = 'bloom_filter((i, i::VARCHAR))', from = 'FROM range(9) t(i)';
  for (const [asked, words] of [['1', 'a filter of (integers, VARCHAR) is probed with integers'],
    ["1, '1', 1", 'is probed with (integers, VARCHAR, integers)'],
    ["'1', 1", 'a filter of integers is probed with VARCHAR'],
    ["{'a': 1, 'b': '1'}", 'of type STRUCT'], ["(1, (1, '1'))", 'of type STRUCT']])
    await refused(`SELECT bloom_contains(${pair}, ${asked}) ${from}`, words);
  await refused(`SELECT bloom_contains(bloom_filter(i), 1, 1) ${from}`,
    'a filter of integers is probed with (integers, integers)');
  await refused(`SELECT bloom_filter((i, i, i, i, i, i, i, i, i)) ${from}`, '9 columns');
  await refused(`SELECT bloom_filter({'a': i, 'b': i}) ${from}`, 'of type STRUCT');
});
