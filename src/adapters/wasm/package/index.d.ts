/** A whole number of at most 64 bits (as the C++ library's std::int64_t or std::uint64_t), a string
 *  (its UTF-8 bytes), or bytes. Numbers above 2^53 must be bigints. */
export type Key = bigint | number | string | Uint8Array;

/** Keys. Typed arrays are the fast way: they are copied into the module's memory as they are. */
export type Keys = BigUint64Array | BigInt64Array | Uint32Array | Int32Array
  | readonly (bigint | number)[] | readonly (string | Uint8Array)[];

/** The instruction sets of the module. Bits and answers are the same on both. */
export type Isa = 'scalar' | 'simd128';

/** What the library says of a failure, with the value that it refuses. */
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
  /** The rate that the bits as they are now give. */
  estimatedFpr: number;
  isa: Isa;
  seed: bigint;
  /** What the keys are: as the first insert says, and unknown after keys of several kinds. Filters
   *  of other programs have other kinds too; insert takes integers and bytes, and questions of a
   *  kind that the filter does not answer throw a SimdbloomError. */
  keyKind: 'unknown' | 'integers' | 'bytes' | 'floats' | 'days' | 'seconds' | 'milliseconds'
    | 'microseconds' | 'nanoseconds' | 'durations' | 'rows' | 'other';
  /** Of filters that consist of blocks. */
  blocks?: number;
}

/** A filter in the module's memory. free(), or `using`, gives the memory back at once; a filter
 *  that is forgotten gives it back when the garbage collector finds it. */
export class Filter {
  private constructor();
  /** A filter of a spec ('split256', 'register64:k=5', ..) for so many keys. */
  static make(spec: string, keys: number, bitsPerKey: number, options?: Options): Filter;
  /** The smallest filter of a spec whose expected false-positive rate is at most `fpr`. */
  static forFpr(spec: string, keys: number, fpr: number, options?: Options): Filter;
  /** The filter that was saved, by whichever program on whichever machine. */
  static load(bytes: Uint8Array | ArrayBuffer, options?: { isa?: Isa }): Filter;
  /** The bytes that the C++ library writes for the same keys. */
  save(): Uint8Array;
  /** Throws SimdbloomError when the filter is full or takes no such keys. */
  insert(keys: Keys | Key): void;
  contains(key: Key): boolean;
  /** How many of the keys are found. */
  count(keys: Keys): number;
  /** Bit i % 8 of byte i / 8 is 1 if key i is found. */
  bitmap(keys: Keys): Uint8Array;
  /** The positions of the keys found, ascending. */
  select(keys: Keys): Uint32Array;
  describe(): Description;
  readonly spec: string;
  /** The blocks that a key goes to and its bits there. Of a table: its buckets, and the value that
   *  is kept of the key. */
  touched(key: Key): { block: number; bit: number }[];
  free(): void;
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
  /** Of tables. */
  fingerprintBits: number;
  cells: number;
  /** Of other layouts: a key takes a word of each zone. */
  zones?: number;
  wordsPerZone?: number;
  wordBits?: number;
}

export interface Workload {
  keys: number;
  /** ns that one "not in" saves. */
  workNs: number;
  /** How many keys will be asked; if not given, so many that inserts do not count. */
  probes?: number;
  /** The share of probes that are keys, 0 to 1. */
  hits?: number;
  /** 20 if not given. */
  maxBitsPerKey?: number;
  maxBytes?: number;
  /** Memory that each passing probe touches a random line of. */
  tableBytes?: number;
  erase?: boolean;
  grow?: boolean;
  merge?: boolean;
  allAtOnce?: boolean;
}

export interface Choice {
  /** '' is no filter. */
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
  /** How many of the first are equal within noise. */
  asGood: number;
  ranking: Choice[];
}

export const version: string;
export const isas: Isa[];
/** The false-positive rate of a filter with blocks, by the exact model. */
export function expectedFpr(spec: string, keys: number, bitsPerKey: number): number;
/** The bits a key of the smallest filter with that rate. */
export function bitsForFpr(spec: string, keys: number, fpr: number): number;
/** The layout, with the k that is best for that size. */
export function layout(spec: string, keys: number, bitsPerKey: number): Layout;
/** The times of lookups and inserts in this browser or Node.js. free() gives their memory back. */
export class FilterTimes {
  private constructor();
  /** The share by which a time would differ if it was measured again. */
  readonly noise: number;
  free(): void;
}
/** Measures the filters that advise() compares for a piece of work, in some seconds: filters
 *  of leastKeys to work.keys keys; of work.keys keys if leastKeys is not given. */
export function measure(work: Workload, leastKeys?: number): FilterTimes;
/** The best filters for a piece of work, by these times; without times it measures first. */
export function advise(work: Workload, times?: FilterTimes): Advice;
