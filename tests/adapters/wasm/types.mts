// Compiled and not run: index.d.ts allows what the package takes and refuses what it refuses.
import { advise, bitsForFpr, expectedFpr, Filter, FilterTimes, isas, layout, measure,
  SimdbloomError, version, type Advice, type Key } from 'simdbloom';
import { simdbloom, simdbloomNow } from 'simdbloom/api';

const filter: Filter = Filter.make('split256', 1000, 12, { seed: 7n, isa: 'simd128' });
filter.insert([1, 2n]);
filter.insert(['a', new Uint8Array(1)]);
filter.insert(Uint32Array.of(1));
filter.insert('a');
const keys: Key[] = [1, 2n, 'a', new Uint8Array(1)];
const found: boolean[] = keys.map((key) => filter.contains(key));
const rows: Uint32Array = filter.select(new BigUint64Array(1));
const erased: number = filter.erase(['a']) + filter.erase(7);
const both: Filter = filter.union(filter);
both.insert(new Set(['a', new Uint8Array(1)]));
both.insert(new Map([[1n, 2]]).keys());
both.clear();
both[Symbol.dispose]();
const again: Promise<typeof Filter> = simdbloom(new Uint8Array(1)).then((made) => made.Filter);
const atOnce: boolean = simdbloomNow(new ArrayBuffer(1)).Filter.make('a', 1, 1).contains('a');
const bits: number = filter.bitmap(new Int32Array(1)).length + filter.count([1]);
const bytes: Uint8Array = Filter.forFpr('split256', 10, 0.01).save();
const blocks: number | undefined = Filter.load(bytes, { isa: isas[0] }).describe().blocks;
const places: { block: number; bit: number }[] = filter.touched(1);
const times: FilterTimes = measure({ keys: 1, workNs: 1 }, 1);
const advice: Advice = advise({ keys: 1, workNs: 1, erase: true }, times);
const sum: number = expectedFpr('a', 1, 1) + bitsForFpr('a', 1, 1) + layout('a', 1, 1).k;
const words: string = version + times.noise + advice.ranking[0].spec + filter.spec;
filter.free();
throw new SimdbloomError(`${found}${rows}${bits}${blocks}${places}${sum}${words}${erased}${again}${atOnce}`);

// @ts-expect-error: made by its static functions alone
new Filter();
// @ts-expect-error: no instruction set of the module
Filter.make('split256', 1000, 12, { isa: 'avx2' });
// @ts-expect-error: numbers and strings are not mixed
filter.count([1, 'a']);
// @ts-expect-error: numbers of this kind are no keys
filter.count(new Float64Array(1));
// @ts-expect-error: a string is a key, no batch
filter.count('ab');
// @ts-expect-error: bytes are a key, no batch
filter.count(new Uint8Array(1));
// @ts-expect-error: there is no such function
filter.add(1);
// @ts-expect-error: of filters alone
filter.union(new Set([1]));
