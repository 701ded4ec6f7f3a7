// duckdb_map.mjs BUILD [SCALE [COMMAND [SECTION]..]]: where filters of the extension pay in an
// unmodified DuckDB, and where not: the time of a query with ours over its time with DuckDB's own
// join filters. Prints Markdown.
import { DuckDBInstance } from '@duckdb/node-api';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [build, scaleText = '1', command = 'bench/experiment duckdb_map', ...chosen] =
  process.argv.slice(2);
const scale = Number(scaleText), passes = 3;
const folder = command === 'child' ? chosen[0] : mkdtempSync(join(tmpdir(), 'simdbloom-map-'));
if (command !== 'child')
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const options = { allow_unsigned_extensions: 'true', threads: '2' };
let instance;
const open = async (path, more = {}) => {
  instance?.closeSync();
  instance = await DuckDBInstance.create(path, { ...options, ...more });
  const connection = await instance.connect();
  await connection.run(`LOAD '${build}/simdbloom.duckdb_extension'`);
  await connection.run(`SET temp_directory = '${join(folder, 'spilled')}'`);
  return connection;
};
let db;
const all = async (sql) => (await db.runAndReadAll(sql)).getRows();
const one = async (sql) => (await all(sql))[0];
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/// The medians of the ways of a query, in turn. A way is SQL or a function; all answers must be
/// that of the first, unless the way is `about`, which may find more.
const compare = async (name, ways, runs = passes) => {
  const times = ways.map(() => []);
  let right;
  for (let pass = 0; pass < runs; ++pass)
    for (const [i, way] of ways.entries()) {
      const { sql, own = true, before = [], about = false } = way;
      await db.run(`SET disabled_optimizers = '${own ? '' : 'join_filter_pushdown'}'`);
      const start = process.hrtime.bigint();
      for (const statement of before) await db.run(statement);
      const result = String(await one(sql));
      times[i].push(Number(process.hrtime.bigint() - start) / 1e9);
      right ??= result;
      if (!about && result !== right)
        throw new Error(`${name}: ${result} in place of ${right}: ${sql}`);
    }
  return times.map(median);
};
const seconds = (time) => time.toFixed(time < 0.1 ? 4 : 3);
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);
const head = (...cells) => {
  row(...cells);
  row(...cells.map(() => '---'));
};

// Keys are scattered over 63 bits, so that neither their range nor the order of rows gives the join
// away; `selected < s` takes a share s of them.
const wide = (i) => `((${i})::UBIGINT * 2654435761 + 12345)::BIGINT`;
const share = (i) => `(hash(${i} + 77) % 1000000) / 1000000.0 AS selected`;
const filter = (keys, from) => `MATERIALIZED (SELECT bloom_filter(${keys}, 12) AS f FROM ${from})`;
const found = (name, key) => `bloom_contains((SELECT bloom_ref(f) FROM ${name}), ${key})`;
const shares = [0.01, 0.1, 0.5, 0.9];
const percent = (s) => `${100 * s} %`;

const sections = {};

/// A row for each query and share of the dimension. A query is [name, key columns, table, sql(the
/// table or its rows that pass, share), rows of the table].
/// By hand the facts are joined with the keys before the rest of the query.
const table = async (queries, { off = true, byHand = false } = {}) => {
  head('query', 'fact rows', 'selected', ...off ? ["DuckDB's filters off, s", 'on, s'] :
    ["DuckDB's filters, s"], 'ours, s', ...byHand ? ['a join by hand, s'] : [], 'ours : on',
  ...byHand ? ['ours : by hand'] : []);
  for (const [name, key, of, query, rows] of queries)
    for (const s of shares) {
      const passing = `(SELECT * FROM ${of} WHERE ${found('b', key.replace(/[()]/g, ''))})`;
      const plain = query(of, s);
      const ours = `WITH b AS ${filter(key, `dim WHERE selected < ${s}`)} ${query(passing, s)}`;
      const ways = [{ sql: plain }, { sql: ours }];
      if (byHand) ways.push({ sql: query(`(SELECT f.* FROM ${of} f JOIN
        (SELECT k AS key FROM dim WHERE selected < ${s}) ON f.k = key)`, s) });
      if (off) ways.unshift({ sql: plain, own: false });
      const times = await compare(`${name} at ${s}`, ways);
      row(name, `${rows / 1e6} M`, percent(s), ...times.map(seconds),
        (times[off + 1] / times[+off]).toFixed(2),
        ...byHand ? [(times[1] / times[2]).toFixed(2)] : []);
    }
};
const inner = (select, on = 'f.k = d.k', dimension = 'dim') => (f, s) =>
  `SELECT count(*), ${select} FROM ${f} f JOIN ${dimension} d ON ${on} WHERE d.selected < ${s}`;

