"""Defects that this library had and that were mended, each put back."""

from bugs import bug

FILTER, SCALABLE = "include/simdbloom/filter.hpp", "src/series/scalable.cpp"
SIZING, FPR = "src/layouts/sizing.cpp", "src/layouts/fpr.cpp"
DUCKDB = "src/adapters/duckdb"
LAYOUT, CLASSIC = "include/simdbloom/detail/layout_traits.hpp", "src/kernels/classic.hpp"


def assigned_by_members(type_, header):
    head = f"{type_}& operator=(const {type_}& other)"
    return bug(f"assignment by members, {type_}",
               "a copy that fails half way leaves a filter of two halves",
               (header, f"{head} {{ return *this = {type_}(other); }}", f"{head} = default;"),
               by=("no_memory_test", "WithoutMemory"))


MENDED = [
    bug("DuckDB: a window's state is emptied", "combine takes what DuckDB uses again",
        (f"{DUCKDB}/aggregate.cpp",
         "    to.hashes.insert(to.hashes.end(), from.hashes.begin(), from.hashes.end());",
         "    to.hashes.insert(to.hashes.end(), from.hashes.begin(), from.hashes.end());\n"
         "    from.hashes.clear();"), by=("duckdb", "duckdb")),
    bug("DuckDB: one state for all rows is one a row", "what lies behind it is followed",
        (f"{DUCKDB}/rows.cpp", "here = sure ? at(array[row]) : find(array[row]);",
         "here = at(array[row]);"), by=("duckdb", "duckdb")),
    bug("DuckDB: the members of a NULL are not NULL", "memory of other rows is shown",
        (f"{DUCKDB}/scalars.cpp", "rows, output, std::size(info_names));",
         "rows, output);"), by=("duckdb", "duckdb")),
    bug("DuckDB: a decimal has one key", "DOUBLEs that `=` finds equal are lost",
        (f"{DUCKDB}/keys.cpp", "if (rounded != key) put(row, hash_key(rounded, seed));", ""),
        by=("duckdb", "duckdb")),
    bug("DuckDB: filters are kept for ever", "memory without a limit",
        (f"{DUCKDB}/filter_cache.cpp", "while (bytes_ > limit_ && entries_.size() > 1)",
         "while (false)"), by=("duckdb", "duckdb")),

    assigned_by_members("FilterBase", FILTER),
    assigned_by_members("GrowingCuckoo", "include/simdbloom/growing_cuckoo.hpp"),
    assigned_by_members("ScalableBloom", "include/simdbloom/scalable.hpp"),
    assigned_by_members("BloomierMap", "include/simdbloom/bloomier.hpp"),
    bug("an assignment that must not throw allocates", "std::terminate where memory is short",
        ("include/simdbloom/detail/storage.hpp",
         "Storage& operator=(const Storage& other) { return *this = Storage(other); }",
         "Storage& operator=(const Storage& other) noexcept { return *this = Storage(other); }")),
    bug("a moved-from filter takes keys", "a null pointer is followed",
        (FILTER, "detail::check_not_moved(blocks_ == 0);", "detail::check_not_moved(false);")),
    bug("a series counts a filter that it has not", "the next key goes by the wrong count",
        (SCALABLE, "            stored_.pop_back();\n            throw;", "            throw;")),

    bug("a mixer of multipliers of 32 bits", "consecutive integers have filters of their own",
        ("include/simdbloom/hash.hpp", "mix_multiplier1 = 0x9E3779B97F4A7C15u;",
         "mix_multiplier1 = 0x9E3779B1u;"),
        ("include/simdbloom/hash.hpp", "mix_multiplier2 = 0xD6E8FEB86659FD93u;",
         "mix_multiplier2 = 0x85EBCA77u;"), by=("counters_test", "Counters")),
    bug("KeyHasher takes its seed as it is", "two functions of a counter change places",
        ("include/simdbloom/hash.hpp", "hash_key(key, hash_key(seed))", "hash_key(key, seed)"),
        by=("two_seeds_test", "TwoSeeds")),
    bug("KeyHasher without its last shift", "low bits under two seeds depend on each other",
        ("include/simdbloom/hash.hpp", "        return x ^ x >> 32;\n", "        return x;\n"),
        by=("two_seeds_test", "TwoSeeds")),

    bug("Arrow's offsets are looked at one by one", "bytes outside the array are read",
        ("src/join/arrow.cpp",
         "    for (std::size_t row = 0; row < rows; ++row)\n        if (offsets",
         "    for (std::size_t row = 0; row < 1; ++row)\n        if (offsets"),
        by=("arrow_test", "Arrow")),

    bug("classic probes by one step for all keys", "keys that share a probe share all",
        (LAYOUT, "return (g & 0xFFFFFFFFu) * classic_multiplier + (g >> 32);",
         "return g + classic_multiplier * 0x9E3779B97F4A7C15u;"),
        (CLASSIC, "return O::mul32(position, O::broadcast(classic_multiplier)) + (position >> 32);",
         "return position + O::broadcast(classic_multiplier * 0x9E3779B97F4A7C15u);")),
    bug("the cuckoo model by slots", "0.2 % high with 8 bits",
        (FPR, "return cuckoo_pairs(layout.fingerprint_bits(), static_cast<double>(blocks), "
              "static_cast<double>(n));",
         "return -std::expm1(2 * static_cast<double>(n) / static_cast<double>(blocks) * "
         "std::log1p(-1 / (std::exp2(layout.fingerprint_bits()) - 1)));")),

    bug("a series goes on where no model tells", "filters of FPR 0",
        (SCALABLE, "if (!filters_.empty() && fpr < fpr::least)", "if (fpr < 0)")),
    bug("a series takes thousands of bits a key", "register layouts have no such FPR",
        (SCALABLE, "bytes > 4096 && bits > max_bits_per_key", "bytes > 4096 && bits > 1e9")),
    bug("a series that does not grow", "a filter more for every few keys",
        (SCALABLE, "s.growth >= 1.25 &&", "s.growth >= 1 &&")),
    bug("a table is rounded below its keys", "fold_levels with max_bytes",
        (SIZING, "rounded < keep", "rounded == 0")),
    bug("an FPR below what the model tells", "sized by digits that are lost",
        (SIZING, "    if (fpr < fpr::least)\n", "    if (fpr < 0)\n")),

    bug("saving makes private filters public", "the new file has the mode of any new file",
        ("src/persist/saving.cpp", "SiblingFile beside(target, exists ? 0600 : 0666);",
         "SiblingFile beside(target, 0666);"),
        ("src/persist/saving.cpp",
         "        if (exists) keep_access(target, old, beside.file().get());\n", ""),
        by=("saving_test", "Saving")),
    bug("saving replaces links", "the name of the link is given to the new file",
        ("src/persist/saving.cpp", "const fs::path target = behind_links(path);",
         "const fs::path target = path;"), by=("saving_test", "Saving")),
    bug("memory for what a file says it is", "files of holes are not checked first",
        ("src/persist/files.hpp",
         "    if (auto error = check_ahead(file, path, header, {(*parsed).bits_bytes})) "
         "return *error;\n", ""), by=("serialize_file_test", "SerializeFile")),
    bug("memory that is not there", "left to the killer of processes",
        ("src/layouts/storage.cpp", "        check_available(bytes);\n", ""),
        by=("available_memory_test", "AvailableMemory")),
    bug("a zero is asked for in one encoding", "row groups of -0.0 are skipped",
        ("src/adapters/parquet/bloom_filter.cpp",
         "        if (value == 0) return {hash_value(T{0}), hash_value(-T{0})};\n", ""),
        by=("parquet_test", "Parquet")),
    bug("keys with timestamps are asked for without", "tables that hold the key are left out",
        ("src/adapters/rocksdb/collector.cpp",
         "size_of(properties, earliest_timestamp) != size_of(properties, timestamp_taken_off)",
         "size_of(properties, earliest_timestamp) < size_of(properties, timestamp_taken_off)"),
        by=("rocksdb_test", "RocksDb")),

    bug("a stash of any number of copies is loaded", "reading it takes their square in time",
        ("src/persist/growing_cuckoo_file.cpp", "if (i >= GrowingCuckoo::max_copies &&",
         "if (i >= stashed &&"), by=("growing_save_test", "GrowingSave")),
    bug("where a hash lies in a stash is known beforehand", "chosen hashes meet in one place",
        ("src/growing/stash.cpp", "        if (slots_.empty()) scatter_ = Scatter::random();\n",
         ""), by=("stash_test", "Stash")),
    bug("an exception leaves the C interface", "expected_fpr without memory",
        ("src/c/simdbloom.cpp", "number([&] { return filter->filter.expected_fpr(); });",
         "filter->filter.expected_fpr();"), by=("c_memory_test", "CWithoutMemory")),
    bug("a view looks for its kernels at every batch", "allocations, and the environment read",
        ("src/adapters/leveldb/leveldb_filter.cpp", "*kernels_ : default_kernels();",
         "*kernels_ : kernels_of(default_isa());"), by=("memory_test", "Memory")),
    bug("a minus sign is part of a whole number", "--seed -1 is 2^64 - 1",
        ("src/tools/commands.hpp", "        T number;\n",
         "        T number;\n        if (text == \"-1\") return {};\n"),
        by=("tool_check", "tool_check")),
    bug("a carriage return is part of a line", "lines that end in CR LF match nothing",
        ("src/tools/keys.hpp", "line.size() - (!line.empty() && line.back() == '\\r')",
         "line.size()"), by=("tool_check", "tool_check")),
    bug("output that is lost is a success", "a full disk, and exit code 0",
        ("src/tools/main.cpp",
         "if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && printed)",
         "if (printed || true)"), by=("tool_check", "tool_check")),
    bug("two runs of unseen lose each other's lines", "nobody waits",
        ("src/tools/lock.cpp", "if (::flock(file_, LOCK_EX | LOCK_NB) == 0) continue;",
         "continue;"),
        by=("tool_check", "tool_check")),
]
