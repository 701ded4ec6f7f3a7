// duckdb_joins.mjs BUILD [FACT_ROWS [COMMAND]]: joins of a fact table in an unmodified DuckDB,
// without filters, with its own and with ours. Prints Markdown.
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
await db.run(`CREATE TABLE dim AS SELECT i AS id, ${wide('i')} AS wide, ${text('i')} AS name,
              (hash(i) % 1000000) / 1000000.0 AS selected FROM range(${dimension}) t(i)`);
await db.run(`CREATE TABLE fact AS SELECT k AS id, ${wide('k')} AS wide, i % 1000 AS v
              FROM (SELECT i, (hash(i) % ${dimension})::BIGINT AS k FROM range(${rows}) t(i))`);
const fewer = rows / 10;
await db.run(`CREATE TABLE fact_text AS SELECT ${text('id')} AS name, v FROM fact LIMIT ${fewer}`);
await db.run(`CREATE TABLE fact_few AS SELECT wide, v FROM fact LIMIT ${fewer}`);

const off = 'join_filter_pushdown';
const filters = async (on) => db.run(`SET disabled_optimizers = '${on ? '' : off}'`);
const seconds = async (sql) => {
  const start = process.hrtime.bigint();
  const result = await one(sql);
  return [Number(process.hrtime.bigint() - start) / 1e9, result];
};
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

// A query is made of the fact table, or of its rows that pass, and of the share.
const inner = (key) => (fact, s) => `SELECT count(*), sum(v) FROM ${fact} f
  JOIN dim d ON f.${key} = d.${key} WHERE d.selected < ${s}`;
const queries = [
  [`dense keys, ${rows / 1e6} M rows`, 'fact', 'id', inner('id')],
  [`scattered keys, ${rows / 1e6} M rows`, 'fact', 'wide', inner('wide')],
  [`text keys, ${fewer / 1e6} M rows`, 'fact_text', 'name', inner('name')],
  [`EXISTS, ${fewer / 1e6} M rows`, 'fact_few', 'wide', (fact, s) => `SELECT count(*), sum(v)
    FROM ${fact} f WHERE EXISTS (SELECT 1 FROM dim d WHERE f.wide = d.wide AND selected < ${s})`],
  [`GROUP BY, then the join, ${fewer / 1e6} M rows`, 'fact_few', 'wide', (fact, s) =>
    inner('wide')(`(SELECT wide, sum(v) AS v FROM ${fact} GROUP BY wide)`, s)],
  [`a window, then the join, ${fewer / 1e6} M rows`, 'fact_few', 'wide', (fact, s) =>
    inner('wide')(`(SELECT wide, row_number() OVER (PARTITION BY wide ORDER BY v) AS v
                    FROM ${fact})`, s)],
];

console.log(`| query | selected of ${dimension / 1e6} M keys | no filter, s | DuckDB's filter, s `
  + "| ours, s | ours : DuckDB's |");
console.log('|---|---|---|---|---|---|');
for (const [name, fact, key, query] of queries) {
  for (const s of [0.01, 0.1, 0.5, 0.9]) {
    const passing = `(SELECT * FROM ${fact}
      WHERE bloom_contains((SELECT bloom_ref(f) FROM b), ${key}))`;
    const ours = `WITH b AS MATERIALIZED (SELECT bloom_filter(${key}, 12) AS f FROM dim
      WHERE selected < ${s}) ${query(passing, s)}`;
    const ways = [[query(fact, s), false], [query(fact, s), true], [ours, true]];
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
    const [none, its, mine] = times.map(median);
    const cells = [name, `${100 * s} %`, ...[none, its, mine].map((t) => t.toFixed(3)),
      (mine / its).toFixed(2)];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
// The line that the experiments in C++ end with.
const provenance = execFileSync(join(build, 'bench/provenance'), { encoding: 'utf8' }).trim();
const version = (await one('SELECT version()'))[0];
console.log(`\nMedians of ${passes} runs, in turn, on 2 threads; DuckDB ${version}.`
  + ` Printed on ${provenance}, by \`${command}\`.`);
process.exit(0);
