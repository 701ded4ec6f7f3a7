// parquet_points.mjs BUILD [ROWS [COMMAND]]: single values looked for in a Parquet file that DuckDB
// wrote: by row groups as `simdbloom parquet` finds them, and by DuckDB itself with and without the
// file's Bloom filters. Prints Markdown.
import { DuckDBInstance } from '@duckdb/node-api';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [build, rowsText = '10000000', command = 'bench/experiment parquet_points'] =
  process.argv.slice(2);
const rows = Number(rowsText), lookups = 200, repeats = 64;
const tool = join(build, 'src/tools/simdbloom'), encoding = 'utf8';
const folder = mkdtempSync(join(tmpdir(), 'simdbloom-parquet-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
const db = await instance.connect();
const all = async (sql) => (await db.runAndReadAll(sql)).getRows();

// Orders of which each has 64 lines: few values a row group, so that DuckDB makes a dictionary and
// with it a Bloom filter, scattered over the whole range, so that minima and maxima exclude
// nothing.
const order = (i) => `(hash((${i}) // ${repeats}) >> 2)::BIGINT`;
const files = { with: join(folder, 'with.parquet'), without: join(folder, 'without.parquet') };
for (const [name, file] of Object.entries(files))
  await db.run(`COPY (SELECT ${order('i')} AS order_id, i % 1000 AS v FROM range(${rows}) t(i))
                TO '${file}' (FORMAT parquet, WRITE_BLOOM_FILTER ${name === 'with'})`);

const ofOrders = ['parquet', files.with, '-c', 'order_id'];
const listed = execFileSync(tool, ofOrders, { encoding }).split('\n').slice(1)
  .filter((line) => / INT64 /.test(line)).map((line) => line.trim().split(/ +/));
const groups = listed.length, filters = listed.filter((line) => /^\d+$/.test(line[5] ?? ''));
if (filters.length !== groups)
  throw new Error(`${groups} row groups, ${filters.length} with a Bloom filter`);
const filterBytes = filters.reduce((sum, line) => sum + Number(line[5]), 0);
const fpr = filters.reduce((sum, line) => sum + parseFloat(line[7]), 0) / filters.length / 100;

const orders = async (i) =>
  (await all(`SELECT ${order(i)} FROM range(${lookups}) t(i)`)).map(([v]) => v);
const present = await orders(`i * ${Math.floor(rows / lookups)}`);
const absent = await orders(`${rows} + ${repeats} * i`);
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const milliseconds = (since) => Number(process.hrtime.bigint() - since) / 1e6;

const results = {};
for (const [kind, keys] of Object.entries({ present, absent })) {
  let named = 0;
  const times = { tool: [], with: [], without: [] };
  for (const key of keys) {
    let start = process.hrtime.bigint();
    const run = spawnSync(tool, [...ofOrders, '-k', String(key)], { encoding });
    times.tool.push(milliseconds(start));
    if (run.status !== 0 && run.status !== 3) throw new Error(run.stderr);
    named += (run.stdout.match(/: read/g) ?? []).length;
    for (const name of ['with', 'without']) {
      start = process.hrtime.bigint();
      const [[count]] = await all(`SELECT count(*) FROM '${files[name]}' WHERE order_id = ${key}`);
      times[name].push(milliseconds(start));
      if (Number(count) !== (kind === 'present' ? repeats : 0))
        throw new Error(`${kind} ${key}: ${count} rows`);
    }
  }
  const medians = Object.entries(times).map(([name, values]) => [name, median(values)]);
  results[kind] = { named: named / keys.length, ...Object.fromEntries(medians) };
}
let start = process.hrtime.bigint();
for (let i = 0; i < 50; ++i) spawnSync(tool, ['--help']);
const process_ms = milliseconds(start) / 50;

const mebibytes = (bytes, digits) => (bytes / 2 ** 20).toFixed(digits);
console.log(`${rows / 1e6} million rows in ${groups} row groups, `
  + `${mebibytes(statSync(files.with).size, 1)} MiB with Bloom filters of `
  + `${mebibytes(filterBytes, 2)} MiB in all, ${repeats} rows a value; ${lookups} values each.\n`);
console.log('| value | row groups to read, mean | of those that do not hold it '
  + '| `simdbloom parquet -k`, ms a process | DuckDB, file with Bloom filters, ms a query '
  + '| file without, ms |');
console.log('|---|---|---|---|---|---|');
for (const [kind, r] of Object.entries(results)) {
  const wrong = kind === 'absent' ? `${(100 * r.named / groups).toFixed(2)} %` : '';
  const times = [r.tool, r.with, r.without].map((t) => t.toFixed(2)).join(' | ');
  console.log(`| ${kind} | ${r.named.toFixed(2)} of ${groups} | ${wrong} | ${times} |`);
}
console.log(`\nFPR that the filters' bits say: ${(100 * fpr).toFixed(2)} %. Medians; `
  + `a process that prints its help takes ${process_ms.toFixed(2)} ms.`);
// The line that the experiments in C++ end with.
const provenance = execFileSync(join(build, 'bench/provenance'), { encoding }).trim();
const version = (await all('SELECT version()'))[0][0];
console.log(`\nDuckDB ${version}, 2 threads. Printed on ${provenance}, by \`${command}\`.`);
process.exit(0);
