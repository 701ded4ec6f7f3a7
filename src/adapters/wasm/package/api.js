// The functions of index.d.ts, by the exports of module.cpp.
import createModule from './module.js';

/** An error of the library, with its message. */
export class SimdbloomError extends Error {
  name = 'SimdbloomError';
}

const utf8 = new TextEncoder();
const LEAST = -(2n ** 63n), MOST = 2n ** 64n - 1n;
const CALL = { insert: 0, erase: 1, contains: 2, count: 3, bitmap: 4, select: 5 };
/** Strings of a batch that are encoded at once. */
const TOGETHER = 1024;
/** Up to this length a loop over charCodeAt is faster than encodeInto (2 ns a unit, and 35 ns). */
const SHORT = 22;

/** simdbloom(bytes of simdbloom.wasm): the functions, once they are compiled. */
export async function simdbloom(wasmBinary) {
  return functionsOf(await createModule({ wasmBinary }));
}

/** The same at once. Browsers refuse that, except in workers. */
export function simdbloomNow(wasmBinary) {
  const m = {
    instantiateWasm(imports, receive) {
      const instance = new WebAssembly.Instance(new WebAssembly.Module(wasmBinary), imports);
      receive(instance);
      return instance.exports;
    },
  };
  createModule(m);
  return functionsOf(m);
}

