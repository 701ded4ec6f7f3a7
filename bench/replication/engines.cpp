// An engine's filter beside the hash table that it stands before, both as we wrote them.
#include <memory>

#include "engines/designs.hpp"
#include "harness/passes.hpp"
#include "replication/probes.hpp"

namespace simdbloom::replication {
namespace {

/// The hash table of DuckDB's joins, with linear probing. It has at least two slots a key, rounded
/// up to a power of two. A slot has 64 bits: 16 of the hash, and the number of the row plus 1.
class JoinTable {
public:
    JoinTable(const bench::KeySource& source, std::uint64_t n)
        : rows_(n), slots_(std::bit_ceil(2 * n)) {
        source.fill(0, rows_.data(), n);
        for (std::uint64_t row = 0; row < n; ++row) {
            const std::uint64_t hash = bench::engines::duckdb_hash(rows_[row]);
            std::uint64_t at = hash;
            while (slots_[at & (slots_.size() - 1)] != 0) ++at;
            slots_[at & (slots_.size() - 1)] = (hash & salt) | (row + 1);
        }
    }
    bool contains(std::uint64_t key) const {
        const std::uint64_t hash = bench::engines::duckdb_hash(key);
        for (std::uint64_t at = hash;; ++at) {
            const std::uint64_t slot = slots_[at & (slots_.size() - 1)];
            if (slot == 0) return false;
            if (((slot ^ hash) & salt) == 0 && rows_[(slot & ~salt) - 1] == key) return true;
        }
    }

private:
    static constexpr std::uint64_t salt = ~std::uint64_t{0} << 48;
    std::vector<std::uint64_t> rows_;
    bench::engines::Words<std::uint64_t> slots_;
};

/// Absent keys are looked up in the table and in the filter.
void run_duckdb_probe(Setup& s) {
    const std::uint64_t n = s.count("keys");
    const auto source = bench::KeySource::generated(1);
    const auto table = std::make_shared<JoinTable>(source, n);
    const auto filter =
        std::make_shared<bench::engines::EngineFilter<bench::engines::DuckDb>>(n, 12);
    bench::for_keys(source, 0, n, [&](bench::Keys piece) { filter->insert(piece); });
    const auto keys = bench::rotation(source, n, 8 * std::bit_ceil(2 * n), 0);
    const auto pass = [&](const std::function<void(bench::Keys)>& ask) {
        return bench::pieces(keys, 2048, ask, keys->all().size());  // DuckDB's vector
    };
    print_rounds(s, {{"table", pass([table](bench::Keys some) {
                          std::uint64_t found = 0;
                          for (const std::uint64_t key : some) found += table->contains(key);
                          bench::keep(found);
                      }),
                      false, shortest_turn},
                     {"filter", pass([filter](bench::Keys some) {
                          bench::keep(filter->count(simdbloom::Keys(some)));
                      }),
                      false, shortest_turn}});
}

const Probes engine_probes{{"duckdb_probe", run_duckdb_probe, true}};

}  // namespace
}  // namespace simdbloom::replication
