// duckdb_joins.mjs BUILD [FACT_ROWS [COMMAND]]: joins of a fact table in an unmodified DuckDB,
// without filters, with its own and with ours; and for bench/experiment the query of the page of
// the extension. Prints Markdown.
import { DuckDBInstance } from '@duckdb/node-api';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
  const statements = sql.split(/;\n/).filter((statement) => statement.trim());
  for (const statement of statements.slice(0, -1)) await db.run(statement);
  const result = await one(statements.at(-1));
  return [Number(process.hrtime.bigint() - start) / 1e9, result];
};
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/// The medians of the ways, each an SQL text and whether DuckDB's filter is on, in turn. All have
/// one result.
const medians = async (name, ways) => {
  const times = ways.map(() => []);
  let right;
  for (let pass = 0; pass < passes; ++pass) {
    for (const [i, [sql, on]] of ways.entries()) {
      await filters(on);
      const [time, result] = await seconds(sql);
      right ??= String(result);
      if (String(result) !== right)
        throw new Error(`${name}: ${result} in place of ${right}: ${sql}`);
      times[i].push(time);
    }
  }
  return times.map(median);
};
const ratio = (mine, its) => [mine.toFixed(3), (mine / its).toFixed(2)];
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
const percent = (s) => `${Math.round(100 * s)} %`;

// A query is made of the fact table, or of its rows that pass, of the dimension and of the share.
const inner = (key) => (fact, dim, s) => `SELECT count(*), sum(v) FROM ${fact} f
  JOIN ${dim} d ON f.${key} = d.${key} WHERE d.selected < ${s}`;
const exists = (fact, dim, s) => `SELECT count(*), sum(v) FROM ${fact} f
  WHERE EXISTS (SELECT 1 FROM ${dim} d WHERE f.wide = d.wide AND selected < ${s})`;
const filtered = (query, fact, dim, key, s) => `WITH b AS MATERIALIZED (
  SELECT bloom_filter(${key}, 12) AS f FROM ${dim} WHERE selected < ${s})
  ${query(`(SELECT * FROM ${fact} WHERE bloom_contains((SELECT bloom_ref(f) FROM b), ${key}))`,
    dim, s)}`;
const queries = [
  [`dense keys, ${rows / 1e6} M rows`, 'fact', 'id', inner('id')],
  [`scattered keys, ${rows / 1e6} M rows`, 'fact', 'wide', inner('wide')],
  [`text keys, ${fewer / 1e6} M rows`, 'fact_text', 'name', inner('name')],
  [`EXISTS, ${fewer / 1e6} M rows`, 'fact_few', 'wide', exists],
  [`GROUP BY, then the join, ${fewer / 1e6} M rows`, 'fact_few', 'wide', (fact, dim, s) =>
    inner('wide')(`(SELECT wide, sum(v) AS v FROM ${fact} GROUP BY wide)`, dim, s)],
  [`a window, then the join, ${fewer / 1e6} M rows`, 'fact_few', 'wide', (fact, dim, s) =>
    inner('wide')(`(SELECT wide, row_number() OVER (PARTITION BY wide ORDER BY v) AS v
                    FROM ${fact})`, dim, s)],
];

// The line that the experiments in C++ end with.
const provenance = execFileSync(join(build, 'bench/provenance'), { encoding: 'utf8' }).trim();
const version = (await one('SELECT version()'))[0];
const source = `DuckDB ${version}. Printed on ${provenance}, by \`${command}\`.`;

const isForPages = command.startsWith('bench/experiment');
if (isForPages) console.log('=== duckdb.md');
row(['query', `selected of ${dimension / 1e6} M keys`, 'no filter, s', "DuckDB's filter, s",
  'ours, s', "ours : DuckDB's"]);
console.log('|---|---|---|---|---|---|');
for (const [name, fact, key, query] of queries) {
  for (const s of [0.01, 0.5, 0.9]) {
    const plain = query(fact, 'dim', s);
    const [none, its, mine] = await medians(`${name} at ${s}`,
      [[plain, false], [plain, true], [filtered(query, fact, 'dim', key, s), true]]);
    row([name, percent(s), none.toFixed(3), its.toFixed(3), ...ratio(mine, its)]);
  }
}

// The sizes of the build side, and threads.
const sizes = [1e4, 1e6, 1e7], threads = [1, 2];
console.log('\n`EXISTS` with 1 % of the keys selected, by keys of the dimension and threads:\n');
row(['keys', ...threads.flatMap((t) =>
  [`DuckDB's, ${t} thread${t > 1 ? 's' : ''}, s`, 'ours, s', "ours : DuckDB's"])]);
console.log(`|${'---|'.repeat(1 + 3 * threads.length)}`);
for (const n of sizes) {
  await db.run(`CREATE OR REPLACE TABLE dim_n AS SELECT ${wide('i')} AS wide,
    (hash(i) % 1000000) / 1000000.0 AS selected FROM range(${n}) t(i)`);
  await db.run(`CREATE OR REPLACE TABLE fact_n AS SELECT ${wide(`hash(i) % ${n}`)} AS wide,
    i % 1000 AS v FROM range(${fewer}) t(i)`);
  const cells = [n.toLocaleString('en-US')];
  for (const t of threads) {
    await db.run(`SET threads = ${t}`);
    const [its, mine] = await medians(`${n} keys`, [[exists('fact_n', 'dim_n', 0.01), true],
      [filtered(exists, 'fact_n', 'dim_n', 'wide', 0.01), true]]);
    cells.push(its.toFixed(3), ...ratio(mine, its));
  }
  row(cells);
}
const runs = `Medians of ${passes} runs, in turn, on 2 threads`;
console.log(`\n${runs} unless the table says so; ${source}`);

// The page's tables, its query, and the query with the filter.
if (isForPages) {
  const [tables, without, filteredToo] =
    [...readFileSync('src/adapters/duckdb/README.md', 'utf8').matchAll(/^```sql\n(.*?)^```/gms)]
      .map((block) => block[1]);
  for (const sql of tables.split(/;\n/)) if (sql.trim()) await db.run(sql);
  const [its, mine] = await medians('README.md', [[without, true], [filteredToo, true]]);
  console.log('=== README.md');
  console.log(`**${its.toFixed(3)} s without the filter, ${mine.toFixed(3)} s with it,** its build`
    + ` included: ${(its / mine).toFixed(1)} times as fast.\n\n${runs}; ${source}`);
}
process.exit(0);
