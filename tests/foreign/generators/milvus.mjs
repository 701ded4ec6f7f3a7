// node milvus.mjs FOLDER CLIENT: blobs that Milvus' client, an unpacked npm package, writes.
// tests/foreign/README.md says which keys. The file that makes them needs no other package.
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';

const { BloomFilterBuilder, buildBloomFilter } =
  createRequire(import.meta.url)(`${process.argv[3]}/dist/milvus/utils/BloomFilter.js`);
const folder = process.argv[2];

const number = i => BigInt.asIntN(64, BigInt(i) * 0x9E3779B97F4A7C15n);
const text = i => `schl\u00FCssel ${i}${'x'.repeat(i % 50)}${i % 2 ? '\u00E9' : ''}`;
const keys = (n, key) => Array.from({ length: n }, (_, i) => key(i));
const write = (name, blob) => writeFileSync(`${folder}/${name}.bin`, blob);

write('milvus_integers_0', buildBloomFilter([], 0.05));
write('milvus_integers_1', buildBloomFilter(keys(1, number), 0.05));
write('milvus_integers_500', buildBloomFilter(keys(500, number), 0.05));
write('milvus_text_500', buildBloomFilter(keys(500, text), 0.0001));
const both = new BloomFilterBuilder(1000, 0.01);
for (let i = 0; i < 500; ++i) both.addInt64(number(i)).addString(text(i));
write('milvus_both_500', both.build());
