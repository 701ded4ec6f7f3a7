// star_schema_duckdb.mjs BUILD [SCALE [KEYS [THREADS]]]: the Star Schema Benchmark in an unmodified
// DuckDB: its own filters on and off, and ours. KEYS is "benchmark", "scattered" or "all". Prints
// Markdown.
//
// The tables are those of joins/star_schema.hpp, by the same formula. Sums must be those of
// experiment_star_schema, whose queries were written apart from these.
import { DuckDBInstance } from '@duckdb/node-api';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const [build, scaleText = '10', keys = 'all', threads = '2'] = process.argv.slice(2);
const scale = Number(scaleText), passes = 3;
if (!['all', 'benchmark', 'scattered'].includes(keys) || !['1', '2'].includes(threads))
  throw new Error(`star_schema_duckdb: keys "${keys}" on ${threads} threads`);
const program = join(build, 'bench/experiment_star_schema');
const right = new Map(execFileSync(program, [scaleText, 'sums'], { encoding: 'utf8' }).trim()
  .split('\n').map((line) => line.split(' ')).map(([name, rows, sum]) => [name, { rows, sum }]));
const instance = await DuckDBInstance.create(':memory:', {
  allow_unsigned_extensions: 'true', threads: '2',
});
const db = await instance.connect();
await db.run(`LOAD '${build}/simdbloom.duckdb_extension'`);
const all = async (sql) => (await db.runAndReadAll(sql)).getRows();

// 32 mixed bits of a number, a number below n, and a key anywhere among 2^63.
await db.run(`
  CREATE MACRO low(x) AS x & 4294967295::UBIGINT;
  CREATE MACRO fold(x, s) AS xor(x, x >> s);
  CREATE MACRO mixed(c, i) AS
    fold(low(fold(low(fold(low(low(i::UBIGINT) * c::UBIGINT), 16) * 2246822507::UBIGINT), 13)
             * 3266489909::UBIGINT), 16);
  CREATE MACRO below(c, i, n) AS ((mixed(c, i) * n::UBIGINT) >> 32)::INTEGER;
  CREATE MACRO scattered(k) AS
    (((mixed(2654435761, k) >> 1) << 32) | mixed(2246822519, k))::BIGINT;`);
const days = 2556, parts = 200_000 * (1 + Math.floor(Math.log2(scale)));
const dimension = async (name, n, column, leaves) =>
  db.run(`CREATE TABLE ${name} AS SELECT i::INTEGER AS key, scattered(i) AS wide,
          below(${column}, i, ${leaves}) AS leaf FROM range(1, ${n + 1}) t(i)`);
await db.run(`
  CREATE TABLE date AS SELECT number, key, scattered(key) AS wide, year, month, week
  FROM (SELECT i AS number, (year(d) * 10000 + month(d) * 100 + day(d))::INTEGER AS key,
               year(d)::INTEGER AS year, month(d)::INTEGER AS month,
               ((dayofyear(d) - 1) // 7 + 1)::INTEGER AS week
        FROM (SELECT i, DATE '1992-01-01' + i::INTEGER AS d FROM range(${days}) t(i)))`);
await dimension('customer', 30_000 * scale, 3266489917, 250);
await dimension('supplier', 2_000 * scale, 668265263, 250);
await dimension('part', parts, 374761393, 1000);
await db.run(`
  CREATE TABLE lineorder AS
  SELECT date.key AS date, customer, supplier, part, date.wide AS date_wide,
         scattered(customer) AS customer_wide, scattered(supplier) AS supplier_wide,
         scattered(part) AS part_wide, quantity::TINYINT AS quantity, discount::TINYINT AS discount,
         quantity * each AS price, quantity * each * (100 - discount) // 100 AS revenue,
         each * 6 // 10 AS cost
  FROM (SELECT below(2869860233, (i + 3) // 4, ${days}) AS number,
               1 + below(3624381081, (i + 3) // 4, ${30_000 * scale}) AS customer,
               1 + below(961748941, i, ${2_000 * scale}) AS supplier,
               1 + below(2038074743, i, ${parts}) AS part,
               1 + below(1190494759, i, 50) AS quantity, below(1500450271, i, 11) AS discount,
               900 + below(4093082899, i, 1100) AS each
        FROM range(1, ${6_000_000 * scale + 1}) t(i)) l JOIN date ON l.number = date.number`);

