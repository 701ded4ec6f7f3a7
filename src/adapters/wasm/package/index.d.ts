/** A whole number of at most 64 bits (as the C++ library's std::int64_t or std::uint64_t), a string
 *  (its UTF-8 bytes), or bytes. Numbers above 2^53 must be bigints. */
export type Key = bigint | number | string | Uint8Array;

/** Keys. Typed arrays are fastest: they are copied into the module's memory unconverted. Arrays are
 *  faster than other iterables, which are copied into one. */
export type Keys = BigUint64Array | BigInt64Array | Uint32Array | Int32Array
  | Batch<bigint | number> | Batch<string | Uint8Array>;
/** An iterable that is neither a string nor a typed array. */
type Batch<K> = Iterable<K> & { readonly charAt?: never; readonly BYTES_PER_ELEMENT?: never };

// As in the libraries of TypeScript since 5.2, for programs that do not name them.
declare global {
  interface SymbolConstructor { readonly dispose: unique symbol }
  interface Disposable { [Symbol.dispose](): void }
}

/** The instruction sets of the module. Bits and answers are the same on both. */
export type Isa = 'scalar' | 'simd128';

/** An error of the library; the message names the invalid value. */
export class SimdbloomError extends Error {}

export interface Options {
  /** Changes the hash of every key; 0 if not given. */
  seed?: bigint | number;
  isa?: Isa;
}

export interface Description {
  spec: string;
  /** The number of keys that the filter was made for. */
  keys: number;
  bytes: number;
  bitsPerKey: number;
  /** The false-positive rate for that number of keys, by the exact model. */
  expectedFpr: number;
  /** The rate by the bits that are set now. */
  estimatedFpr: number;
  isa: Isa;
  seed: bigint;
  /** The kind of the keys: that of the first insert, or unknown after keys of several kinds.
   *  Filters of other programs may have other kinds. insert takes integers and bytes; probing with
   *  another kind throws a SimdbloomError. */
  keyKind: 'unknown' | 'integers' | 'bytes' | 'floats' | 'days' | 'seconds' | 'milliseconds'
    | 'microseconds' | 'nanoseconds' | 'durations' | 'rows' | 'other';
  /** Only for filters of blocks. */
  blocks?: number;
}

/** A filter in the module's memory. free() or `using` releases the memory at once; otherwise the
 *  garbage collector does. */
export class Filter {
  private constructor();
  /** A filter of a spec ('split256', 'register64:k=5', ..) for so many keys. */
  static make(spec: string, keys: number, bitsPerKey: number, options?: Options): Filter;
  /** The smallest filter of a spec whose expected false-positive rate is at most `fpr`. */
  static forFpr(spec: string, keys: number, fpr: number, options?: Options): Filter;
  /** A saved filter, from any program on any machine. */
  static load(bytes: Uint8Array | ArrayBuffer, options?: { isa?: Isa }): Filter;
  /** The bytes that the C++ library writes for the same keys. */
  save(): Uint8Array;
  /** Throws SimdbloomError if the filter is full or has keys of another kind. */
  insert(keys: Keys | Key): void;
  /** Removes a copy of each key, and returns how many were there. Erase only keys that were
   *  inserted: others may take keys with them. Throws SimdbloomError for filters that cannot. */
  erase(keys: Keys | Key): number;
  /** Removes all keys. */
  clear(): void;
  /** A new filter with the keys of both, as Set's union. Throws SimdbloomError unless both are
   *  Bloom filters of one spec, size and seed. */
  union(other: Filter): Filter;
  contains(key: Key): boolean;
  /** The number of keys found. */
  count(keys: Keys): number;
  /** Bit i % 8 of byte i / 8 is 1 if key i is found. */
  bitmap(keys: Keys): Uint8Array;
  /** The positions of the keys found, ascending. */
  select(keys: Keys): Uint32Array;
  describe(): Description;
  readonly spec: string;
  /** The blocks of a key, its bits there, and whether each bit (or its counter) is set. For a
   *  table: the buckets, the value stored for the key, and no isSet. */
  touched(key: Key): { block: number; bit: number; isSet?: boolean }[];
  free(): void;
  [Symbol.dispose](): void;
}

export interface Layout {
  spec: string;
  name: string;
  blockBits: number;
  /** Bits that a key sets; 0 for tables. */
  k: number;
  cellBits: number;
  /** Each probe goes to a word of its own. */
  anywhere: boolean;
  /** Only for tables. */
  fingerprintBits: number;
  cells: number;
  /** For other layouts: a key has one word in each zone. */
  zones?: number;
  wordsPerZone?: number;
  wordBits?: number;
}

export interface Workload {
  keys: number;
  /** ns that one "not in" saves. */
  workNs: number;
  /** The number of lookups; if not given, so many that inserts do not count. */
  probes?: number;
  /** The share of probed keys that are present, 0 to 1. */
  hits?: number;
  /** 20 if not given. */
  maxBitsPerKey?: number;
  maxBytes?: number;
  /** The bytes of the table behind the filter; each passing probe touches a random line of it. */
  tableBytes?: number;
  erase?: boolean;
  grow?: boolean;
  merge?: boolean;
  allAtOnce?: boolean;
}

export interface Choice {
  /** '': no filter. */
  spec: string;
  bitsPerKey: number;
  bytes: number;
  fpr: number;
  isa: string;
  insertNs: number;
  lookupNs: number;
  totalNs: number;
}

export interface Advice {
  why: string;
  noise: number;
  /** The number of first places that are equal within noise. */
  asGood: number;
  ranking: Choice[];
}

export const version: string;
export const isas: Isa[];
/** The false-positive rate of a filter with blocks, by the exact model. */
export function expectedFpr(spec: string, keys: number, bitsPerKey: number): number;
/** The bits a key of the smallest filter with that rate. */
export function bitsForFpr(spec: string, keys: number, fpr: number): number;
/** The layout, with the best k for that size. */
export function layout(spec: string, keys: number, bitsPerKey: number): Layout;
/** The times of lookups and inserts in this browser or Node.js. free() gives their memory back. */
export class FilterTimes {
  private constructor();
  /** The relative difference to expect from a second measurement. */
  readonly noise: number;
  free(): void;
  [Symbol.dispose](): void;
}
/** Measures the filters that advise() compares for a piece of work, in some seconds: filters
 *  of leastKeys to work.keys keys; of work.keys keys if leastKeys is not given. */
export function measure(work: Workload, leastKeys?: number): FilterTimes;
/** The best filters for a piece of work, by these times; without times it measures first. */
export function advise(work: Workload, times?: FilterTimes): Advice;
