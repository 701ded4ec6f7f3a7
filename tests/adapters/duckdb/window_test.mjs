// window_test.mjs EXTENSION: the filter of every frame holds the keys of the frame and no others.
import assert from 'node:assert/strict';
import { db, one, rows, test } from './support.mjs';

await db.run(`CREATE TABLE t AS SELECT i, i % 7 AS g, (i * 7919) % 40 AS k, i % 3 > 0 AS b
  FROM range(200) t(i)`);

// DuckDB's list() of the same frame is the truth: [rows, keys lost, rows with other keys as well].
const compare = async (over, { filter = '', distinct = '', order = '', from = 't' } = {}) => {
  const call = (f, more) => `${f}(${distinct} k${more} ${order}) ${filter} OVER (${over})`;
  return (await rows(`
    SELECT count(*), sum(len(list_filter(l, lambda x: NOT bloom_contains(f, x))))::BIGINT,
           count(*) FILTER ((bloom_info(f)).keys != greatest(1, len(list_distinct(l))))
    FROM (SELECT ${call('bloom_filter', ', 24')} AS f, coalesce(${call('list', '')}, []) AS l
          FROM ${from})`))[0];
};
// The first few rows that a thread sees of a window may get keys of each other: see rows.cpp.
const same = async (over, options) => {
  const [, lost, more] = await compare(over, options);
  assert.ok(lost === 0n && more <= 8n,
    `${over} ${JSON.stringify(options ?? {})}: ${lost} keys lost, ${more} filters with others`);
};

const bounds = ['UNBOUNDED PRECEDING', '20 PRECEDING', 'CURRENT ROW', '3 FOLLOWING',
  'UNBOUNDED FOLLOWING'];
const frames = [];
for (const unit of ['ROWS', 'RANGE', 'GROUPS'])
  for (const [a, from] of bounds.entries())
    for (const [b, to] of bounds.entries())
      if (a <= b && a < 4 && b > 0) frames.push(`${unit} BETWEEN ${from} AND ${to}`);

await test('every frame, of partitions with peers too', async () => {
  for (const order of ['ORDER BY i', 'PARTITION BY g ORDER BY i // 20'])
    for (const frame of frames) await same(`${order} ${frame}`);
});

await test('EXCLUDE', async () => {
  for (const exclude of ['CURRENT ROW', 'GROUP', 'TIES', 'NO OTHERS'])
    for (const frame of ['ROWS BETWEEN 20 PRECEDING AND 30 FOLLOWING',
      'RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING',
      'GROUPS BETWEEN 2 PRECEDING AND CURRENT ROW'])
      await same(`ORDER BY i // 20 ${frame} EXCLUDE ${exclude}`);
});

await test('DISTINCT, FILTER and ORDER BY in windows', async () => {
  for (const over of ['', 'PARTITION BY g', 'ORDER BY i',
    'ORDER BY i ROWS BETWEEN 20 PRECEDING AND 30 FOLLOWING',
    'PARTITION BY g ORDER BY i ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING'])
    for (const filter of ['', 'FILTER (WHERE b)'])
      for (const distinct of ['', 'DISTINCT'])
        for (const order of ['', 'ORDER BY k DESC']) await same(over, { filter, distinct, order });
});
