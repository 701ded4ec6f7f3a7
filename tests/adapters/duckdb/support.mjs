// What the tests of the extension share: a DuckDB as it comes from npm, and tests that report.
import { DuckDBInstance } from '@duckdb/node-api';
import assert from 'node:assert/strict';

export const open = async (extension) => {
  const instance = await DuckDBInstance.create(':memory:', {
    allow_unsigned_extensions: 'true', threads: '2' });
  const db = await instance.connect();
  await db.run(`LOAD '${extension}'`);
  const rows = async (sql, connection = db) => (await connection.runAndReadAll(sql)).getRows();
  const one = async (sql) => (await rows(sql))[0][0];
  const refused = async (sql, words) => {
    await assert.rejects(() => rows(sql),
      (e) => e.message.includes(words) || assert.fail(`no "${words}" in: ${e.message}`));
    assert.equal(await one('SELECT 1'), 1); // and the database goes on
  };
  return { instance, db, rows, one, refused };
};

let failures = 0;
export const test = async (name, run) => {
  const start = Date.now();
  try {
    await run();
    console.log(`ok      ${name} (${Date.now() - start} ms)`);
  } catch (e) {
    ++failures;
    console.log(`FAILED  ${name}\n${e.stack}`);
  }
};
export const finish = () => process.exit(failures ? 1 : 0);
