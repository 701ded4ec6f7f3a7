// types_test.mjs EXTENSION: what `=` joins is never lost, whatever the two types are.
import assert from 'node:assert/strict';
import { db, one, refused, rows, test } from './support.mjs';

// Values at the ends of types, where floats begin to round, and where decimals do.
const numbers = ['0', '1', '-1', '2', '127', '-128', '255', '65535', '16777216', '16777217',
  '-16777217', '33554433', '2147483648', '9007199254740991', '9007199254740992',
  '9007199254740993', '-9007199254740993', '9223372036854775807', '-9223372036854775808',
  '9223372036854775808', '18446744073709551615', '18446744073709551616',
  '-18446744073709551617', '123456789012345678901234567890',
  '170141183460469231731687303715884105727', '340282366920938463463374607431768211455',
  '0.5', '-0.5', '0.1', '0.3', '1.5', '0.99999999', '0.99999999999999999999', '99.99',
  '100.00', '12345678901234567.9', '123456789.123456', '16777217.5', '0.333333333333333333333',
  '-0.0', 'nan', 'inf', '-inf', '5e-324', '1e30', '1e300'];
const others = ['', 'a', 'A', 'abc', 'true', '2024-02-29', '1970-01-01', 'infinity', '-infinity',
  '2024-02-29 12:00:00', '2024-02-29 12:00:00.001', '1969-12-31 23:59:59.999999',
  '2024-02-29 12:00:00.000001001', '290000-01-01', '12:00:00', '23:59:59.999999', '101',
  '00000000-0000-0000-0000-000000000001', 'more than the twelve bytes of a short string'];
const numeric = ['BOOLEAN', 'TINYINT', 'INTEGER', 'BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT',
  'FLOAT', 'DOUBLE', 'DECIMAL(4,1)', 'DECIMAL(9,2)', 'DECIMAL(18,0)', 'DECIMAL(18,3)',
  'DECIMAL(38,2)', 'DECIMAL(38,20)'];
const types = [...numeric, 'VARCHAR', "ENUM('a', 'A', 'abc', '1', 'true', '2024-02-29')", 'BLOB',
  'UUID', 'BIT', 'DATE', 'TIME', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS',
  'TIMESTAMPTZ'];

const list = (values) => values.map((value) => `('${value}')`).join(', ');
for (const [i, type] of types.entries()) {
  // The doubles next to decimals, too: those are what a double is equal to.
  const rounded = numeric.includes(type)
    ? `UNION SELECT TRY_CAST(TRY_CAST(x AS DOUBLE) AS ${type}) FROM (VALUES ${list(numbers)}) u(x)`
    : `UNION SELECT TRY_CAST(x AS ${type}) FROM (VALUES ${list(others)}) u(x)`;
  await db.run(`CREATE TABLE t${i} AS SELECT v, bloom_filter(v, 40) AS f
    FROM (SELECT TRY_CAST(x AS ${type}) AS v FROM (VALUES ${list(numbers)}) u(x) ${rounded})
    WHERE v IS NOT NULL GROUP BY v`);
}

// [the pairs that `=` finds equal, those of them that the filter loses, others that pass]
const pairs = async (a, b) => (await rows(`
  SELECT count(*) FILTER (equal), count(*) FILTER (equal AND NOT found),
         count(*) FILTER (found AND NOT equal)
  FROM (SELECT TRY(a.v = b.v) AS equal, bloom_contains(a.f, b.v) AS found
        FROM t${a} a, t${b} b)`))[0];

