"""Bugs that filters of this kind have had, written so that they fit this library. Each change has
to apply, once, and each bug has to be killed by a test. A bug without changes has no place here;
its description says why."""

from bugs import bug
from mended import MENDED

LAYOUT = "include/simdbloom/detail/layout_traits.hpp"
FILTER = "include/simdbloom/filter.hpp"
STORAGE = "src/core/filters/storage.cpp"
CUCKOO = "src/core/filters/cuckoo.cpp"
EVICTION = "src/core/filters/eviction.hpp"
SIZING = "src/core/filters/sizing.cpp"
KERNEL_HASH = "src/core/kernels/hash.hpp"


HUGE = ("huge_filter_test", "KeysOfItsLastBlocks")
BEGINNING = ("huge_filter_test", "KeysBehindTheBorder")


BUGS = [
    bug("defaulted move of an owner", "a moved-from filter still owns its bits: a double free",
        ("include/simdbloom/detail/storage.hpp",
         "Storage(Storage&& other) noexcept : Storage() { swap(other); }",
         "Storage(Storage&& other) noexcept = default;"), by=("moved_from_test", "EveryType")),
    bug("int difference as order", "(int)(a - b) >= 0 on 64-bit values",
        (LAYOUT, "return h >= bucket ? h - bucket",
         "return static_cast<int>(h - bucket) >= 0 ? h - bucket"),
        by=("cuckoo_test", "CuckooAlternate")),

    bug("+= instead of |= in single inserts", "a bit set twice carries into the next",
        ("include/simdbloom/classic.hpp", "load_le<std::uint64_t>(p) | std::uint64_t{1}",
         "load_le<std::uint64_t>(p) + (std::uint64_t{1}"),
        ("include/simdbloom/classic.hpp", "<< (g & 63));\n        }", "<< (g & 63)));\n        }")),
    bug("+= instead of |= in the register kernels", "a bit set twice carries into the next",
        ("src/core/kernels/register_blocked.hpp",
         "load_le<Word>(word) | static_cast<Word>(s.pattern[j])",
         "static_cast<Word>(load_le<Word>(word) + s.pattern[j])")),
    bug("+= instead of |= in the line kernels", "a bit set twice carries into the next",
        ("src/core/kernels/one_line.hpp", "load_le<std::uint64_t>(word) | mask",
         "load_le<std::uint64_t>(word) + mask")),
    bug("+ instead of | in unions", "a bit of both filters carries into the next",
        ("src/any/set_operations.cpp", "in_either = [](auto a, auto b) { return a | b; }",
         "in_either = [](auto a, auto b) { return a + b; }")),
    bug("+ instead of | in merged builds", "a bit of both copies carries into the next",
        ("src/threads/build.cpp", "return into | from;", "return into + from;")),

    bug("two winners of one key",
        "as Guava's put(): two threads that each set some of a new key's bits are both told so",
        ("src/threads/concurrent.cpp", "mine.lock();", ""),
        ("src/threads/concurrent.cpp", "mine.unlock();", ""),
        by=("concurrent_bloom_test", "EveryConcurrentSpec")),
    bug("no winner of a key", "the last bit of a new key was set by a stranger",
        ("src/threads/concurrent.cpp", "set |= set_shared_if_new(at, mask);",
         "set = set_shared_if_new(at, mask);"),
        by=("concurrent_bloom_test", "EveryConcurrentSpec")),
    bug("a filter of some partitions", "as DuckDB's of a join that spills: rows are lost",
        ("src/join/join_builder.cpp", "if (missing.empty()) return std::nullopt;",
         "return std::nullopt;"),
        by=("partitions_test", "JoinPartitions")),
    bug("a union of some parts", "the same where the parts are saved bytes",
        ("src/join/parts.cpp", "if (missing.empty()) return filter;", "return filter;"),
        by=("saved_parts_test", "SavedParts")),

    bug("one bit of a word lost in inserts",
        "as 0x40 >> (i & 7) loses one of eight: the top bit of a word is never set",
        ("src/core/kernels/classic.hpp", "load_le<std::uint64_t>(word) | scalar_mask(g)",
         "load_le<std::uint64_t>(word) | (scalar_mask(g) & ~(std::uint64_t{1} << 63))")),
    bug("one bit of a byte lost in bitmaps",
        "as 0x40 >> (i & 7): every eighth key's answer is missing",
        ("src/core/kernels/select.hpp", "bytes[i] = static_cast<std::uint8_t>(hits >> (8 * i));",
         "bytes[i] = static_cast<std::uint8_t>(hits >> (8 * i) & 0x7F);")),

    bug("32-bit bit index, single keys", "filters past 2^32 bits wrap",
        (FILTER,
         "std::byte* block_at(std::uint64_t index) noexcept { return bits_.data() + index * "
         "block_bytes_; }",
         "std::byte* block_at(std::uint64_t index) noexcept { return bits_.data() + "
         "static_cast<std::uint32_t>(8 * index * block_bytes_) / 8; }"),
        (FILTER,
         "std::byte* block_at(std::uint64_t index) const noexcept { return bits_.data() + index * "
         "block_bytes_; }",
         "std::byte* block_at(std::uint64_t index) const noexcept { return bits_.data() + "
         "static_cast<std::uint32_t>(8 * index * block_bytes_) / 8; }"), by=HUGE),
    bug("32-bit bit index, classic kernel", "filters past 2^32 bits wrap",
        ("src/core/kernels/classic.hpp", "return block_index(g, t.blocks) * 8;",
         "return static_cast<std::uint32_t>(block_index(g, t.blocks) * 64) / 8;"), by=HUGE),
    bug("32-bit bit index, block kernels", "filters past 2^32 bits wrap",
        (KERNEL_HASH, "O::broadcast(~std::uint64_t{0} << shift)",
         "O::broadcast((~std::uint64_t{0} << shift) & 0x1FFFFFFFu)"), by=BEGINNING),
    bug("32-bit byte offset, block kernels", "filters past 2^32 bytes wrap",
        (KERNEL_HASH, "O::broadcast(~std::uint64_t{0} << shift)",
         "O::broadcast((~std::uint64_t{0} << shift) & 0xFFFFFFFFu)"), by=BEGINNING),

    bug("signed shift in the mixer", "single keys are hashed with an arithmetic shift",
        ("include/simdbloom/hash.hpp", "x ^= x >> mix_shift;",
         "x ^= static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> mix_shift);")),
    bug("signed shift in a mask", "a bit's number becomes negative",
        (LAYOUT, "return 32 * i + ((x * salts[i]) >> 27);",
         "return 32 * i + static_cast<unsigned>(static_cast<std::int32_t>(x * salts[i]) >> 27);")),
    bug("signed shift in a vector mask", "a bit's number becomes negative",
        ("src/core/kernels/ops/avx512.hpp", "_mm512_srli_epi32(_mm512_mullo_epi32(x, salts), 27)",
         "_mm512_srai_epi32(_mm512_mullo_epi32(x, salts), 27)")),

    bug("swapped arguments, bits per key", "n_keys and bits_per_key change places",
        ("include/simdbloom/interface.hpp",
         "detail::size_for_bits(F::layout_of(options), n_keys, bits_per_key, options)",
         "detail::size_for_bits(F::layout_of(options), static_cast<std::size_t>(bits_per_key), "
         "static_cast<double>(n_keys), options)")),
    bug("swapped arguments, best k", "keys and blocks change places",
        (SIZING, "fpr::best_k(layout, n_keys, blocks)", "fpr::best_k(layout, blocks, n_keys)")),
    bug("swapped arguments, FPR in sizing", "keys and blocks change places",
        (SIZING, "fpr::expected(with_best_k(layout, n_keys, blocks), n_keys, blocks)",
         "fpr::expected(with_best_k(layout, n_keys, blocks), blocks, n_keys)")),
    bug("swapped arguments, classic model", "bits and keys change places",
        ("src/core/layouts/fpr.cpp", "return classic_exact(m, static_cast<double>(n), layout_.k);",
         "return classic_exact(static_cast<double>(n), m, layout_.k);")),

    bug("hash state lost, single keys", "single keys are hashed with another seed than batches",
        ("include/simdbloom/detail/key_hash.hpp", ": mix(key, seed_);", ": mix(key, seed());")),
    bug("hash state lost, batches", "batches leave the last step of the mixer out",
        (KERNEL_HASH, "return O::template mul<mix_multiplier2>(x ^ O::high_rotated(x));",
         "return x;")),
    bug("hash state lost, a few keys", "short batches are hashed with another seed",
        ("src/core/kernels/driver.hpp", "fold_seed<Ops<ScalarArch>>(t.seed)",
         "fold_seed<Ops<ScalarArch>>(0)")),
    bug("count lost after batches", "the number of fingerprints is not written back",
        (CUCKOO, "    stored_ += taken;\n", "")),

    bug("a victim outside the table",
        "there is no victim cache here; the nearest: the evicted slot is one of eight, not of four",
        (EVICTION, "next_random(random) >> 62", "next_random(random) >> 61")),
    bug("an alternate bucket one past the end", "the difference of 0 counts as negative",
        (LAYOUT, "return h >= bucket ?", "return h > bucket ?"),
        by=("cuckoo_test", "CuckooAlternate")),
    bug("an alternate bucket one past the end, in kernels",
        "the difference of 0 counts as negative",
        ("src/core/kernels/cuckoo.hpp", "(difference >> 63)", "((difference - O::broadcast(1)) >> 63)")),

    bug("a failed mapping of memory is success", "the filter's bits lie nowhere",
        (STORAGE, "    if (p == MAP_FAILED) return nullptr;\n",
         "    if (p == MAP_FAILED) return static_cast<std::byte*>(p);\n"),
        by=("memory_test", "Memory")),
    bug("a failed mapping is not reported", "the filter has no bits",
        (STORAGE,
         "        data_ = map_aligned(allocated_);\n"
         "        if (data_ == nullptr) throw AllocationError(bytes);\n",
         "        data_ = map_aligned(allocated_);\n")),
    bug("a failed allocation is not reported", "the filter has no bits",
        (STORAGE,
         "std::aligned_alloc(alignment, allocated_));\n"
         "        if (data_ == nullptr) throw AllocationError(bytes);\n",
         "std::aligned_alloc(alignment, allocated_));\n")),
    bug("a failed mapping of a file is success", "the bytes lie nowhere",
        ("src/core/files/files.cpp", "    if (!*mapping) return file_fault(path);\n", "")),

    bug("32-bit hash halves", "block and pattern are chosen by the same 32 bits, everywhere",
        (LAYOUT, "return ((hash >> 32) * blocks) >> 32;",
         "return ((hash & 0xFFFFFFFFu) * blocks) >> 32;"),
        (KERNEL_HASH, "return mul32_high<O>(hash, O::broadcast(blocks)) >> 32;",
         "return O::mul32(hash, O::broadcast(blocks)) >> 32;"),
        (KERNEL_HASH,
         "return (mul32_high<O>(hash, O::broadcast(blocks)) >> (32 - shift))",
         "return (O::mul32(hash, O::broadcast(blocks)) >> (32 - shift))")),
    bug("32-bit hash halves, classic", "all probes of a key lie in one word, everywhere",
        (LAYOUT, "return (g & 0xFFFFFFFFu) * classic_multiplier + (g >> 32);",
         "return (g * classic_multiplier & 0xFFFFFFFFu) | (g & 0xFFFFFFFF00000000u);"),
        ("src/core/kernels/classic.hpp",
         "return O::mul32(position, O::broadcast(classic_multiplier)) + (position >> 32);",
         "return (O::mul32(position, O::broadcast(classic_multiplier)) & "
         "O::broadcast(0xFFFFFFFFu)) | (position & O::broadcast(0xFFFFFFFF00000000u));")),

    bug("two keys of a batch in one block, register",
        "words are loaded for all keys of a vector before any is stored",
        ("src/core/kernels/register_blocked.hpp", """        for (std::size_t j = i; j < i + n; ++j) {
            std::byte* const word = t.bits + s.offset[j];
            store_le(word, load_le<Word>(word) | static_cast<Word>(s.pattern[j]));
        }
""", """        Word words[O::lanes];
        for (std::size_t j = i; j < i + n; ++j) {
            __builtin_memcpy(&words[j - i], t.bits + s.offset[j], sizeof words[0]);
            words[j - i] |= static_cast<Word>(s.pattern[j]);
        }
        for (std::size_t j = i; j < i + n; ++j)
            __builtin_memcpy(t.bits + s.offset[j], &words[j - i], sizeof words[0]);
""")),
    bug("two keys of a batch in one block, zoned",
        "words are loaded for all keys of a vector before any is stored",
        ("src/core/kernels/zoned512.hpp",
         "for (std::size_t j = 0; j < n; ++j) set_bits(t.bits + offsets[j], masks[j]);", """\
            for (std::size_t j = 0; j < n; ++j) {
                std::uint64_t w;
                __builtin_memcpy(&w, t.bits + offsets[j], 8);
                masks[j] |= w;
            }
            for (std::size_t j = 0; j < n; ++j) __builtin_memcpy(t.bits + offsets[j], &masks[j], 8);
""")),

    bug("a refused insert loses another key", "the evictions of a walk without end are not undone",
        (EVICTION, "for (unsigned n = max_evictions; n-- > 0;)",
         "for (unsigned n = 0; n-- > 0;)")),
    bug("a refused insert loses the last evicted key", "one eviction is not undone",
        (EVICTION, "for (unsigned n = max_evictions; n-- > 0;)",
         "for (unsigned n = max_evictions - 1; n-- > 0;)")),
    bug("a key never inserted is deleted", "a stranger's fingerprint goes in its place",
        (CUCKOO, "const unsigned slot = b.find(p.tag);",
         "const unsigned slot = b.find(0) != 0 ? 0 : b.find(p.tag);")),
    bug("deleting what is absent is success", "the count goes down though nothing went",
        (CUCKOO, "        --stored_;\n        return true;\n    }\n    return false;",
         "        --stored_;\n        return true;\n    }\n    --stored_;\n    return true;")),
    bug("more than 2b copies are success", "the ninth copy is not in the table",
        (EVICTION, "    random = random_before;\n    return false;",
         "    random = random_before;\n    return true;")),
    bug("more than 2b copies never end", "the walk goes round and round",
        (EVICTION, "for (unsigned n = 0; n < max_evictions; ++n) {",
         "for (unsigned n = 0;; n = (n + 1) % max_evictions) {")),
] + MENDED
