// described_test.mjs EXTENSION PAGE...: bloom_functions() against DuckDB's list of functions, and
// the SQL of the pages.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { db, one, rows, test } from './support.mjs';

const described = (await db.runAndReadAll('FROM bloom_functions()')).getRowObjectsJson();

await test('bloom_functions() has every function, its parameters and a description', async () => {
  const known = await rows(`SELECT function_name, max(function_type), max(len(parameters))
    FROM duckdb_functions()
    WHERE function_name LIKE 'bloom%' AND function_name != 'bloom_functions' GROUP BY ALL`);
  assert.deepEqual(
    described.map((f) => [f.function_name, f.function_type, BigInt(f.parameters.length)]).sort(),
    known.sort());
  for (const f of described) {
    assert.ok(f.description.endsWith('.') && f.examples.length > 0, JSON.stringify(f));
    assert.deepEqual(f.categories, ['bloom']);
  }
  const columns = (await rows('DESCRIBE FROM bloom_functions()')).map(([name, type]) =>
    `${name} ${type}`);
  const its = (await rows('DESCRIBE FROM duckdb_functions()')).map(([name, type]) =>
    `${name} ${type}`);
  assert.deepEqual(columns.filter((column) => !its.includes(column)), [], 'as in DuckDB');
  assert.equal(await one('SELECT count(*) FROM bloom_functions() a, bloom_functions() b'), 49n);
});

await test('the examples of bloom_functions() run', async () => {
  for (const f of described)
    for (const example of f.examples)
      assert.notEqual(await one(`SELECT ${example} FROM (SELECT bloom_filter(i) AS filter,
        max(i) AS key, min(i) AS low, max(i) AS high FROM range(10) t(i))`), null, example);
});

// Each page in a database of its own. What is computed twice, without a filter and with it, is the
// same.
for (const path of process.argv.slice(3))
  await test(`the SQL of ${path} runs`, async () => {
    await db.run("ATTACH ':memory:' AS page; USE page");
    const blocks = [...readFileSync(path, 'utf8').matchAll(/^```sql\n(.*?)^```/gms)];
    const results = [];
    for (const statement of blocks.flatMap((block) => block[1].split(/;\n/)))
      if (statement.trim()) results.push([statement, String(await rows(statement))]);
    const queries = results.filter(([statement]) => statement.includes('count(*)'));
    assert.equal(queries.length, 2, 'without a filter and with it');
    assert.equal(queries[0][1], queries[1][1]);
    await db.run('USE memory; DETACH page');
  });
