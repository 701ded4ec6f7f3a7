// The filters of the RocksDB library that is installed, in tables in memory.
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <memory>

#include "replication/probes.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::replication {
namespace {

void check(const rocksdb::Status& status) {
    if (!status.ok()) throw std::runtime_error("RocksDB: " + status.ToString());
}

std::string key(std::uint64_t number) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(hash_key(number, 1)));
    return text;
}

/// Tables with a "bloom" or a "ribbon" filter, or none.
rocksdb::Options options_of(const std::string& filter, double bits, unsigned format,
                            rocksdb::Env* env) {
    rocksdb::Options options;
    options.env = env;
    options.create_if_missing = true;
    options.write_buffer_size = std::size_t{1} << 30;  // all keys in one table
    rocksdb::BlockBasedTableOptions table;
    table.format_version = format;
    if (filter == "bloom") table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(bits));
    else if (filter == "ribbon")
        table.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(bits, -1));
    else if (filter != "none") throw std::invalid_argument("no filter is called \"" + filter + '"');
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    return options;
}

/// A sample for each table. "what" is "fpr", "bits" (the filter's bits a key), or "over_bound"
/// (bits a key over log2(1 / FPR), the lower bound).
void run_rocksdb(Setup& s) {
    const std::string what = s.text("what", "fpr");
    if (what != "fpr" && what != "bits" && what != "over_bound")
        throw std::invalid_argument("what=" + what + " is not measured");
    const std::uint64_t n = s.count("keys"), probes = s.count("probes");
    for (std::uint64_t seed = 1; seed <= s.count("filters"); ++seed) {
        const std::unique_ptr<rocksdb::Env> env(rocksdb::NewMemEnv(rocksdb::Env::Default()));
        rocksdb::DB* opened = nullptr;
        check(rocksdb::DB::Open(
            options_of(s.text("filter"), s.number("bits_per_key"), s.small("format", 5), env.get()),
            "/db", &opened));
        const std::unique_ptr<rocksdb::DB> db(opened);
        rocksdb::WriteOptions write;
        write.disableWAL = true;
        const std::uint64_t first = seed << 40;
        for (std::uint64_t i = 0; i < n; ++i) check(db->Put(write, key(first + i), ""));
        check(db->Flush({}));
        rocksdb::TablePropertiesCollection tables;
        check(db->GetPropertiesOfAllTables(&tables));
        if (tables.size() != 1) throw std::runtime_error("RocksDB wrote more than one table");
        const double bits = ratio(8 * tables.begin()->second->filter_size, n);
        if (what == "bits") {
            print_value(rounded(bits));
            continue;
        }
        rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
        rocksdb::get_perf_context()->Reset();
        rocksdb::PinnableSlice value;
        for (std::uint64_t i = 0; i < probes; ++i)
            (void)db->Get({}, db->DefaultColumnFamily(), key(first + n + i), &value);
        const auto& seen = *rocksdb::get_perf_context();
        const std::uint64_t hits = seen.bloom_sst_hit_count;
        if (hits + seen.bloom_sst_miss_count != probes)
            throw std::runtime_error("RocksDB did not ask its filter for every key");
        if (what == "fpr") print_rate(hits, probes);
        else print_value(bits / std::log2(ratio(probes, hits)));
    }
}

/// Tables without a filter, with a Bloom and with a Ribbon filter. "value" is the time that the
/// Ribbon filter adds over that which the Bloom filter adds.
void run_rocksdb_build(Setup& s) {
    const auto keys = std::make_shared<std::vector<std::string>>();
    for (std::uint64_t i = 0; i < s.count("keys"); ++i) keys->push_back(key(i));
    std::ranges::sort(*keys);
    const double bits = s.number("bits_per_key");
    std::vector<bench::Contestant> members;
    for (const std::string filter : {"none", "bloom", "ribbon"})
        members.push_back(bench::contestant(filter, keys->size(), [=] {
            const std::unique_ptr<rocksdb::Env> env(rocksdb::NewMemEnv(rocksdb::Env::Default()));
            rocksdb::SstFileWriter writer({}, options_of(filter, bits, 5, env.get()));
            check(writer.Open("/table"));
            for (const std::string& one : *keys) check(writer.Put(one, ""));
            check(writer.Finish());
        }));
    print_rounds(s, std::move(members), [](const std::vector<double>& ns, double) {
        return (ns[2] - ns[0]) / (ns[1] - ns[0]);
    });
}

const Probes rocksdb_probes{{"rocksdb", run_rocksdb}, {"rocksdb_build", run_rocksdb_build, true}};

}  // namespace
}  // namespace simdbloom::replication
