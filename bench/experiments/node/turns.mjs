// turns.mjs PACKAGE FOLDER ROUNDS: the Node.js side of node_batches. For each instruction set a
// line with its name, ns a key and how many keys were found. `+copies` is through the package's
// select(), which copies the keys into the module's memory and the answers out of it.
import { readFileSync } from 'node:fs';

const [, , folder, files, count] = process.argv;
const { default: createModule } = await import(`${folder}/module.js`);
const { Filter } = await import(`${folder}/index.js`);
const wasmBinary = readFileSync(`${folder}/simdbloom.wasm`);
const saved = readFileSync(`${files}/filter`), bytes = readFileSync(`${files}/keys`);
const keys = new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
const SELECT = 2;

function timed(name, work) {
  const times = [];
  let found = 0;
  for (let round = 0; round < +count + 10; ++round) {
    const start = process.hrtime.bigint();
    found = work();
    if (round >= 10) times.push(Number(process.hrtime.bigint() - start) / keys.length);
  }
  times.sort((a, b) => a - b);
  console.log(name, times[times.length >> 1], found);
}

for (const isa of ['scalar', 'simd128']) {
  const filter = Filter.load(new Uint8Array(saved), { isa });
  timed(`${isa}+copies`, () => filter.select(keys).length);
  filter.free();
  const m = await createModule({ wasmBinary });
  const put = (array) => {
    const at = m._malloc(array.length);
    m.HEAPU8.set(array, at);
    return at;
  };
  const name = Buffer.from(isa), nameAt = put(name), at = put(bytes);
  const out = m._malloc(4 * keys.length);
  const loaded = m._simdbloom_wasm_load(put(saved), saved.length, nameAt, name.length);
  timed(isa, () => m._simdbloom_wasm_ask(loaded, at, 0, keys.length, 8, SELECT, out));
}