const rows = 20_000_000 * scale, wideRows = rows / 4, dimension = 2_000_000 * scale;
const makeStar = async () => {
  db = await open(join(folder, 'star.db'));
  await db.run(`CREATE TABLE IF NOT EXISTS dim AS SELECT ${wide('i')} AS k, i % 1000 AS a,
    md5(i::VARCHAR) || md5(i::VARCHAR) AS name, ${share('i')} FROM range(${dimension}) t(i)`);
  await db.run(`CREATE TABLE IF NOT EXISTS fact AS SELECT ${wide('k')} AS k, k % 1000 AS a, i AS v
    FROM (SELECT i, (hash(i) % ${dimension})::BIGINT AS k FROM range(${rows}) t(i))`);
  await db.run(`CREATE TABLE IF NOT EXISTS fact_wide AS SELECT *, md5(v::VARCHAR) || md5(k::VARCHAR)
    AS name, 'note ' || md5((v + 1)::VARCHAR) AS note FROM fact LIMIT ${wideRows}`);
};

sections.before = async () => {
  await makeStar();
  await table([
    ['a window over the facts, then the join', 'k', 'fact_wide', (f, s) => inner('sum(r)')(
      `(SELECT k, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM ${f})`, s), wideRows],
    ['ASOF join', 'k', 'fact_wide', (f, s) => `SELECT count(*), sum(f.v)
      FROM (SELECT * FROM dim WHERE selected < ${s}) d
      ASOF JOIN ${f} f ON f.k = d.k AND d.a * 10000 * ${scale} >= f.v`, wideRows],
    ['GROUP BY of the facts, then the join', 'k', 'fact', (f, s) =>
      inner('sum(v)')(`(SELECT k, sum(v) AS v FROM ${f} GROUP BY k)`, s), rows],
    ['semi join: EXISTS, IN', 'k', 'fact', (f, s) => `SELECT count(*), sum(v) FROM ${f} f
      WHERE EXISTS (SELECT 1 FROM dim d WHERE f.k = d.k AND d.selected < ${s})`, rows],
  ], { off: false, byHand: true });
};

sections.joins = async () => {
  await makeStar();
  await table([
    ['two key columns', '(k, a)', 'fact', inner('sum(v)', 'f.k = d.k AND f.a = d.a'), rows],
    ['keys of two types: BIGINT = HUGEINT', 'k', 'fact',
      inner('sum(v)', 'f.k = d.k', '(SELECT k::HUGEINT AS k, selected FROM dim)'), rows],
    ['one key, narrow rows', 'k', 'fact', inner('sum(v)'), rows],
    ['LEFT JOIN of the dimension with the facts', 'k', 'fact', (f, s) =>
      `SELECT count(*), sum(v) FROM (SELECT * FROM dim WHERE selected < ${s}) d
       LEFT JOIN ${f} f ON f.k = d.k`, rows],
    ['texts of 37 and 64 bytes in the facts', 'k', 'fact_wide',
      inner('sum(length(f.name) + ascii(f.note))'), wideRows],
    ['a text of 64 bytes in the dimension', 'k', 'fact', inner('sum(ascii(d.name))'), rows],
  ]);
};

