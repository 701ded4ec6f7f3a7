// own_filter_test.mjs: the Bloom filter that DuckDB itself pushes into a scan has the design that
// bench/engines measures: tests/bench/bench_engines_test.cpp expects the same numbers of it.
import assert from 'node:assert/strict';
import { db, rows, test } from './support.mjs';

await db.run('SET threads = 1');

await test('the hash of BIGINT', async () => {
  assert.deepEqual((await rows(`SELECT hash(k::BIGINT)::VARCHAR FROM
    (VALUES (0), (1), (42), (-1), (12345678901234)) t(k)`)).flat(),
  ['0', '4717996019076358352', '7199933130570745587', '4939931809569846361',
    '18162560320397688022']);
});

await test('the absent keys that a scan lets through', async () => {
  await db.run('CREATE TABLE dim AS SELECT (i * 7919 + 1)::BIGINT AS k FROM range(100000) t(i)');
  await db.run('CREATE TABLE fact (k BIGINT)');
  for (let j = 2; j < 13; ++j)
    await db.run(`INSERT INTO fact SELECT (i * 7919 + ${j})::BIGINT FROM range(99999) t(i)`);
  const [[, plan]] = await rows(`EXPLAIN (ANALYZE, FORMAT json)
    SELECT count(*) FROM fact JOIN dim ON fact.k = dim.k`);
  const scans = [];
  const walk = (node) => {
    if (node.extra_info?.Table) scans.push(node);
    node.children.forEach(walk);
  };
  walk(JSON.parse(plan));
  const of = (table) => scans.find((s) => s.extra_info.Table.endsWith(`.${table}`));
  assert.match(of('fact').extra_info['Dynamic Filters'], / IN BF\(k\)/);
  assert.equal(of('dim').operator_cardinality, 99998);
  assert.equal(of('fact').operator_cardinality, 2830);
});
