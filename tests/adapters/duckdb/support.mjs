// What the tests of the extension share: a DuckDB as it comes from npm, with the extension that the
// first argument names, and tests that report.
import { DuckDBInstance } from '@duckdb/node-api';
import assert from 'node:assert/strict';

export const instance = await DuckDBInstance.create(':memory:', {
  allow_unsigned_extensions: 'true', threads: '2' });
export const db = await instance.connect();
await db.run(`LOAD '${process.argv[2]}'`);

export const rows = async (sql, connection = db) =>
  (await connection.runAndReadAll(sql)).getRows();
export const one = async (sql) => (await rows(sql))[0][0];
export const refused = async (sql, words) => {
  await assert.rejects(() => rows(sql),
    (e) => e.message.includes(words) || assert.fail(`no "${words}" in: ${e.message}`));
  assert.equal(await one('SELECT 1'), 1); // and the database goes on
};

export const test = async (name, run) => {
  const start = Date.now();
  try {
    await run();
    console.log(`ok      ${name} (${Date.now() - start} ms)`);
  } catch (e) {
    process.exitCode = 1;
    console.log(`FAILED  ${name}\n${e.stack}`);
  }
};
