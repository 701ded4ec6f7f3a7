// times.mjs PACKAGE [KEYS]: the npm package beside a Set of the same keys, in ns a key: medians of
// nine rounds over shuffled keys, half of them present. PACKAGE is build/wasm/simdbloom.
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { pathToFileURL } from 'node:url';

const [, , folder, count = '1000000'] = process.argv;
const { Filter, version, isas } = await import(pathToFileURL(`${folder}/index.js`));
const n = Number(count), rounds = 9;

/** Member i of a permutation of the numbers below 2^32. */
const scattered = (i) => Math.imul(i, 0x9E3779B1) >>> 0;
function shuffled(keys) {
  for (let i = keys.length - 1; i > 0; --i) {
    const j = scattered(i) % (i + 1);
    [keys[i], keys[j]] = [keys[j], keys[i]];
  }
  return keys;
}
/** work(keys) on the same keys in each round; or, if they are fresh, on new strings. V8 keeps the
 *  hash of a string in it, once it has computed it. */
function median(keys, isFresh, work) {
  const text = isFresh ? keys.join('\n') : '';
  const times = Array.from({ length: rounds }, () => {
    const given = isFresh ? text.split('\n') : keys;
    const start = process.hrtime.bigint();
    work(given);
    return Number(process.hrtime.bigint() - start) / n;
  });
  return times.sort((a, b) => a - b)[rounds >> 1].toFixed(0);
}

const kinds = {
  numbers: (i) => scattered(i),
  'numbers above 2^32': (i) => scattered(i) * 1000,
  bigints: (i) => BigInt(scattered(i)) << 20n,
  'strings of ASCII': (i) => `user:${scattered(i)}`,
  'strings of ASCII, fresh': (i) => `user:${scattered(i)}`,
  'strings with umlauts': (i) => `Benützer ${scattered(i)}`,
  'strings with umlauts, fresh': (i) => `Benützer ${scattered(i)}`,
};
const { stdout } = spawnSync('git', ['describe', '--always', '--dirty'],
  { cwd: folder, encoding: 'utf8' });
const commit = stdout?.trim() || 'unknown';
console.log(`${n} keys; ${cpus()[0].model}, Node.js ${process.version}, simdbloom ${version} ` +
  `(${isas.at(-1)}), commit ${commit}, ${new Date().toISOString().slice(0, 10)}\n`);
console.log('| keys | Set.has | contains, one key | count, an array |\n|---|---|---|---|');
for (const [name, key] of Object.entries(kinds)) {
  const present = Array.from({ length: n }, (_, i) => key(i));
  const set = new Set(present), filter = Filter.make('split256', n, 12);
  filter.insert(present);
  // Keys of their own, as a program has them: not the objects in the Set.
  const probes = shuffled(Array.from({ length: n }, (_, i) => key(i + (n >> 1))));
  const isFresh = name.endsWith('fresh');
  const found = (keys, has) => {
    let sum = 0;
    for (const probe of keys) sum += has(probe) ? 1 : 0;
    return sum;
  };
  if (found(probes, (k) => filter.contains(k)) !== filter.count(probes) ||
      filter.count(probes) < found(probes, (k) => set.has(k)))
    throw new Error(`${name}: the calls differ`);
  console.log(`| ${[name,
    median(probes, isFresh, (keys) => found(keys, (k) => set.has(k))),
    median(probes, isFresh, (keys) => found(keys, (k) => filter.contains(k))),
    median(probes, isFresh, (keys) => filter.count(keys))].join(' | ')} |`);
}