sections.spilled = async () => {
  const large = 6_000_000 * scale, limit = Math.max(60, Math.round(300 * scale));
  db = await open(join(folder, 'spilled.db'));
  await db.run(`CREATE TABLE dim AS SELECT ${wide('i')} AS k, ${share('i')},
    md5(i::VARCHAR) || md5((i + 1)::VARCHAR) AS name FROM range(${large}) t(i)`);
  await db.run(`CREATE TABLE fact AS SELECT ${wide(`hash(i) % ${large}`)} AS k, i AS v, i % 7 AS w
    FROM range(${rows}) t(i)`);
  await db.run(`CREATE TABLE fact_wide AS SELECT *, md5(v::VARCHAR) || md5((v + 7)::VARCHAR) AS note
    FROM fact LIMIT ${wideRows}`);
  const narrow = inner('sum(v + w), sum(ascii(d.name))');
  await table([['narrow facts, no limit', 'k', 'fact', narrow, rows]], { off: false });
  await db.run(`SET memory_limit = '${limit}MB'`);
  console.log();
  await table([
    [`narrow facts, ${limit} MB`, 'k', 'fact', narrow, rows],
    [`facts with a text of 64 bytes, ${limit} MB`, 'k', 'fact_wide',
      inner('sum(ascii(f.note)), sum(ascii(d.name))'), wideRows],
  ], { off: false });
};

sections.transfer = async () => {
  const facts = 5_000_000 * scale, large = 1_000_000 * scale, small = 10_000 * scale;
  db = await open(join(folder, 'transfer.db'));
  const scattered = (i, n) => wide(`hash(${i}) % ${n}`);
  await db.run(`CREATE TABLE fact AS SELECT ${scattered('i', large)} AS a,
    ${scattered('i + 1000000007', large)} AS b, ${scattered('i + 2000000011', small)} AS c, i AS v
    FROM range(${facts}) t(i)`);
  for (const [table, salt] of [['a', 1], ['b', 2]])
    await db.run(`CREATE TABLE large_${table} AS SELECT ${wide('i')} AS id,
      ${scattered('i + 5', small)} AS s, md5(i::VARCHAR) AS name, ${share(`i + ${salt}`)}
      FROM range(${large}) t(i)`);
  await db.run(`CREATE TABLE small AS SELECT ${wide('i')} AS id, ${share('i')}
    FROM range(${small}) t(i)`);
  const shapes = [
    ['chain: fact, large, small (selected)', 'a.name',
      ['fact f', 'large_a a', 'small s WHERE s.selected < S'], ['f.a = a.id', 'a.s = s.id']],
    ['star: fact, small (selected), two large ones', 'a.name || b.name',
      ['fact f', 'small s WHERE s.selected < S', 'large_a a', 'large_b b'],
      ['f.c = s.id', 'f.a = a.id', 'f.b = b.id']],
    ['star: fact, two large ones (selected)', 'a.name || b.name',
      ['fact f', 'large_a a WHERE a.selected < S', 'large_b b WHERE b.selected < S'],
      ['f.a = a.id', 'f.b = b.id']],
    ['chain: fact, two large ones, small (selected)', 'a.name || b.name',
      ['fact f', 'large_a a', 'large_b b', 'small s WHERE s.selected < S'],
      ['f.a = a.id', 'f.b = b.id', 'b.s = s.id']],
  ];
  head('query', 'selected', "DuckDB's filters, s", 'bloom_transfer, s', 'forward only, s',
    'transfer : on', 'forward only : on');
  for (const [name, text, tables, joins] of shapes)
    for (const s of shares) {
      const with_ = tables.map((table) => table.replace('S', s).replace('WHERE', 'where'));
      const where = with_.map((table) => table.split(' where ')[1]).filter((text) => text);
      const select = `count(*), sum(f.v), sum(ascii(${text}))`;
      const plain = `SELECT ${select} FROM ${with_.map((t) => t.split(' where ')[0]).join(', ')}
        WHERE ${[...joins, ...where].join(' AND ')}`;
      const list = (texts) => `[${texts.map((text) => `'${text}'`).join(', ')}]`;
      const written = async (backward) => (await one(`SELECT bloom_transfer(${list(with_)},
        ${list(joins)}, '${select}', '', ${backward})`))[0];
      const [own, both, forward] = await compare(`${name} at ${s}`,
        [{ sql: plain }, { sql: await written(true) }, { sql: await written(false) }]);
      row(name, percent(s), ...[own, both, forward].map(seconds), (both / own).toFixed(2),
        (forward / own).toFixed(2));
    }
};

