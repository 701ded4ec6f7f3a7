// crash_test.mjs EXTENSION: no SELECT ends the process, nor loses a key where DuckDB hands over one
// state for many rows. Each statement is named before it runs.
import assert from 'node:assert/strict';
import { db, one, test } from './support.mjs';

// A window or an aggregate over keys and DuckDB's list() of the same: [call, source of rows].
const statements = [];
const windows = (over, n) => Array.from({ length: n }, (_, j) =>
  `bloom_filter(i * ${n} + ${j}, 40) OVER (${over}) AS f${j},
   list(i * ${n} + ${j}) OVER (${over}) AS l${j}`).join(', ');
const count = (n) => Array.from({ length: n }, (_, j) =>
  `coalesce(sum(len(list_filter(l${j}, lambda x: NOT bloom_contains(f${j}, x)))), 0)`).join(' + ');
// So many windows at once, so few rows: their arrays of one state lie side by side.
for (const n of [1, 2, 12])
  for (const rows of [1, 2, 3, 7, 9, 33, 2050])
    for (const over of ['', 'PARTITION BY i // 2', 'PARTITION BY i % 3', 'ORDER BY i'])
      if (n * rows * (over === 'PARTITION BY i // 2' ? 2 : rows) < 6000)
        statements.push(`SELECT ${count(n)} FROM
          (SELECT ${windows(over, n)} FROM range(${rows}) t(i))`);
const grouped = (n, order) => Array.from({ length: n }, (_, j) =>
  `bloom_filter(i + ${j}, 40 ${order(j)}) FILTER (i % ${n} >= ${j} - 1) AS f${j},
   list(i + ${j}) FILTER (i % ${n} >= ${j} - 1) AS l${j}`).join(', ');
for (const n of [1, 5])
  for (const rows of [1, 5, 100, 2500])
    for (const groups of [1, 4, 300])
      for (const order of [() => '', (j) => `ORDER BY hash(i + ${j})`])
        statements.push(`SELECT ${count(n)} FROM (SELECT ${grouped(n, order)}
          FROM range(${rows}) t(i) GROUP BY i % ${groups})`);
for (const grouping of ['GROUPING SETS ((a), (b), (a, b), ())', 'ROLLUP (a, b)', 'CUBE (a, b)'])
  for (const call of ['i', 'DISTINCT i', 'i ORDER BY -i'])
    statements.push(`SELECT ${count(1)} FROM (SELECT bloom_filter(${call}) FILTER (i % 5 > 0) AS f0,
      list(i) FILTER (i % 5 > 0) AS l0
      FROM (SELECT i, i % 3 AS a, i // 100 AS b FROM range(3000) t(i)) GROUP BY ${grouping})`);
statements.push(
  'SELECT count(f) FROM (SELECT bloom_filter(i) OVER () AS f FROM range(0) t(i))',
  "SELECT 1 - bloom_contains(list_aggregate([1, 2, 3], 'bloom_filter'), 3)::INTEGER",
  `SELECT count(*) FILTER (NOT bloom_contains(f, i)) FROM
   (SELECT i, list_aggregate([i], 'bloom_filter') AS f FROM range(3000) t(i))`,
  `SELECT count(*) FILTER (NOT bloom_contains(f, i)) FROM range(3000) t(i),
   LATERAL (SELECT bloom_filter(x) AS f FROM range(i, i + 3) u(x))`);

await test(`${statements.length} statements`, async () => {
  for (const threads of [1, 3]) {
    await db.run(`SET threads = ${threads}`);
    for (const sql of statements) {
      console.log(sql);
      assert.equal(Number(await one(sql)), 0, `${threads} threads, keys lost by ${sql}`);
    }
  }
});

await test('what fails in the middle', async () => {
  for (const sql of ['SELECT bloom_filter(i, i + 1 ORDER BY -i) FROM range(5000) t(i)',
    'SELECT bloom_filter(i, i + 1) OVER () FROM range(5000) t(i)',
    'SELECT bloom_filter(i, i + 1) OVER (ORDER BY i) FROM range(5000) t(i)',
    "SELECT bloom_filter(i), sum(error('no')::INTEGER) FROM range(5000) t(i) GROUP BY i % 7"]) {
    console.log(sql);
    await assert.rejects(() => one(sql));
  }
});
