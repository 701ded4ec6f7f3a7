// duckdb_joins.mjs BUILD [FACT_ROWS [COMMAND]]: star joins in an unmodified DuckDB: its own filters
// on and off, and ours. Prints Markdown.
import { DuckDBInstance } from '@duckdb/node-api';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const [build, rowsText = '100000000', command = 'bench/experiment duckdb_joins'] =
  process.argv.slice(2);
const rows = Number(rowsText), dimension = 1_000_000, passes = 3;
const options = { allow_unsigned_extensions: 'true', threads: '2' };
const instance = await DuckDBInstance.create(':memory:', options);
const db = await instance.connect();
await db.run(`LOAD '${build}/simdbloom.duckdb_extension'`);
const one = async (sql) => (await db.runAndReadAll(sql)).getRows()[0];

// `hash` scatters, so that neither the order of rows nor the range of keys gives the join away. The
// wide key of dimension i is i times an odd number, modulo 2^63; those of `selected < s` are a
// share s of the dimension, and of the fact rows.
const wide = (i) => `((${i})::UBIGINT * 2654435761 + 12345)::BIGINT`;
const text = (i) => `'customer#' || lpad(${i}::VARCHAR, 9, '0')`;
const scattered = (i) => `(hash(${i}) % ${dimension})::BIGINT`;
await db.run(`CREATE TABLE dim AS SELECT i AS id, ${wide('i')} AS wide, ${text('i')} AS name,
              (hash(i) % 1000000) / 1000000.0 AS selected FROM range(${dimension}) t(i)`);
await db.run(`CREATE TABLE fact AS SELECT k AS id, ${wide('k')} AS wide, k2 AS id2, i % 1000 AS v
              FROM (SELECT i, ${scattered('i')} AS k, ${scattered('i + 1000000007')} AS k2
                    FROM range(${rows}) t(i))`);
const stringRows = rows / 10;
await db.run(`CREATE TABLE fact_text AS
              SELECT ${text('id')} AS name, v FROM fact LIMIT ${stringRows}`);

const off = 'join_filter_pushdown';
const filters = async (on) => db.run(`SET disabled_optimizers = '${on ? '' : off}'`);
const seconds = async (sql) => {
  const start = process.hrtime.bigint();
  const result = await one(sql);
  return [Number(process.hrtime.bigint() - start) / 1e9, result];
};
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

const found = (filter, key) => `bloom_contains((SELECT bloom_ref(f) FROM ${filter}), ${key})`;
const single = (fact, key) => {
  const joined = (rows, s) => `SELECT count(*), sum(v) FROM ${rows} f
                               JOIN dim d ON f.${key} = d.${key} WHERE d.selected < ${s}`;
  return {
    plain: (s) => joined(fact, s),
    ours: (s) => `WITH b AS MATERIALIZED (SELECT bloom_filter(${key}, 12) AS f
                                          FROM dim WHERE selected < ${s})
                  ${joined(`(SELECT * FROM ${fact} WHERE ${found('b', key)})`, s)}`,
  };
};
const joinedTwice = (rows, s) => `SELECT count(*), sum(v) FROM ${rows} f
                                  JOIN dim a ON f.id = a.id JOIN dim b ON f.id2 = b.id
                                  WHERE a.selected < ${s} AND b.selected < 0.5`;
const filterOf = (s) => `MATERIALIZED (SELECT bloom_filter(id, 12) AS f
                                       FROM dim WHERE selected < ${s})`;
const passing = `(SELECT * FROM fact WHERE ${found('fa', 'id')} AND ${found('fb', 'id2')})`;
const star = {
  plain: (s) => joinedTwice('fact', s),
  ours: (s) => `WITH fa AS ${filterOf(s)}, fb AS ${filterOf(0.5)} ${joinedTwice(passing, s)}`,
};
const queries = [
  [`dense BIGINT keys, ${rows / 1e6} M rows`, single('fact', 'id')],
  [`scattered BIGINT keys, ${rows / 1e6} M rows`, single('fact', 'wide')],
  [`text keys, ${stringRows / 1e6} M rows`, single('fact_text', 'name')],
  [`two dimensions, the second at 50 %, ${rows / 1e6} M rows`, star],
];

console.log(`| join | selected of the dimension's ${dimension} rows | DuckDB, its filters off, s `
  + '| its filters on, s | ours, its off, s | ours, its on, s | ours : its off | ours : its on '
  + '| fastest |');
console.log('|---|---|---|---|---|---|---|---|---|');
for (const [name, query] of queries) {
  for (const s of [0.001, 0.01, 0.1, 0.5, 1]) {
    const ways = [query.plain(s), query.ours(s)].flatMap((sql) => [[sql, false], [sql, true]]);
    const times = ways.map(() => []);
    let right;
    for (let pass = 0; pass < passes; ++pass) {
      for (const [i, [sql, on]] of ways.entries()) {
        await filters(on);
        const [time, result] = await seconds(sql);
        right ??= String(result);
        if (String(result) !== right)
          throw new Error(`${name} at ${s}: ${result} in place of ${right}: ${sql}`);
        times[i].push(time);
      }
    }
    const [noFilter, its, ours, both] = times.map(median);
    const best = Math.min(noFilter, its), mine = Math.min(ours, both);
    // Differences below 3 % are noise.
    const fastest = mine < 0.97 * best ? 'ours' : best < 0.97 * mine ? "DuckDB's own" : 'none';
    const cells = [name, `${100 * s} %`, ...[noFilter, its, ours, both].map((t) => t.toFixed(3)),
      (ours / noFilter).toFixed(2), (ours / its).toFixed(2), fastest];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
// The line that the experiments in C++ end with.
const provenance = execFileSync(join(build, 'bench/provenance'), { encoding: 'utf8' }).trim();
const version = (await one('SELECT version()'))[0];
console.log(`\nMedians of ${passes} runs, in turn, on 2 threads; DuckDB ${version}.`
  + ` Printed on ${provenance}, by \`${command}\`.`);
process.exit(0);