// Customers of whom a query over all orders found something out. The next queries, and those of
// another process, ask for the orders of these customers.
const seen = (limit) => `SELECT k FROM orders GROUP BY k HAVING sum(v % 1000) > ${limit}`;
sections.kept = async () => {
  const of = rows / 2, customers = dimension / 2, path = join(folder, 'kept.db');
  db = await open(path);
  for (const [table, salt] of [['orders', 0], ['visits', 3_000_000_019]])
    await db.run(`CREATE TABLE ${table} AS SELECT ${wide(`hash(i + ${salt}) % ${customers}`)} AS k,
      i AS v FROM range(${of}) t(i)`);
  // What a customer's orders add up to: about 5,000 give or take 1,800.
  const limits = { 0.01: 9600, 0.1: 7400, 0.5: 4900, 0.9: 2700 };
  for (const [i, limit] of Object.values(limits).entries()) {
    await db.run(`CREATE TABLE keys_${i} AS ${seen(limit)}`);
    await db.run(`CREATE TABLE filter_${i} AS SELECT bloom_filter(k, 12) AS f FROM keys_${i}`);
  }
  db.closeSync();
  instance.closeSync();
  instance = undefined;
  const child = spawnSync(process.execPath, [process.argv[1], build, scaleText, 'child', folder,
    ...Object.values(limits)], { encoding: 'utf8', stdio: ['pipe', 'pipe', 'inherit'] });
  if (child.status !== 0) throw new Error(`the other process ended with ${child.status}`);
  process.stdout.write(child.stdout);
};
const askKept = async (limits) => {
  db = await open(join(folder, 'kept.db'), { access_mode: 'READ_ONLY' });
  const query = (from) => `SELECT count(*), sum(v) FROM ${from}`;
  head('keys selected', 'selected again, s', 'from a table of keys, s', 'filter, then the table, s',
    'filter alone, s', 'rows too many', 'filter, table : selected again', 'filter, table : table',
    'filter alone : table');
  for (const [i, limit] of limits.entries()) {
    const passing = `(SELECT * FROM visits WHERE ${found(`filter_${i}`, 'k')})`;
    const ways = [{ sql: query(`visits JOIN (${seen(limit)}) USING (k)`) },
      { sql: query(`visits JOIN keys_${i} USING (k)`) },
      { sql: query(`${passing} JOIN keys_${i} USING (k)`) },
      { sql: query(passing), about: true }];
    const [again, keys, both, alone] = await compare(`kept ${limit}`, ways);
    const [[exact], [passed]] = [await one(ways[1].sql), await one(ways[3].sql)];
    const [selected] = await one(`SELECT (SELECT count(*) FROM keys_${i}) /
      (SELECT count(DISTINCT k) FROM orders)`);
    row(`${(100 * selected).toFixed(1)} %`, ...[again, keys, both, alone].map(seconds),
      `${(100 * (Number(passed) / Number(exact) - 1)).toFixed(2)} %`, (both / again).toFixed(2),
      (both / keys).toFixed(2), (alone / keys).toFixed(2));
  }
};