function functionsOf(m) {
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

  /** work(addresses) with room for so many bytes each in the module's memory. An address is never
   *  0, which means null, even for no bytes. */
  function withRoom(sizes, work) {
    const at = [];
    try {
      for (const size of sizes) {
        const address = m._malloc(Math.max(size, 1)) >>> 0;
        if (address === 0) throw new SimdbloomError(`simdbloom: no memory for ${size} bytes`);
        at.push(address);
      }
      return work(...at);
    } finally {
      for (const address of at) m._free(address);
    }
  }
  /** The same with copies of these byte arrays. */
  function withBytes(arrays, work) {
    return withRoom(arrays.map((a) => a.byteLength), (...at) => {
      arrays.forEach((a, i) => heap().set(a, at[i]));
      return work(...at);
    });
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
    if (typeof key === 'bigint' && key >= LEAST && key <= MOST) return BigInt.asUintN(64, key);
    if (Number.isSafeInteger(key)) return BigInt.asUintN(64, BigInt(key));
    throw new TypeError(`simdbloom: ${String(key)} is not a whole number of at most 64 bits; ` +
                        'numbers above 2^53 must be bigints');
  }
  const isKey = (keys) => typeof keys !== 'object' || keys instanceof Uint8Array;
  const isBytes = (key) => typeof key === 'string' || key instanceof Uint8Array;
  const bytesOf = (key) => (typeof key === 'string' ? utf8.encode(key) : key);

  const ROOM = 3 << 10, scratch = m._malloc(ROOM) >>> 0;
  let room = heap();
  /** Writes a string as UTF-8 to scratch and returns the number of bytes. */
  function write(string) {
    const n = string.length;
    if (n <= SHORT) {
      const bytes = heap();
      let at = scratch, i = 0, unit = 0;
      // Four at a time: 15 characters took 77 ns in place of 83, lookup included.
      for (; i + 4 <= n; i += 4) {
        const a = string.charCodeAt(i), b = string.charCodeAt(i + 1);
        const c = string.charCodeAt(i + 2), d = string.charCodeAt(i + 3);
        if ((a | b | c | d) > 0x7F) break;
        bytes[at++] = a;
        bytes[at++] = b;
        bytes[at++] = c;
        bytes[at++] = d;
      }
      // A surrogate, which begins with the bits 11011, is left to encodeInto.
      for (; i < n && unit >> 11 !== 27; ++i) {
        unit = string.charCodeAt(i);
        if (unit < 0x80) bytes[at++] = unit;
        else {
          if (unit < 0x800) bytes[at++] = 0xC0 | unit >> 6;
          else {
            bytes[at++] = 0xE0 | unit >> 12;
            bytes[at++] = 0x80 | unit >> 6 & 0x3F;
          }
          bytes[at++] = 0x80 | unit & 0x3F;
        }
      }
      if (unit >> 11 !== 27) return at - scratch;
    }
    // Where the memory has grown, earlier views of it have length 0.
    if (room.length !== ROOM) room = heap().subarray(scratch, scratch + ROOM);
    return utf8.encodeInto(string, room).written;
  }
  const word = new BigInt64Array(1), halves = new Int32Array(word.buffer);
  /** What simdbloom_wasm_number or simdbloom_wasm_string says of one key. Nothing is allocated for
   *  numbers and short strings. */
  function one(filter, call, key) {
    let done;
    if (Number.isSafeInteger(key))
      done = m._simdbloom_wasm_number(filter, call, key | 0, Math.floor(key / 2 ** 32) | 0);
    else if (typeof key === 'string' && 3 * key.length <= ROOM)
      done = m._simdbloom_wasm_string(filter, call, scratch, write(key));
    else if (isBytes(key)) {
      const bytes = bytesOf(key);
      done = withBytes([bytes], (at) => m._simdbloom_wasm_string(filter, call, at, bytes.length));
    } else {
      word[0] = integer(key);
      done = m._simdbloom_wasm_number(filter, call, halves[0], halves[1]);
    }
    return done < 0 ? failed() : done;
  }

  /** work(keys, offsets, n, width) of a batch in the module's memory. */
  function withKeys(keys, work) {
    const width = keys instanceof BigUint64Array || keys instanceof BigInt64Array ? 8
      : keys instanceof Uint32Array ? 4 : keys instanceof Int32Array ? -4 : 0;
    if (width !== 0) return withBytes([raw(keys)], (at) => work(at, 0, keys.length, width));
    if (isKey(keys) || ArrayBuffer.isView(keys) || typeof keys?.[Symbol.iterator] !== 'function')
      throw new TypeError('simdbloom: a batch is a BigUint64Array, BigInt64Array, Uint32Array, ' +
                          'Int32Array, or an iterable of strings, bytes or whole numbers');
    const list = Array.isArray(keys) ? keys : [...keys];
    return isBytes(list[0]) ? withStrings(list, work) : withNumbers(list, work);
  }
  function withNumbers(keys, work) {
    const words = new BigInt64Array(keys.length), parts = new Int32Array(words.buffer);
    for (let i = 0; i < keys.length; ++i) {
      const key = keys[i];
      if (Number.isSafeInteger(key)) {
        parts[2 * i] = key;
        parts[2 * i + 1] = Math.floor(key / 2 ** 32);
      } else words[i] = integer(key);
    }
    return withBytes([raw(words)], (at) => work(at, 0, keys.length, 8));
  }
  function withStrings(keys, work) {
    let units = 0, areTexts = true;
    for (const key of keys) {
      if (!isBytes(key))
        throw new TypeError(`simdbloom: ${String(key)} is among strings but is not a string`);
      units += key.length;
      areTexts &&= typeof key === 'string';
    }
    return areTexts ? withTexts(keys, units, units, work) : withEach(keys, work);
  }
  /** Strings of `units` UTF-16 units in all, encoded where the module reads them: byte arrays of
   *  JavaScript, two for each batch, made the garbage collector run. There is `room` for as many
   *  bytes, which is enough for ASCII, or for three times as many. */
  function withTexts(keys, units, room, work) {
    return withRoom([room, 4 * (keys.length + 1)], (at, ends) => {
      const bytes = encodedTo(at, room, keys);
      if (bytes < 0) return withTexts(keys, units, 3 * units, work);
      const offsets = new Uint32Array(heap().buffer, ends, keys.length + 1);
      let unit = offsets[0] = 0;
      for (let i = 0; i < keys.length; ++i) offsets[i + 1] = unit += keys[i].length;
      // In ASCII a unit is a byte.
      return bytes === units || m._simdbloom_wasm_ends_in_bytes(at, bytes, ends, keys.length) !== 0
        ? work(at, ends, keys.length, 0) : withEach(keys, work);
    });
  }
  /** The number of bytes of all strings, written to that address; -1 if the room is too small. */
  function encodedTo(at, room, keys) {
    let end = at;
    for (let i = 0; i < keys.length; i += TOGETHER) {
      const text = keys.slice(i, i + TOGETHER).join('');
      const { read, written } = utf8.encodeInto(text, heap().subarray(end, at + room));
      if (read !== text.length) return -1;
      end += written;
    }
    return end - at;
  }
  /** Strings and byte arrays, each encoded by itself. */
  function withEach(keys, work) {
    const parts = keys.map(bytesOf), offsets = new Uint32Array(keys.length + 1);
    parts.forEach((part, i) => { offsets[i + 1] = offsets[i] + part.length; });
    const all = new Uint8Array(offsets[keys.length]);
    parts.forEach((part, i) => all.set(part, offsets[i]));
    return withBytes([all, raw(offsets)], (at, ends) => work(at, ends, keys.length, 0));
  }

  const forgotten = new FinalizationRegistry(({ release, at }) => release(at));
  /** addressOf(owned, words): the address of what it owns; an error that begins with `words` if it
   *  was freed. */
  let addressOf;
  /** An object that owns memory of the module. `makers` tells whoever calls the constructor of the
   *  class which functions make one. */
  class Owned {
    #at;
    #release;

    constructor(owner, at, release, makers) {
      if (owner !== forgotten) throw new TypeError(`simdbloom: ${makers}`);
      this.#at = at === 0 ? failed() : at;
      this.#release = release;
      forgotten.register(this, { release, at }, this);
    }
    static {
      addressOf = (owned, words) => {
        if (owned.#at === 0) throw new SimdbloomError(`simdbloom: ${words} freed`);
        return owned.#at;
      };
    }
    free() {
      if (this.#at === 0) return;
      forgotten.unregister(this);
      this.#release(this.#at);
      this.#at = 0;
    }
  }
  if (Symbol.dispose) Owned.prototype[Symbol.dispose] = Owned.prototype.free;

  class Filter extends Owned {
    constructor(owner, at) {
      super(owner, at, m._simdbloom_wasm_free,
        'a Filter is made by Filter.make, Filter.forFpr or Filter.load');
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

    get #filter() { return addressOf(this, 'this filter was'); }

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

    /** read(number, address, bytes) of the call on a batch, with an output of room(n) bytes. */
    #batch(call, keys, room = () => 0, read = (number) => number) {
      return withKeys(keys, (at, offsets, n, width) => withRoom([room(n)], (to) => {
        const number = m._simdbloom_wasm_batch(this.#filter, at, offsets, n, width, call, to);
        return number < 0 ? failed() : read(number, to, room(n));
      }));
    }
    insert(keys) {
      if (isKey(keys)) one(this.#filter, CALL.insert, keys);
      else this.#batch(CALL.insert, keys);
    }
    erase(keys) {
      return isKey(keys) ? one(this.#filter, CALL.erase, keys) : this.#batch(CALL.erase, keys);
    }
    clear() {
      if (m._simdbloom_wasm_clear(this.#filter) === 0) failed();
    }
    union(other) {
      if (!(other instanceof Filter))
        throw new TypeError(`simdbloom: ${String(other)} is not a Filter`);
      return new Filter(forgotten, m._simdbloom_wasm_union(this.#filter, other.#filter));
    }
    contains(key) { return one(this.#filter, CALL.contains, key) === 1; }
    count(keys) { return this.#batch(CALL.count, keys); }
    bitmap(keys) {
      return this.#batch(CALL.bitmap, keys, (n) => Math.ceil(n / 8),
        (_, at, bytes) => heap().slice(at, at + bytes));
    }
    select(keys) {
      return this.#batch(CALL.select, keys, (n) => 4 * n,
        (found, at) => new Uint32Array(heap().slice(at, at + 4 * found).buffer));
    }
    touched(key) {
      const bytes = isBytes(key) ? bytesOf(key) : null;
      const whole = bytes ? 0n : integer(key);
      const found = withBytes([bytes ?? new Uint8Array()], (at) => json(m._simdbloom_wasm_touched(
        this.#filter, whole, bytes ? at : 0, bytes?.length ?? 0)));
      return found.map(([block, bit, set]) =>
        set === undefined ? { block, bit } : { block, bit, isSet: set === 1 });
    }
  }
  class FilterTimes extends Owned {
    constructor(owner, at) {
      super(owner, at, m._simdbloom_wasm_free_times, 'FilterTimes are made by measure');
    }
    get noise() { return m._simdbloom_wasm_noise(timesAt(this)); }
  }
  function timesAt(times) {
    if (!(times instanceof FilterTimes))
      throw new TypeError(`simdbloom: ${String(times)} are not FilterTimes`);
    return addressOf(times, 'these times were');
  }

  function withWork(work, use) {
    const settings = Float64Array.of(number('keys', work.keys), number('workNs', work.workNs),
      work.probes ?? 0, work.hits ?? 0, work.maxBitsPerKey ?? 20, work.maxBytes ?? 0,
      work.tableBytes ?? 0, ...['erase', 'grow', 'merge', 'allAtOnce'].map((s) => +!!work[s]));
    return withBytes([raw(settings)], use);
  }
  const measure = (work, leastKeys = 0) => withWork(work, (at) => new FilterTimes(
    forgotten, m._simdbloom_wasm_measure(at, number('leastKeys', leastKeys))));
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
