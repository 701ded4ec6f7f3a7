// The functions of index.d.ts, by the exports of module.cpp.
import createModule from './module.js';

/** An error of the library, with its message. */
export class SimdbloomError extends Error {
  name = 'SimdbloomError';
}

const utf8 = new TextEncoder();
const ANSWER = { count: 0, bitmap: 1, select: 2 };

/** simdbloom(bytes of simdbloom.wasm): the functions, once they are compiled. */
export async function simdbloom(wasmBinary) {
  const m = await createModule({ wasmBinary });
  const heap = () => m.HEAPU8;

  function failed() {
    throw new SimdbloomError(text(m._simdbloom_wasm_error()));
  }
  function text(address) {
    const bytes = heap();
    let end = address >>> 0;
    while (bytes[end] !== 0) ++end;
    return new TextDecoder().decode(bytes.slice(address >>> 0, end));
  }
  const json = (address) => (address === 0 ? failed() : JSON.parse(text(address)));

  /** work(addresses) with copies of these byte arrays in the module's memory. An address is never
   *  0, which means null, even for no bytes. */
  function withBytes(arrays, work) {
    const at = [];
    try {
      for (const a of arrays) {
        const address = m._malloc(Math.max(a.byteLength, 1)) >>> 0;
        if (address === 0)
          throw new SimdbloomError(`simdbloom: no memory for ${a.byteLength} bytes`);
        at.push(address);
        heap().set(a, address);
      }
      return work(...at);
    } finally {
      for (const address of at) m._free(address);
    }
  }
  const raw = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  function withText(string, work) {
    if (typeof string !== 'string') throw new TypeError(`simdbloom: ${string} is not a string`);
    const bytes = utf8.encode(string);
    return withBytes([bytes], (address) => work(address, bytes.length));
  }
  function number(name, value) {
    if (typeof value !== 'number')
      throw new TypeError(`simdbloom: ${name}=${String(value)} is not a number`);
    return value;
  }

  /** A whole number as 64 bits, for insert(std::int64_t) and insert(std::uint64_t). */
  function integer(key) {
    if (typeof key === 'bigint' && key >= -(2n ** 63n) && key < 2n ** 64n)
      return BigInt.asUintN(64, key);
    if (Number.isSafeInteger(key)) return BigInt.asUintN(64, BigInt(key));
    throw new TypeError(`simdbloom: ${String(key)} is not a whole number of at most 64 bits; ` +
                        'numbers above 2^53 must be bigints');
  }
  const isBytes = (key) => typeof key === 'string' || key instanceof Uint8Array;
  const bytesOf = (key) => (typeof key === 'string' ? utf8.encode(key) : key);

  /** work(keys, offsets, n, width) of a batch in the module's memory. */
  function withKeys(keys, work) {
    const width = keys instanceof BigUint64Array || keys instanceof BigInt64Array ? 8
      : keys instanceof Uint32Array ? 4 : keys instanceof Int32Array ? -4 : 0;
    if (width !== 0) return withBytes([raw(keys)], (at) => work(at, 0, keys.length, width));
    if (!Array.isArray(keys))
      throw new TypeError('simdbloom: a batch is a BigUint64Array, BigInt64Array, Uint32Array, ' +
                          'Int32Array, or an array of strings, bytes or whole numbers');
    if (!keys.some(isBytes))
      return withBytes([raw(BigUint64Array.from(keys, integer))],
        (at) => work(at, 0, keys.length, 8));
    const parts = keys.map((key) => {
      if (!isBytes(key))
        throw new TypeError(`simdbloom: ${String(key)} is among strings but is not a string`);
      return bytesOf(key);
    });
    const offsets = new Uint32Array(parts.length + 1);
    parts.forEach((part, i) => { offsets[i + 1] = offsets[i] + part.length; });
    const all = new Uint8Array(offsets.at(-1));
    parts.forEach((part, i) => all.set(part, offsets[i]));
    return withBytes([all, raw(offsets)], (at, offsetsAt) => work(at, offsetsAt, keys.length, 0));
  }

  const forgotten = new FinalizationRegistry((filter) => m._simdbloom_wasm_free(filter));
  const forgottenTimes = new FinalizationRegistry((times) => m._simdbloom_wasm_free_times(times));

  class Filter {
    #at;

    /** For static functions: the address of a filter, which this object owns. */
    constructor(owner, at) {
      if (owner !== forgotten)
        throw new TypeError('simdbloom: a Filter is made by Filter.make, Filter.forFpr or ' +
                            'Filter.load');
      this.#at = at === 0 ? failed() : at;
      forgotten.register(this, at, this);
    }
    static #made(spec, keys, size, byFpr, { seed = 0n, isa = '' } = {}) {
      number('keys', keys);
      number(byFpr ? 'fpr' : 'bitsPerKey', size);
      return withText(spec, (s, length) => withText(isa, (i, isaLength) => new Filter(forgotten,
        m._simdbloom_wasm_make(s, length, keys, size, +byFpr, integer(seed), i, isaLength))));
    }
    static make(spec, keys, bitsPerKey, options) {
      return Filter.#made(spec, keys, bitsPerKey, false, options);
    }
    static forFpr(spec, keys, fpr, options) {
      return Filter.#made(spec, keys, fpr, true, options);
    }
    static load(bytes, { isa = '' } = {}) {
      const given = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
      if (!(given instanceof Uint8Array))
        throw new TypeError('simdbloom: a saved filter is a Uint8Array or an ArrayBuffer');
      return withBytes([given], (at) => withText(isa, (i, length) =>
        new Filter(forgotten, m._simdbloom_wasm_load(at, given.length, i, length))));
    }

    get #filter() {
      if (this.#at === 0) throw new SimdbloomError('simdbloom: this filter was freed');
      return this.#at;
    }
    free() {
      if (this.#at === 0) return;
      forgotten.unregister(this);
      m._simdbloom_wasm_free(this.#at);
      this.#at = 0;
    }

    save() {
      const size = m._simdbloom_wasm_saved_size(this.#filter) >>> 0;
      return withBytes([new Uint8Array(size)], (at) => {
        if (m._simdbloom_wasm_save(this.#filter, at, size) === 0) failed();
        return heap().slice(at, at + size);
      });
    }
    describe() {
      const about = json(m._simdbloom_wasm_describe(this.#filter));
      return { ...about, seed: BigInt(about.seed) };
    }
    get spec() { return this.describe().spec; }

    insert(keys) {
      const batch = typeof keys === 'object' && !(keys instanceof Uint8Array) ? keys : [keys];
      withKeys(batch, (...given) => {
        if (m._simdbloom_wasm_insert(this.#filter, ...given) === 0) failed();
      });
    }
    contains(key) { return this.count([key]) === 1; }
    #ask(keys, answer, room, read) {
      return withKeys(keys, (at, offsets, n, width) => {
        const out = new Uint8Array(room(n));
        return withBytes([out], (to) => {
          const found = m._simdbloom_wasm_ask(this.#filter, at, offsets, n, width, answer, to);
          if (found < 0) failed();
          return read(found, to, out.length);
        });
      });
    }
    count(keys) { return this.#ask(keys, ANSWER.count, () => 0, (found) => found); }
    bitmap(keys) {
      return this.#ask(keys, ANSWER.bitmap, (n) => Math.ceil(n / 8),
        (_, at, bytes) => heap().slice(at, at + bytes));
    }
    select(keys) {
      return this.#ask(keys, ANSWER.select, (n) => 4 * n,
        (found, at) => new Uint32Array(heap().slice(at, at + 4 * found).buffer));
    }
    touched(key) {
      const bytes = isBytes(key) ? bytesOf(key) : null;
      const whole = bytes ? 0n : integer(key);
      const found = withBytes([bytes ?? new Uint8Array()], (at) => json(m._simdbloom_wasm_touched(
        this.#filter, whole, bytes ? at : 0, bytes?.length ?? 0)));
      return found.map(([block, bit]) => ({ block, bit }));
    }
  }
  let timesAt;
  class FilterTimes {
    #at;

    constructor(owner, at) {
      if (owner !== forgottenTimes)
        throw new TypeError('simdbloom: FilterTimes are made by measure');
      this.#at = at === 0 ? failed() : at;
      forgottenTimes.register(this, at, this);
    }
    static {
      timesAt = (times) => {
        if (!(times instanceof FilterTimes))
          throw new TypeError(`simdbloom: ${String(times)} are not FilterTimes`);
        if (times.#at === 0) throw new SimdbloomError('simdbloom: these times were freed');
        return times.#at;
      };
    }
    get noise() { return m._simdbloom_wasm_noise(timesAt(this)); }
    free() {
      if (this.#at === 0) return;
      forgottenTimes.unregister(this);
      m._simdbloom_wasm_free_times(this.#at);
      this.#at = 0;
    }
  }
  for (const held of [Filter, FilterTimes])
    if (Symbol.dispose) held.prototype[Symbol.dispose] = held.prototype.free;

  function withWork(work, use) {
    const settings = Float64Array.of(number('keys', work.keys), number('workNs', work.workNs),
      work.probes ?? 0, work.hits ?? 0, work.maxBitsPerKey ?? 20, work.maxBytes ?? 0,
      work.tableBytes ?? 0, ...['erase', 'grow', 'merge', 'allAtOnce'].map((s) => +!!work[s]));
    return withBytes([raw(settings)], use);
  }
  const measure = (work, leastKeys = 0) => withWork(work, (at) => new FilterTimes(
    forgottenTimes, m._simdbloom_wasm_measure(at, number('leastKeys', leastKeys))));
  function advise(work, times) {
    const by = times ?? measure(work);
    try {
      return withWork(work, (at) => json(m._simdbloom_wasm_advise(at, timesAt(by))));
    } finally {
      if (times === undefined) by.free();
    }
  }

  function modelled(ask) {
    return (spec, keys, value) => withText(spec, (at, length) => {
      const made = ask(at, length, number('keys', keys), number('value', value));
      return Number.isNaN(made) ? failed() : made;
    });
  }
  const about = json(m._simdbloom_wasm_about());
  return {
    Filter,
    FilterTimes,
    SimdbloomError,
    version: about.version,
    isas: about.isas,
    expectedFpr: modelled(m._simdbloom_wasm_expected_fpr),
    bitsForFpr: modelled(m._simdbloom_wasm_bits_for_fpr),
    layout: (spec, keys, bits) => withText(spec, (at, length) => json(
      m._simdbloom_wasm_layout(at, length, number('keys', keys), number('bitsPerKey', bits)))),
    measure,
    advise,
  };
}