sections.parquet = async () => {
  const files = 100, rows = 100_000 * scale, lookups = 9;
  db = await open(':memory:');
  head('values', 'files', 'values looked for', 'all files, s', 'files that filters name, s',
    'files read', 'ours : all files');
  // Values of a file lie anywhere in 62 bits. DuckDB writes Bloom filters for columns that it keeps
  // as dictionaries: those with few distinct values.
  for (const [kind, repeats] of [['one row each', 1], ['64 rows each', 64]]) {
    const path = join(folder, `files_${repeats}`);
    mkdirSync(path);
    const value = (i) => `(hash((${i}) // ${repeats}) >> 2)::BIGINT`;
    for (let file = 0; file < files; ++file)
      await db.run(`COPY (SELECT ${value(`${file * rows} + i`)} AS k, md5(i::VARCHAR) AS note
        FROM range(${rows}) t(i)) TO '${path}/${String(file).padStart(3, '0')}.parquet'`);
    if (readdirSync(path).length !== files) throw new Error(path);
    await db.run(`CREATE TABLE filters_${repeats} AS SELECT filename, bloom_filter(k, 12) AS f
      FROM read_parquet('${path}/*.parquet', filename = true) GROUP BY filename`);
    for (const [what, n, from] of [['present', 1, 0], ['absent', 1, files * rows],
      ['present', 20, 0]]) {
      const times = [[], []];
      let read = 0;
      for (let j = 0; j < lookups; ++j) {
        const at = (x) => from + Math.floor((j * n + x) * files * rows / (lookups * n));
        const values = (await one(`SELECT ${Array.from({ length: n }, (_, x) => value(at(x)))}`))
          .map((v) => `${v}`).join(', ');
        const query = (source) => `SELECT count(*), sum(ascii(note)) FROM read_parquet(${source})
          WHERE k IN (${values})`;
        const name = `SET VARIABLE files = (SELECT list(filename) FROM filters_${repeats}
          WHERE list_bool_or([${values.split(', ').map((v) => `bloom_contains(f, ${v})`)}]))`;
        await db.run(name);
        const [[hits]] = await all("SELECT coalesce(len(getvariable('files')), 0)");
        read += Number(hits);
        const none = 'SELECT 0, NULL';
        const [[a], [b]] = [await compare('all', [{ sql: query(`'${path}/*.parquet'`) }], 1),
          await compare('some', [{ before: [name],
            sql: Number(hits) > 0 ? query("getvariable('files')") : none }], 1)];
        const right = String(await one(query(`'${path}/*.parquet'`)));
        const mine = Number(hits) > 0 ? String(await one(query("getvariable('files')"))) : '0,';
        if (mine !== right) throw new Error(`${kind}, ${what}: ${mine} in place of ${right}`);
        times[0].push(a);
        times[1].push(b);
      }
      const [every, some] = times.map(median);
      row(kind, files, `${n} ${what}`, seconds(every), seconds(some),
        (read / lookups).toFixed(2), (some / every).toFixed(2));
    }
  }
};

if (command === 'child') {
  await askKept(chosen.slice(1));
  process.exit(0);
}
const titles = {
  before: "Where DuckDB's own filter does not reach", joins: 'Joins in memory',
  spilled: 'Joins that spill',
  transfer: 'Filters carried over several joins', kept: 'Filters kept for another process',
  parquet: 'Parquet files skipped',
};
for (const name of chosen.length > 0 ? chosen : Object.keys(sections)) {
  console.log(`### ${titles[name]}\n`);
  await sections[name]();
  console.log();
}
// The line that the experiments in C++ end with.
const provenance = execFileSync(join(build, 'bench/provenance'), { encoding: 'utf8' }).trim();
db = await open(':memory:');
const version = (await one('SELECT version()'))[0];
console.log(`Medians of ${passes} runs, in turn, on 2 threads; DuckDB ${version}.`
  + ` Printed on ${provenance}, by \`${command}\`.`);
process.exit(0);
