// bank_row_groups.mjs BUILD [COMMAND]: a word looked for in a Parquet file of hundreds of row
// groups that DuckDB wrote. bank_row_groups.cpp says which row groups zone maps, the file's Bloom
// filters and a bank of them leave; DuckDB is timed with and without filters. Prints Markdown.
import { DuckDBInstance } from '@duckdb/node-api';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [build, command = 'bench/experiment bank_row_groups'] = process.argv.slice(2);
const words = '/usr/share/dict/american-english-huge', queries = 50;
const bursts = 3, rowsOfBurst = 16, rowsOfGroup = 20480;
const folder = mkdtempSync(join(tmpdir(), 'simdbloom-row-groups-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const db = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();
const all = async (sql) => (await db.runAndReadAll(sql)).getRows();
const path = (name) => join(folder, name);

// Every second word is in the file, in bursts of rows, in random order: minima and maxima exclude
// nothing. A row group has about rowsOfGroup / rowsOfBurst words, few enough for a dictionary,
// without which DuckDB writes no filter.
await db.run(`CREATE TABLE words AS SELECT word, row_number() OVER () AS n FROM
  read_csv('${words}', header = false, delim = '\\0', quote = '', columns = {word: 'VARCHAR'})`);
for (const filters of [true, false])
  await db.run(`COPY (SELECT word, i AS v
      FROM words, range(${bursts}) b(b), range(${rowsOfBurst}) t(i)
      WHERE n % 2 = 0 ORDER BY hash(n * ${bursts} + b), i)
    TO '${path(filters ? 'with.parquet' : 'without.parquet')}'
    (FORMAT parquet, ROW_GROUP_SIZE ${rowsOfGroup}, WRITE_BLOOM_FILTER ${filters})`);
const lines = (name, rows) =>
  writeFileSync(path(name), rows.map((row) => row.join('\t') + '\n').join(''));
lines('zones', await all(`SELECT stats_min_value, stats_max_value
  FROM parquet_metadata('${path('with.parquet')}')
  WHERE path_in_schema = 'word' ORDER BY row_group_id`));
const present = await all('SELECT word FROM words WHERE n % 2 = 0 ORDER BY hash(n) LIMIT 4096');
const absent = await all('SELECT word FROM words WHERE n % 2 = 1 ORDER BY hash(n) LIMIT 4096');
lines('present', present);
lines('absent', absent);

const [[rows]] = await all(`SELECT count(*) FROM '${path('with.parquet')}'`);
const mib = (name) => (statSync(path(name)).size / 2 ** 20).toFixed(1);
console.log(`${(Number(rows) / 1e6).toFixed(1)} million rows of words of \`${words}\`:`
  + ` every second word, in ${bursts}`
  + ` places of ${rowsOfBurst} rows. ${mib('with.parquet')} MiB;`
  + ` ${mib('without.parquet')} without filters.`);
process.stdout.write(execFileSync(join(build, 'bench/experiment_bank_row_groups'),
  ['with.parquet', 'zones', 'present', 'absent'].map(path), { encoding: 'utf8' }));

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const names = ['without.parquet', 'with.parquet'];
console.log(`\nDuckDB, \`count(*) .. WHERE word = ..\`, ms, medians of ${queries} words:\n`);
console.log('| word | no filters | filters |\n|---|---|---|');
for (const [kind, some] of [['present', present], ['absent', absent], ['no `WHERE`', present]]) {
  const times = names.map(() => []);
  for (const [word] of some.slice(0, queries))
    for (const [i, name] of names.entries()) {
      const where = kind.startsWith('no') ? '' : `WHERE word = '${word.replaceAll("'", "''")}'`;
      const start = process.hrtime.bigint();
      const [[count]] = await all(`SELECT count(*) FROM '${path(name)}' ${where}`);
      times[i].push(Number(process.hrtime.bigint() - start) / 1e6);
      const right = { present: bursts * rowsOfBurst, absent: 0 }[kind] ?? Number(rows);
      if (Number(count) !== right) throw new Error(`${kind} ${word}: ${count} rows`);
    }
  console.log(`| ${kind} | ${times.map((t) => median(t).toFixed(2)).join(' | ')} |`);
}
// The line that the experiments in C++ end with.
const provenance = execFileSync(join(build, 'bench/provenance'), { encoding: 'utf8' }).trim();
const [[version]] = await all('SELECT version()');
console.log(`\nDuckDB ${version}, 2 threads. Printed on ${provenance}, by \`${command}\`.`);
process.exit(0);