await test('of numbers of any two types, what = finds equal is found', async () => {
  for (const [a, of] of types.entries()) for (const [b, asked] of types.entries()) {
    if (!numeric.includes(of) || !numeric.includes(asked)) continue;
    if (asked === 'FLOAT' && /DECIMAL\(.*,[^0]/.test(of)) continue; // refused, see below
    const [equal, lost] = await pairs(a, b);
    assert.ok(equal > 0n, `${of} = ${asked} finds nothing`);
    assert.equal(lost, 0n, `${of} asked with ${asked}: ${lost} of ${equal} are lost`);
  }
});

await test('decimals of every scale are found by the doubles that = finds equal', async () => {
  for (let scale = 1; scale <= 38; ++scale)
    for (const value of [`0.${'3'.repeat(scale)}`, `-0.${'7'.repeat(scale)}`]) {
      const decimal = `'${value}'::DECIMAL(38,${scale})`;
      assert.deepEqual(await rows(`
        SELECT d = d::DOUBLE, bloom_contains(bloom_filter(d, 40), any_value(d::DOUBLE))
        FROM (SELECT ${decimal} AS d) GROUP BY d`), [[true, true]], decimal);
    }
});

await test('other types find themselves, and what = finds equal across types', async () => {
  const text = ['VARCHAR', types.find((t) => t.startsWith('ENUM'))];
  const instants = ['DATE', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS'];
  const joinable = [text, instants, ['BLOB'], ['UUID'], ['BIT'], ['TIME'], ['TIMESTAMPTZ']];
  for (const [a, of] of types.entries()) for (const [b, asked] of types.entries()) {
    if (numeric.includes(of) && numeric.includes(asked)) continue;
    if (joinable.some((group) => group.includes(of) && group.includes(asked))) {
      const [equal, lost, more] = await pairs(a, b);
      assert.ok(equal > 0n, `${of} = ${asked} finds nothing`);
      assert.equal(lost, 0n, `${of} asked with ${asked}: ${lost} of ${equal} are lost`);
      assert.ok(more < 5n, `${of} asked with ${asked}: ${more} more pass`);
    } else {
      // `=` casts here, or refuses itself; a filter cannot, and must not say "not in it".
      await refused(`SELECT bloom_contains(a.f, b.v) FROM t${a} a, t${b} b`, 'is probed with');
    }
  }
});

await test('types that have no keys are refused by name', async () => {
  for (const [value, name] of [['[1]', 'LIST'], ["{'a': 1}", 'STRUCT'], ['MAP {1: 2}', 'MAP'],
    ["INTERVAL '1 day'", 'INTERVAL'], ["'12:00:00+01'::TIMETZ", 'TIME WITH TIME ZONE'],
    ['[1, 2]::INTEGER[2]', 'ARRAY'], ["union_value(a := 1)", 'UNION'], ['12::BIGNUM', 'BIGNUM']]) {
    await refused(`SELECT bloom_filter(${value})`, `of type ${name} `);
    await refused(`SELECT bloom_contains(f, ${value}) FROM t0`, `of type ${name} `);
  }
  const decimal = types.indexOf('DECIMAL(9,2)'), float = types.indexOf('FLOAT');
  await refused(`SELECT bloom_contains(a.f, b.v) FROM t${decimal} a, t${float} b`,
    'a filter of DECIMAL is probed with FLOAT');
});

await test('where = compares floats, integers beyond what they tell apart pass', async () => {
  const passes = (of, asked) =>
    one(`SELECT bloom_contains(bloom_filter(${of}, 40), ${asked})`);
  assert.equal(await one('SELECT 9007199254740993::BIGINT = 9007199254740992::DOUBLE'), true);
  for (const [of, asked] of [['9007199254740993::BIGINT', '9007199254740992::DOUBLE'],
    ['9007199254740992::DOUBLE', '9007199254740993::BIGINT'],
    ['16777217::INTEGER', '16777216::FLOAT'], ['16777216::FLOAT', '16777217::INTEGER'],
    ['9007199254740993::HUGEINT', '9007199254740992::UHUGEINT']])
    assert.equal(await passes(of, asked), true, `${of} asked with ${asked}`);
  // Below, and between integers, the filter decides.
  assert.equal(await passes('9007199254740993::BIGINT', '9007199254740992::BIGINT'), false);
  for (const asked of ['9007199254740991::DOUBLE', '16777215::FLOAT', "'nan'::DOUBLE",
    '5.5::DECIMAL(9,2)']) assert.equal(await passes('5::BIGINT', asked), false, asked);
});

await test('joins of the sum, the average, a parameter and a literal', async () => {
  await db.run(`CREATE TABLE fact AS SELECT i, (i % 100)::DECIMAL(18,0) AS d
    FROM range(1000) t(i)`);
  const f = '(SELECT bloom_filter(i, 24) FROM fact)';
  assert.equal(await one(`SELECT count(*) FROM fact WHERE bloom_contains(${f}, d)`), 1000n);
  assert.equal(await one(`SELECT bloom_contains(${f}, sum(i)) FROM range(10) t(i)`), true);
  assert.equal(await one(`SELECT bloom_contains(${f}, avg(i)) FROM range(11) t(i)`), true);
  assert.equal(await one(`SELECT bloom_contains(${f}, 5.0)`), true);
  assert.equal(await one(`SELECT bloom_contains(${f}, 5.5)`), false);
  const prepared = await db.prepare(`SELECT bloom_contains(${f}, ?)`);
  for (const [bind, value] of [['bindInteger', 7], ['bindBigInt', 7n], ['bindDouble', 7]]) {
    prepared[bind](1, value);
    assert.deepEqual((await prepared.runAndReadAll()).getRows(), [[true]], bind);
  }
});

await test('a filter of no keys finds nothing, whatever it is probed with', async () => {
  for (const type of types)
    assert.equal(await one(`SELECT count(*) FROM t${types.indexOf(type)},
      (SELECT bloom_filter(NULL) AS none) WHERE bloom_contains(none, v)`), 0n, type);
  assert.equal(await one('SELECT bloom_contains(bloom_filter(5), NULL)'), null);
});

await test('of a collation, the key is what = compares', async () => {
  // DuckDB does not tell functions the collation of their arguments.
  await db.run(`CREATE TABLE names(s VARCHAR COLLATE NOCASE.NOACCENT)`);
  await db.run(`INSERT INTO names VALUES ('Ärger'), ('OTTO'), ('otto')`);
  const asked = `SELECT count(*) FROM (VALUES ('arger'), ('Otto')) t(s)
    WHERE s IN (SELECT s FROM names) AND bloom_contains((SELECT bloom_filter(`;
  assert.equal(await one(`${asked} strip_accents(lower(s)), 24) FROM names),
    strip_accents(lower(s)))`), 2n);
});