// Nations, regions, categories and manufacturers are ranges of cities and of brands.
const [nation, city, category, brand] = [
  (d) => [`${d}.leaf // 10`, 25], (d) => [`${d}.leaf`, 250],
  (d) => [`${d}.leaf // 40`, 25], (d) => [`${d}.leaf`, 1000]];
const year = ['date.year - 1992', 7];
const [america, asia, europe] = [1, 2, 3].map((region) => `leaf // 50 = ${region}`);
const states = 'leaf // 10 = 9', kingdom = 'leaf IN (191, 195)', makers = 'leaf // 200 IN (0, 1)';
const six = 'year BETWEEN 1992 AND 1997', two = 'year IN (1997, 1998)';
const discounted = (date, discount, quantity) => ({
  sum: 'price * discount', on: { date }, groups: [],
  where: `discount BETWEEN ${discount} AND quantity ${quantity}`,
});
const query = (sum, on, groups) => ({ sum, on, groups, where: 'true' });
const profit = 'revenue - cost';
// Of each dimension that is joined its predicate; null: all rows.
const queries = {
  'Q1.1': discounted('year = 1993', '1 AND 3', '< 25'),
  'Q1.2': discounted('year = 1994 AND month = 1', '4 AND 6', 'BETWEEN 26 AND 35'),
  'Q1.3': discounted('year = 1994 AND week = 6', '5 AND 7', 'BETWEEN 26 AND 35'),
  'Q2.1': query('revenue', { date: null, supplier: america, part: 'leaf // 40 = 1' },
    [year, brand('part')]),
  'Q2.2': query('revenue', { date: null, supplier: asia, part: 'leaf BETWEEN 260 AND 267' },
    [year, brand('part')]),
  'Q2.3': query('revenue', { date: null, supplier: europe, part: 'leaf = 278' },
    [year, brand('part')]),
  'Q3.1': query('revenue', { date: six, customer: asia, supplier: asia },
    [year, nation('customer'), nation('supplier')]),
  'Q3.2': query('revenue', { date: six, customer: states, supplier: states },
    [year, city('customer'), city('supplier')]),
  'Q3.3': query('revenue', { date: six, customer: kingdom, supplier: kingdom },
    [year, city('customer'), city('supplier')]),
  'Q3.4': query('revenue',
    { date: 'year = 1997 AND month = 12', customer: kingdom, supplier: kingdom },
    [year, city('customer'), city('supplier')]),
  'Q4.1': query(profit, { date: null, customer: america, supplier: america, part: makers },
    [year, nation('customer')]),
  'Q4.2': query(profit, { date: two, customer: america, supplier: america, part: makers },
    [year, nation('supplier'), category('part')]),
  'Q4.3': query(profit, { date: two, customer: america, supplier: states, part: 'leaf // 40 = 3' },
    [year, city('supplier'), brand('part')]),
};

// The share of a dimension that a predicate selects.
const shares = new Map();
const share = async (d, predicate) => {
  const count = (await all(`SELECT avg((${predicate})::INTEGER) FROM ${d}`))[0][0];
  shares.set(`${d} ${predicate}`, count);
};
for (const { on } of Object.values(queries))
  for (const [d, predicate] of Object.entries(on)) if (predicate) await share(d, predicate);

