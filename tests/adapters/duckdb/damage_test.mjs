// damage_test.mjs EXTENSION GOLDEN SERIES: BLOBs that are no filter are errors, never an answer.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { db, one, refused, test } from './support.mjs';

const [golden, series] = process.argv.slice(3);

// Never asked before it is damaged: a copy of a known filter is taken for it.
await db.run(`CREATE TABLE whole AS SELECT bloom_filter(i, 12) AS f FROM range(20) t(i)`);
const answers = (blob, from) =>
  one(`SELECT count(TRY(bloom_contains(${blob}, 7))) FROM ${from}, whole`);

await test('a filter that was cut, or has bytes more', async () => {
  const bytes = await one('SELECT octet_length(f) FROM whole');
  assert.equal(await answers('unhex(hex(f)[:2 * n])', `range(${bytes}) t(n)`), 0n);
  assert.equal(await answers('unhex(hex(f)[2 * n + 1:])', `range(1, ${bytes}) t(n)`), 0n);
  await refused('SELECT bloom_contains(unhex(hex(f)[:180]), 7) FROM whole', 'bytes');
  assert.equal(await answers(`f || ''::BLOB || unhex(repeat('00', n))`, 'range(1, 70) t(n)'), 0n);
});

await test('a filter of which any one bit is another', async () => {
  const flipped = `unhex(hex(f)[:n] || printf('%X', xor(('0x' || hex(f)[n + 1])::INTEGER,
    1 << b)::INTEGER) || hex(f)[n + 2:])`;
  const bytes = Number(await one('SELECT octet_length(f) FROM whole'));
  assert.equal(await one(`SELECT count(DISTINCT ${flipped}) FROM range(${2 * bytes}) t(n),
    range(4) u(b), whole`), BigInt(8 * bytes));
  assert.equal(await answers(flipped, `range(${2 * bytes}) t(n), range(4) u(b)`), 0n);
  await refused(`SELECT bloom_contains(${flipped}, 7) FROM whole, (SELECT 140 AS n, 1 AS b)`,
    'checksum');
  assert.equal(await answers('f', 'range(1) t(n)'), 1n);
});

await test('bytes of any kind', async () => {
  for (const blob of ["''::BLOB", "'abc'::BLOB", "repeat('x', 200)::BLOB",
    "unhex(repeat('00', 104))", "unhex('89534D424C0D0A1A')", "'sbloomr1'::BLOB",
    "'sbloomr1xxxxxxxx'::BLOB"])
    for (const call of [`bloom_contains(${blob}, 7)`, `bloom_info(${blob})`, `bloom_ref(${blob})`])
      await refused(`SELECT ${call}`, call.slice(0, call.indexOf('(')));
  assert.equal(await one(`SELECT count(TRY(bloom_info(unhex(repeat(md5(n::VARCHAR), 4)))))
    FROM range(1000) t(n)`), 0n);
});

await test('saved filters of every layout answer, a series of filters is an error', async () => {
  const names = readdirSync(golden).filter((name) => name.endsWith('.filter'));
  assert.ok(names.length > 30);
  for (const name of names)
    assert.ok(await one(`SELECT bloom_info(content) FROM read_blob('${golden}/${name}')`), name);
  await refused(`SELECT bloom_info(content) FROM read_blob('${series}')`, 'bloom_info');
});
