// union_test.mjs EXTENSION: unions of filters, ranges that a filter prunes, and predicate transfer.
import assert from 'node:assert/strict';
import { finish, open, test } from './support.mjs';

const { db, rows, one, refused } = await open(process.argv[2]);

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
    'a range of DATE is asked of a filter of TIMESTAMP');
  await refused('SELECT bloom_prune(bloom_filter(0.5), 0, 1)',
    'a range of integers is asked of a filter of DECIMAL');
});

// A fact table, a chain of two tables beside it, and one with two columns.
await db.run(`CREATE TABLE fact AS SELECT hash(i) % 2000 AS d, hash(i + 7) % 50 AS x,
  hash(i + 9) % 20 AS y, i AS v FROM range(60000) t(i)`);
await db.run(`CREATE TABLE dim AS
  SELECT i AS id, i % 40 AS city, i % 9 AS c FROM range(2000) t(i)`);
await db.run("CREATE TABLE city AS SELECT i AS id, 'city ' || i AS name FROM range(40) t(i)");
await db.run('CREATE TABLE grid AS SELECT x, y, x * y AS w FROM range(50) t(x), range(20) u(y)');
const joins = ['f.d = d.id', 'city.id = d.city', 'f.x = g.x AND g.y = f.y'];
const list = (texts) => `[${texts.map((text) => `'${text.replaceAll("'", "''")}'`).join(', ')}]`;
const transferred = (tables, of, rest) => one(`SELECT bloom_transfer(${list(tables)}, ${list(of)},
  'count(*) AS n, sum(f.v), min(d.id), max(city.name)'${rest})`);

await test('bloom_transfer writes the join with filters in it', async () => {
  const where = ['f.v % 3 = 0', 'd.c = 1', "city.name = 'city 10'", 'w > 300 AND w < 500'];
  const names = ['fact f', 'dim AS d', 'city', 'grid g'];
  for (let some = 0; some < 16; ++some) {
    const tables = names.map((name, i) => some >> i & 1 ? `${name} WHERE ${where[i]}` : name);
    const conditions = where.filter((_, i) => some >> i & 1);
    const plain = `SELECT count(*) AS n, sum(f.v), min(d.id), max(city.name) FROM fact f
      JOIN dim d ON f.d = d.id JOIN city ON city.id = d.city JOIN grid g
      ON f.x = g.x AND g.y = f.y ${conditions.length ? `WHERE ${conditions.join(' AND ')}` : ''}`;
    for (const backward of ['', ", ''", ", '', false", ", '', true"]) {
      const sql = await transferred(tables, joins, backward);
      assert.deepEqual(await rows(sql), await rows(plain), sql);
      // Without a predicate there is nothing to send.
      assert.equal(sql.includes('bloom_filter'),
        some > 1 || (some === 1 && backward.endsWith('true')), sql);
    }
  }
});

await test('forward and backward, each table is reduced by the filters of all others', async () => {
  const tables = ['fact f', 'dim d', "city WHERE name = 'city 10'", 'grid g'];
  const sql = await transferred(tables, joins, ", '', true");
  // city -> dim -> fact -> grid, and nothing back to where it came from.
  assert.equal(sql.match(/AS MATERIALIZED/g).length, 3, sql);
  const reduced = async (alias, column) => {
    const from = sql.split(/\nFROM |\nJOIN /).slice(1)
      .find((part) => part.split(' ON ')[0].endsWith(`) AS ${alias}`));
    const with_ = sql.slice(0, sql.indexOf('\nSELECT '));
    return Number(await one(`${with_} SELECT count(DISTINCT ${column})
      FROM ${from.split(' ON ')[0]}`));
  };
  assert.ok(await reduced('f', 'f.d') < 80, 'fact: 50 of 2000 keys join');
  assert.ok(await reduced('d', 'd.id') < 80);
  await db.run(`SET VARIABLE q = '${sql.replaceAll("'", "''")}'`);
  assert.deepEqual(await rows("FROM query(getvariable('q'))"), await rows(sql));
  const cities = await one(`SELECT bloom_transfer(['fact f', 'dim d WHERE c = 2'],
    ['f.d = d.id'], 'd.city, count(*)', 'GROUP BY d.city HAVING count(*) > 1 ORDER BY 1')`);
  assert.equal((await rows(cities)).length, 40);
});

await test('words in quotes and parentheses are no WHERE, AND or ON', async () => {
  const sql = await transferred(['fact f', 'dim d WHERE c IN (SELECT c FROM dim where c = 1)',
    "city WHERE name != ' where '' and '", 'grid g'], joins, '');
  assert.ok(Number((await rows(sql))[0][0]) > 0);
  assert.equal(await one(await one(`SELECT bloom_transfer(
    ['range(10, 100) f WHERE range < 50',
     '(SELECT 7 * i AS a FROM range(9) t(i) WHERE i > 1) AS e'],
    ['f.range = e.a'], 'count(*)')`)), 6n);
});

await test('what cannot be joined is quoted', async () => {
  for (const [tables, of, words] of [[[], [], 'no tables'], [['fact f g h'], [], '"fact f g h"'],
    [['fact f WHERE '], [], '"fact f WHERE "'], [['fact f', 'dim d'], [], 'leads to "dim d"'],
    [['fact f', 'dim d'], ['f.d'], '"f.d" is no join'],
    [['fact f', 'dim d'], ['f.d = e.id'], 'joins e,'],
    [['fact f', 'dim d'], ['f.d = id'], '"f.d = id" is no join'],
    [['fact f', 'fact f'], ['f.d = f.d'], 'not one of the tables'],
    [['fact f', 'dim d'], ['f.d = d.id', 'f.x = d.c'], '"f.x = d.c" closes a circle']])
    await refused(`SELECT bloom_transfer(${list(tables)}::VARCHAR[], ${list(of)}::VARCHAR[], '*')`,
      words);
  await refused("SELECT bloom_transfer(NULL, [], '*')", 'argument 1 is NULL');
  await refused("SELECT bloom_transfer(['fact f', NULL], [], '*')", 'is NULL');
});

finish();
