"""Bugs that filters of this kind have had, written so that they fit this library, and which
operators.py does not make. Each change has to apply, once, and each bug has to be killed by a
test."""

import re


def bug(name, description, *changes, by=None):
    """`changes`: (file, text), the text with its change as `git diff --word-diff` shows it. Without
    {+ +} and without [- -] the file holds it once. `by`: a part of the tests' names that are asked
    first; any other may kill it too."""
    word = re.compile(r"\[-(.*?)-\]\{\+(.*?)\+\}", re.S)
    changes = [(file, word.sub(r"\1", text), word.sub(r"\2", text)) for file, text in changes]
    return {"name": name, "description": description, "changes": changes, "by": by}


def assigned_by_members(type_, header):
    return bug(f"assignment by members, {type_}",
               "a copy that fails half way leaves a filter of two halves",
               (header, f"{type_}& operator=(const {type_}& other) "
                f"[-{{ return *this = {type_}(other); }}-]{{+= default;+}}"), by="WithoutMemory")


BUGS = [
    bug("defaulted move of an owner", "a moved-from filter still owns its bits: a double free",
        ("include/simdbloom/detail/storage.hpp", "Storage(Storage&& other) noexcept [-"
         "{ swap(other); }-]{+= default;+}"), by="EveryType"),
    bug("int difference as order", "(int)(a - b) >= 0 on 64-bit values",
        ("include/simdbloom/detail/layouts/fingerprint.hpp", "return [-h >= "
         "bucket-]{+static_cast<int>(h - bucket) >= 0+} ? h - bucket"), by="CuckooAlternate"),
    bug("+= instead of |= in single inserts", "a bit set twice carries into the next",
        ("include/simdbloom/classic.hpp",
         "load_le<std::uint64_t>(p) [-| -]{++ (+}std::uint64_t{1}"),
        ("include/simdbloom/classic.hpp", "<< (g & 63))[--]{+)+}; }")),
    bug("+= instead of |= in the register kernels", "a bit set twice carries into the next",
        ("src/core/layouts/register_blocked.hpp", "[-load_le<Word>(word) | "
         "static_cast<Word>(-]{+static_cast<Word>(load_le<Word>(word) + +}s.pattern[j])")),
    bug("+= instead of |= in the line kernels", "a bit set twice carries into the next",
        ("src/core/kernels/one_line.hpp", "load_le<std::uint64_t>(word) [-|-]{+++} mask")),
    bug("+ instead of | in unions", "a bit of both filters carries into the next",
        ("src/core/filters/set_operations.hpp", "in_either = [](auto a, auto b) { return a "
         "[-|-]{+++} b; }")),
    bug("+ instead of | in merged builds", "a bit of both copies carries into the next",
        ("src/threads/build.cpp", "return into [-|-]{+++} from;")),
    bug("two winners of one key",
        "as Guava's put(): two threads that each set some of a new key's bits are both told so",
        ("src/threads/concurrent.cpp", "[-mine.lock();-]{++}"),
        ("src/threads/concurrent.cpp", "[-mine.unlock();-]{++}"), by="EveryConcurrentSpec"),
    bug("a filter of some partitions", "as DuckDB's of a join that spills: rows are lost",
        ("src/join/join_builder.cpp", "[-!missing.empty()-]{+false+}) "
         "return JoinFilter(detail::Everything"), by="JoinPartitions"),
    bug("a union of some parts", "the same where the parts are saved bytes",
        ("src/join/parts.cpp", "[-if (missing.empty()) -]{++}return filter;"), by="SavedParts"),
    bug("a filter of some senders", "as OpenSearch's and StarRocks': merged too early",
        ("src/join/exchange/exchange.cpp",
         "[-std::ranges::all_of-]{+std::ranges::any_of+}(senders_, &Sender::is_complete)"),
        by="Exchange"),
    bug("a sender that starts again is complete", "the parts of its last attempt are counted on",
        ("src/join/exchange/exchange.cpp", "sender = [-{.attempt = "
         "message.attempt};-]{+{message.attempt, sender.came};+}"), by="Exchange"),
    bug("a part after the deadline counts", "what was published changes",
        ("src/join/exchange/exchange.cpp", "[-state_ != State::open || -]{++}message.attempt < "
         "sender.attempt"), by="Exchange"),
    bug("a part of another seed is united", "its keys are not found",
        ("src/join/exchange/exchange.cpp", "if ([-comparable(filter) != header_-]{+false+})"),
        by="Exchange"),
    bug("one bit of a word lost in inserts",
        "as 0x40 >> (i & 7) loses one of eight: the top bit of a word is never set",
        ("src/core/layouts/classic.hpp",
         "set_bits(word, bits[--]{+ & ~(std::uint64_t{1} << 63)+})")),
    bug("one bit of a byte lost in bitmaps",
        "as 0x40 >> (i & 7): every eighth key's answer is missing",
        ("src/core/kernels/answers.hpp", "bytes[i] = static_cast<std::uint8_t>(hits >> (8 * "
         "i)[--]{+ & 0x7F+});")),
    bug("32-bit bit index, single keys", "filters past 2^32 bits wrap",
        ("include/simdbloom/classic.hpp", "{ std::byte* p = bits_.data() + [-8 * "
         "detail::block_index(g, blocks_)-]{+static_cast<std::uint32_t>(64 * "
         "detail::block_index(g, blocks_)) / 8+};"),
        ("include/simdbloom/classic.hpp", "const std::byte* p = bits_.data() + [-8 * "
         "detail::block_index(g, blocks_)-]{+static_cast<std::uint32_t>(64 * "
         "detail::block_index(g, blocks_)) / 8+};"), by="KeysOfItsLastBlocks"),
    bug("32-bit bit index, classic kernel", "filters past 2^32 bits wrap",
        ("src/core/layouts/classic.hpp", "return [-block_index(g, t.blocks) "
         "*-]{+static_cast<std::uint32_t>(block_index(g, t.blocks) * 64) /+} 8;"),
        by="KeysOfItsLastBlocks"),
    bug("32-bit bit index, block kernels", "filters past 2^32 bits wrap",
        ("src/core/kernels/hash.hpp", "O::broadcast([-~std::uint64_t{0} << "
         "shift-]{+(~std::uint64_t{0} << shift) & 0x1FFFFFFFu+})"), by="KeysOfItsLastBlocks"),
    bug("32-bit byte offset, block kernels", "filters past 2^32 bytes wrap",
        ("src/core/kernels/hash.hpp", "O::broadcast([-~std::uint64_t{0} << "
         "shift-]{+(~std::uint64_t{0} << shift) & 0xFFFFFFFFu+})"), by="KeysOfItsLastBlocks"),
    bug("signed shift in the mixer", "single keys are hashed with an arithmetic shift",
        ("include/simdbloom/hash.hpp", "return [-x >> n-]{+static_cast<std::uint64_t>("
         "static_cast<std::int64_t>(x) >> n)+};")),
    bug("signed shift in a mask", "a bit's number becomes negative",
        ("include/simdbloom/detail/layouts/split.hpp", "return 32 * i + "
         "[-(-]{+static_cast<unsigned>(static_cast<std::int32_t>+}(x * salts[i]) >> 27);")),
    bug("signed shift in a vector mask", "a bit's number becomes negative",
        ("src/core/kernels/ops/avx512.hpp",
         "[-_mm512_srli_epi32-]{+_mm512_srai_epi32+}(_mm512_mullo_epi32(x, salts), 27)")),
    bug("equal bits of a key cancel", "a product of matrices adds bits modulo 2",
        ("src/core/kernels/ops/avx512bitalg.hpp", "_mm512_testn_epi8_mask(equal, "
         "V([-0xFEFCF8F0E0C08000u-]{+0u+}))")),
    bug("swapped arguments, bits per key", "n_keys and bits_per_key change places",
        ("src/core/filters/interface.hpp", "F::own_layout), [-n_keys, "
         "bits_or_fpr-]{+static_cast<std::size_t>(bits_or_fpr), static_cast<double>(n_keys)+}, "
         "options)")),
    bug("hash state lost, single keys", "single keys are hashed with another seed than batches",
        ("include/simdbloom/detail/key_hash.hpp", ": mix<true>(key, [-seed_-]{+seed()+});")),
    bug("hash state lost, batches", "batches leave the last step of the mixer out",
        ("src/core/kernels/hash.hpp", "return [-O::template mul<mix_multiplier2>(x ^ "
         "O::high_rotated(x))-]{+x+};")),
    bug("hash state lost, a few keys", "short batches are hashed with another seed",
        ("src/core/kernels/driver.hpp", "fold_seed<Ops<ScalarArch>>([-t.seed-]{+0+})")),
    bug("an alternate bucket one past the end, in kernels",
        "the difference of 0 counts as negative",
        ("src/core/kernels/hash.hpp", "([-number-]{+(number - O::broadcast(1))+} >> 63)")),
    bug("a failed mapping of memory is success", "the filter's bits lie nowhere",
        ("src/core/os/posix.cpp", "if (p == MAP_FAILED) return "
         "[-nullptr-]{+static_cast<std::byte*>(p)+};"), by="Memory"),
    bug("a failed allocation is not reported", "the filter has no bits",
        ("src/core/filters/storage.cpp", "[-if (m.owned == nullptr) throw "
         "AllocationError(wanted);-]{++}")),
    bug("a failed mapping of a file is success", "the bytes lie nowhere",
        ("src/core/files/saved.cpp", "static_cast<std::size_t>(n))) "
         "[-return file_fault(path_)-]{++};")),
    bug("32-bit hash halves", "block and pattern are chosen by the same 32 bits, everywhere",
        ("include/simdbloom/detail/layouts/traits.hpp", "return ((hash [->> 32-]{+& 0xFFFFFFFFu+}) "
         "* blocks) >> 32;"),
        ("include/simdbloom/hash.hpp", "Product{[-shift_right<32, true>(hash)-]"
         "{+hash & 0xFFFFFFFFu+}}"),
        ("src/core/kernels/hash.hpp", "O::mul32([-O::swap_halves(hash)-]{+hash+}, low);"),
        ("src/core/kernels/hash.hpp", "return O::mul32(hash.[-high()-]{+low+}, "
         "O::broadcast(factor));")),
    bug("32-bit hash halves, classic", "all probes of a key lie in one word, everywhere",
        ("include/simdbloom/detail/layouts/classic.hpp", "return (g [-& 0xFFFFFFFFu) * "
         "classic_multiplier + (g >> 32-]{+* classic_multiplier & 0xFFFFFFFFu) | (g & "
         "0xFFFFFFFF00000000u+});"),
        ("src/core/layouts/classic.hpp", "return [-O::mul32(position, "
         "O::broadcast(classic_multiplier)) + (position >> 32-]{+(O::mul32(position, "
         "O::broadcast(classic_multiplier)) & O::broadcast(0xFFFFFFFFu)) | (position & "
         "O::broadcast(0xFFFFFFFF00000000u)+});")),
    bug("two keys of a batch in one block, register",
        "words are loaded for all keys of a vector before any is stored",
        ("src/core/layouts/register_blocked.hpp", "[-for (std::size_t j = i; j < i + n; ++j) { "
         "std::byte* const word = t.bits + s.offset[j]; store_le(word, load_le<Word>(word) | "
         "static_cast<Word>(s.pattern[j])); }-]{+Word words[O::lanes]; for (std::size_t j = i; j < "
         "i + n; ++j) { __builtin_memcpy(&words[j - i], t.bits + s.offset[j], sizeof words[0]); "
         "words[j - i] |= static_cast<Word>(s.pattern[j]); } for (std::size_t j = i; j < i + n; "
         "++j) __builtin_memcpy(t.bits + s.offset[j], &words[j - i], sizeof words[0]);+}")),
    bug("two keys of a batch in one block, zoned",
        "words are loaded for all keys of a vector before any is stored",
        ("src/core/layouts/zoned512.hpp", "for (std::size_t j = 0; j < n; ++j) [-set_bits(t.bits + "
         "offsets[j], masks[j]-]{+{ std::uint64_t w; __builtin_memcpy(&w, t.bits + offsets[j], 8); "
         "masks[j] |= w; } for (std::size_t j = 0; j < n; ++j) __builtin_memcpy(t.bits + "
         "offsets[j], &masks[j], 8+});")),
    bug("a refused insert loses another key", "the evictions of a walk without end are not undone",
        ("src/core/filters/eviction.hpp", "for (unsigned n = [-max_steps-]{+0+}; n-- > 0;)")),
    bug("a refused insert loses the last evicted key", "one eviction is not undone",
        ("src/core/filters/eviction.hpp", "for (unsigned n = max_steps[--]{+ - 1+}; n-- > 0;)")),
    bug("a key never inserted is deleted", "a stranger's fingerprint goes in its place",
        ("src/core/filters/cuckoo.cpp",
         "bucket.set([-static_cast<unsigned>(__builtin_ctzll(holding)) / bits-]{+0+}, 0);")),
    bug("deleting what is absent is success", "the count goes down though nothing went",
        ("src/core/filters/cuckoo.cpp",
         "return true; } [-return false-]{+--stored_; return true+};")),
    bug("more than 2b copies never end", "the walk goes round and round",
        ("src/core/filters/eviction.hpp", "for (unsigned n = 0;[- n < max_steps; ++n-]{+; n = (n + "
         "1) % max_steps+}) {")),
    # Defects that this library had and that were mended, each put back.
    bug("DuckDB: a window's state is emptied", "combine takes what DuckDB uses again",
        ("src/adapters/duckdb/aggregate.cpp", "to.hashes.insert(to.hashes.end(), "
         "from.hashes.begin(), from.hashes.end());[--]{+ from.hashes.clear();+}"), by="duckdb"),
    bug("DuckDB: one state for all rows is one a row", "what lies behind it is followed",
        ("src/adapters/duckdb/rows.cpp", "here = [-sure ? at(array[row]) : "
         "find-]{+at+}(array[row]);"), by="duckdb"),
    bug("DuckDB: the members of a NULL are not NULL", "memory of other rows is shown",
        ("src/adapters/duckdb/scalars.cpp", "null_where(arguments, rows, output, "
         "[-members-]{+0+});"), by="duckdb"),
    bug("DuckDB: a decimal has one key", "DOUBLEs that `=` finds equal are lost",
        ("src/adapters/duckdb/keys.cpp", "[-if (rounded != key) put(row, hash_key(rounded, "
         "seed));-]{++}"), by="duckdb"),
    bug("DuckDB: the columns of a row may change places", "(b, a) is found for (a, b)",
        ("src/adapters/duckdb/key_rows.cpp", "return [-hash_key(before)-]{+before+} + of_column;"),
        by="duckdb"),
    bug("DuckDB: a NULL in a row value is no key", "rows that `=` joins are lost",
        ("src/adapters/duckdb/key_rows.cpp", "add([-null_hash-]{+0+});"), by="duckdb"),
    bug("DuckDB: a filter of DATE is one of TIMESTAMP", "no range of days is pruned",
        ("src/adapters/duckdb/keys.cpp", "DUCKDB_TYPE_TIMESTAMP_NS[--]{+, DUCKDB_TYPE_DATE+}}}"),
        by="duckdb"),
    bug("DuckDB: filters are kept for ever", "memory without a limit",
        ("src/adapters/duckdb/filter_cache.cpp", "while ([-bytes_ > limit_ && entries_.size() > "
         "1-]{+false+})"), by="duckdb"),
    bug("assignment by members, FilterBase",
        "a copy that fails half way leaves a filter of two halves",
        ("src/core/filters/filter.cpp", "operator=(const FilterBase&[- other) { return *this = "
         "FilterBase(other); }-]{+) = default;+}"), by="WithoutMemory"),
    assigned_by_members("GrowingCuckoo", "include/simdbloom/growing/growing_cuckoo.hpp"),
    assigned_by_members("ScalableBloom", "include/simdbloom/series/scalable.hpp"),
    assigned_by_members("BloomierMap", "include/simdbloom/fixed/bloomier.hpp"),
    bug("an assignment that must not throw allocates", "std::terminate where memory is short",
        ("include/simdbloom/detail/storage.hpp", "Storage(const Storage& other)[--]{+ noexcept+};"),
        ("src/core/filters/storage.cpp", "Storage(const Storage& other)[--]{+ noexcept+} {")),
    bug("a moved-from filter takes keys", "a null pointer is followed",
        ("include/simdbloom/filter.hpp", "if ([-blocks_ == 0) [[unlikely]]-]{+false)+}")),
    bug("a series counts a filter that it has not", "the next key goes by the wrong count",
        ("src/series/scalable.cpp", "[-stored_.pop_back(); -]{++}throw;")),
    bug("a mixer of multipliers of 32 bits", "consecutive integers have filters of their own",
        ("include/simdbloom/hash.hpp", "mix_multiplier1 = [-0x897B2307897B2307u-]{+0x9E3779B1u+};"),
        ("include/simdbloom/hash.hpp", "mix_multiplier2 = [-0xD6E8FEB86659FD93u-]{+0x85EBCA77u+};"),
        by="Counters"),
    bug("the mixer's high half is not rotated", "steps of a few sums of powers of two cancel",
        ("include/simdbloom/hash.hpp", "(x ^ [-std::rotl(static_cast<std::uint32_t>("
         "shift_right<32, one_key>(x)), 8)-]{+(x >> 32)+})"), by="Counters"),
    bug("KeyHasher takes its seed as it is", "two functions of a counter change places",
        ("include/simdbloom/key_hasher.hpp", "hash_key(key, [-hash_key(seed)-]{+seed+})"),
        by="TwoSeeds"),
    bug("KeyHasher without its last shift", "low bits under two seeds depend on each other",
        ("include/simdbloom/key_hasher.hpp", "return x[- ^ x >> 32-]{++};"), by="TwoSeeds"),
    bug("Arrow's offsets are looked at one by one", "bytes outside the array are read",
        ("src/join/key_column.cpp", "for (std::size_t row = 0; row < place.size[--]{+ && row < "
         "1+}; ++row) if (offsets"), by="Arrow"),
    bug("a row's columns are added without a turn", "hashes of saved filters change",
        ("src/join/row_reader.cpp", "[-(values_[i] << 23 | values_[i] >> 41)-]{+values_[i]+}"),
        by="RowKeys"),
    bug("a row is NULL as its last column is", "rows with a NULL pass",
        ("src/join/row_reader.cpp", "if ([-column.valid == nullptr-]{+true+}) valid_ = valid;"),
        by="JoinRows"),
    bug("codes are taken for words of a dictionary", "memory behind the dictionary is read",
        ("src/join/column_values.cpp", "[-if (most < words) -]{++}return;"), by="JoinRows"),
    bug("classic probes by one step for all keys", "keys that share a probe share all",
        ("include/simdbloom/detail/layouts/classic.hpp", "return [-(g & 0xFFFFFFFFu) * "
         "classic_multiplier + (g >> 32)-]{+g + classic_multiplier * 0x9E3779B97F4A7C15u+};"),
        ("src/core/layouts/classic.hpp", "return [-O::mul32(position, "
         "O::broadcast(classic_multiplier)) + (position >> 32-]{+position + "
         "O::broadcast(classic_multiplier * 0x9E3779B97F4A7C15u+});")),
    bug("the cuckoo model by slots", "0.2 % high with 8 bits",
        ("src/core/models/fpr.cpp", "return [-cuckoo_pairs(layout.fingerprint_bits(), count, keys-]"
         "{+-std::expm1(2 * keys / count * std::log1p(-1 / "
         "(std::exp2(layout.fingerprint_bits()) - 1))+});")),
    bug("a series goes on where no model tells", "filters of FPR 0",
        ("src/series/scalable.cpp", "if ([-!filters_.empty() && fpr < fpr::least-]{+fpr < 0+})")),
    bug("a series takes thousands of bits a key", "register layouts have no such FPR",
        ("src/series/scalable.cpp", "bytes > 4096 && bits > [-max_bits_per_key-]{+1e9+}")),
    bug("a series that does not grow", "a filter more for every few keys",
        ("src/series/scalable.cpp", "s.growth >= 1[-.25-]{++} &&")),
    bug("a table is rounded below its keys", "fold_levels with max_bytes",
        ("src/core/filters/sizing.cpp", "rounded [-< keep-]{+== 0+}")),
    bug("an FPR below what the model tells", "sized by digits that are lost",
        ("src/core/filters/sizing.cpp", "if (fpr < [-fpr::least-]{+0+})")),
    bug("saving makes private filters public", "the new file has the mode of any new file",
        ("src/core/os/posix_save.cpp", "NewFile beside(target, [-exists ? 0600 : -]{++}0666);"),
        ("src/core/os/posix_save.cpp", "[-if (exists) keep_access(target, old, "
         "beside.file().get());-]{++}"), by="Saving"),
    bug("saving replaces links", "the name of the link is given to the new file",
        ("src/core/os/posix_save.cpp", "const fs::path target = [-behind_links(path)-]{+path+};"),
        by="Saving"),
    bug("memory for what a file says it is", "files of holes are not checked first",
        ("src/core/files/saved.cpp", "[-if (auto error = check_holes(header, "
         "std::span(parts).first(behind ? 2 : 1))) return std::move(*error);-]{++}"),
        by="SerializeFile"),
    bug("memory that is not there", "left to the killer of processes",
        ("src/core/filters/storage.cpp", "[-check_available(wanted);-]{++}"), by="AvailableMemory"),
    bug("a zero is asked for in one encoding", "row groups of -0.0 are skipped",
        ("src/adapters/parquet/bloom_filter.cpp", "[-if (value == 0) return {hash_value(T{0}), "
         "hash_value(-T{0})};-]{++}"), by="Parquet"),
    bug("keys with timestamps are asked for without", "tables that hold the key are left out",
        ("src/adapters/rocksdb/collector.cpp", "size_of(properties, earliest_timestamp) "
         "[-!=-]{+<+} size_of(properties, timestamp_taken_off)"), by="RocksDb"),
    bug("a stash of any number of copies is loaded", "reading it takes their square in time",
        ("src/growing/growing_cuckoo_file.cpp", "if (i >= [-GrowingCuckoo::max_copies-]{+stashed+} "
         "&&"), by="GrowingSave"),
    bug("where a hash lies in a stash is known beforehand", "chosen hashes meet in one place",
        ("src/growing/stash.cpp", "[-if (slots_.empty()) secret_ = Secret::random();-]{++}"),
        by="Stash"),
    bug("an exception leaves the C interface", "expected_fpr without memory",
        ("src/c/simdbloom.cpp", "[-number([&] { return filter->filter.expected_fpr(); "
         "}-]{+filter->filter.expected_fpr(+});"), by="CWithoutMemory"),
    bug("a view looks for its kernels at every batch", "allocations, and the environment read",
        ("src/adapters/leveldb/leveldb_filter.cpp", "*kernels_ : "
         "[-default_kernels(-]{+kernels_of(default_isa()+});"), by="Memory"),
    bug("a minus sign is part of a whole number", "--seed -1 is 2^64 - 1",
        ("src/tools/commands.hpp", "T number;[--]{+ if (text == \"-1\") return {};+}"), by="tool"),
    bug("a carriage return is part of a line", "lines that end in CR LF match nothing",
        ("src/tools/keys.hpp", "line.size()[- - (!line.empty() && line.back() == '\\r')-]{++}"),
        by="tool"),
    bug("output that is lost is a success", "a full disk, and exit code 0",
        ("src/tools/main.cpp", "if (is_printed()[--]{+ || true+})"), by="tool"),
    bug("two runs of unseen lose each other's lines", "nobody waits",
        ("src/tools/os/posix.cpp",
         "[-if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) -]{++}continue;"), by="tool"),
    bug("a filter goes over its keys", "the keys under another name are lost",
        ("src/tools/files.cpp", "if ([-identity_of(from) == target-]{+from == *to+})"),
        by="tool_misuse"),
    bug("a column names the window", "a Parquet file sends an escape sequence",
        ("src/tools/terminal.cpp", "[-escaped(format_all(format, arguments)-]{+format_all(format, "
         "arguments+})"), by="tool_misuse"),
]