/// Our filters are of the dimensions of which at most the share `ours` is selected.
const sqlOf = ({ sum, on, groups, where }, wide, ours) => {
  const key = wide ? 'wide' : 'key', of = (d) => (wide ? `${d}_wide` : d);
  const names = Object.keys(on), chosen = names.filter((d) => on[d] !== null);
  const asked = chosen.filter((d) => shares.get(`${d} ${on[d]}`) <= ours);
  const filters = asked.map((d) => `f_${d} AS MATERIALIZED (
    SELECT bloom_filter(${key}, 12) AS f FROM ${d} WHERE ${on[d]})`);
  const found = asked.map((d) =>
    `bloom_contains((SELECT bloom_ref(f) FROM f_${d}), ${of(d)})`);
  const fact = ours > 0 ? `(SELECT * FROM lineorder WHERE ${[where, ...found].join(' AND ')})`
    : 'lineorder';
  // The number of a group is that of the program in C++.
  let factor = 1;
  const number = groups.map(([value, n]) => {
    const term = `(${value}) * ${factor}`;
    factor *= n;
    return term;
  }).concat('0').join(' + ');
  const of_dimension = (d) => on[d].replaceAll(/\b(leaf|year|month|week)\b/g, `${d}.$1`);
  return `${ours > 0 ? `WITH ${filters.join(', ')}` : ''}
    SELECT ${number} AS g, count(*) AS n, sum(${sum})::HUGEINT AS s FROM ${fact} l
    ${names.map((d) => `JOIN ${d} ON l.${of(d)} = ${d}.${key}`).join(' ')}
    WHERE ${[where, ...chosen.map(of_dimension)].join(' AND ')} GROUP BY g`;
};
const checked = (rows) => {
  let n = 0n, sum = 0n;
  for (const row of rows.map((values) => values.map((value) => BigInt(value ?? 0)))) {
    n += row[1];
    sum = BigInt.asUintN(64, sum + row[2] * (row[0] + 1n));
  }
  return { rows: String(n), sum: String(sum) };
};

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const mean = (values) => Math.exp(values.reduce((a, b) => a + Math.log(b), 0) / values.length);
const ways = [[0, false], [0, true], [1, false], [0.25, false]];  // ours, its own
await db.run(`SET threads = ${threads}`);
for (const wide of [false, true].filter((w) => keys !== (w ? 'benchmark' : 'scattered'))) {
  console.log(`\n### ${wide ? 'Scattered keys' : 'Keys of the benchmark'}, scale factor ${scale}, `
    + `${threads === '1' ? 'one thread' : `${threads} threads`}\n`);
  console.log('| query | rows | DuckDB, its filters off, ms | its filters on, ms | ours, ms '
    + '| ours that select a quarter or less, ms | off : its | off : ours | off : those '
    + '| its : those |');
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  const table = [];
  for (const [name, description] of Object.entries(queries)) {
    const times = ways.map(() => []);
    for (let pass = 0; pass < passes; ++pass) {
      for (const [i, [ours, its]] of ways.entries()) {
        await db.run(`SET disabled_optimizers = '${its ? '' : 'join_filter_pushdown'}'`);
        const sql = sqlOf(description, wide, ours);
        const start = process.hrtime.bigint();
        const rows = await all(sql);
        times[i].push(Number(process.hrtime.bigint() - start) / 1e6);
        const { rows: n, sum } = checked(rows);
        if (n !== right.get(name).rows || sum !== right.get(name).sum) {
          throw new Error(`${name}: ${n} rows and the checksum ${sum} in place of `
            + `${Object.values(right.get(name))}: ${sql}`);
        }
      }
    }
    const t = times.map(median);
    table.push([...t, t[0] / t[1], t[0] / t[2], t[0] / t[3], t[1] / t[3]]);
    const cells = table.at(-1).map((x, i) => x.toFixed(i < 4 ? 0 : 2));
    console.log(`| ${[name, right.get(name).rows, ...cells].join(' | ')} |`);
  }
  const column = (i) => table.map((row) => row[i]);
  const cells = [0, 1, 2, 3].map((i) => column(i).reduce((a, b) => a + b).toFixed(0))
    .concat([4, 5, 6, 7].map((i) => mean(column(i)).toFixed(2)));
  console.log(`| ${['all', 'sum of times; geometric mean of ratios', ...cells].join(' | ')} |`);
}
// The line that the experiments in C++ end with.
const provenance = execFileSync(join(build, 'bench/provenance'), { encoding: 'utf8' }).trim();
const version = (await all('SELECT version()'))[0][0];
console.log(`\nMedians of ${passes} runs, in turn; DuckDB ${version}.`
  + ` Printed on ${provenance}, by \`bench/experiment star_schema_duckdb\`.`);
process.exit(0);
