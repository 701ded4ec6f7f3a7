// What semi-sorted buckets cost a lookup, and what they save: fingerprints of 17 bits in the space
// of 16.
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/semi_sorted/lookup.hpp"
#include "harness/keys.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::bench {

std::byte sorted_lows[2 * codes + 6];

namespace {

/// Fills sorted_lows, and numbers its entries.
std::map<unsigned, unsigned> number_sorted_lows() {
    std::map<unsigned, unsigned> code;
    for (unsigned a = 0; a < 16; ++a)
        for (unsigned b = a; b < 16; ++b)
            for (unsigned c = b; c < 16; ++c)
                for (unsigned d = c; d < 16; ++d) {
                    const auto lows = static_cast<std::uint16_t>(a | b << 4 | c << 8 | d << 12);
                    const auto number = static_cast<unsigned>(code.size());
                    detail::store_le(sorted_lows + 2 * number, lows);
                    code[lows] = number;
                }
    return code;
}

/// A cuckoo table of fingerprints of 16 or 17 bits, these in semi-sorted buckets, at a load of
/// 0.95.
class Table {
public:
    Table(unsigned tag_bits, std::uint64_t buckets, const KeySource& keys)
        : tag_bits_(tag_bits), buckets_(buckets), bits_(8 * buckets + 8) {
        std::vector<Bucket> plain(buckets);
        keys_ = static_cast<std::uint64_t>(0.95 * 4 * static_cast<double>(buckets));
        for (std::uint64_t i = 0; i < keys_; ++i) insert(plain, hash_key(keys.key(i)));
        static const auto code = number_sorted_lows();
        for (std::uint64_t b = 0; b < buckets; ++b)
            detail::store_le(bits_.data() + 8 * b,
                             tag_bits == 16 ? in_a_row(plain[b]) : semi_sorted(plain[b], code));
    }
    std::uint64_t keys() const { return keys_; }
    std::size_t count(const CuckooLookups& lookups, std::span<const std::uint64_t> keys) {
        const detail::Target target{bits_.data(), buckets_, seed_, 0, bits_.size() > (1u << 20),
                                    nullptr};
        return (tag_bits_ == 16 ? lookups.plain : lookups.semi_sorted)(
            target, {keys.data(), keys.size(), false}, detail::Output::count, nullptr);
    }

private:
    using Bucket = std::array<std::uint32_t, 4>;

    void insert(std::vector<Bucket>& table, std::uint64_t hash) {
        std::uint32_t tag = detail::cuckoo_tag(static_cast<std::uint32_t>(hash), tag_bits_);
        std::uint64_t bucket = detail::block_index(hash, buckets_);
        for (;;) {
            for (const std::uint64_t b : {bucket, detail::cuckoo_alternate(bucket, tag, buckets_)})
                for (std::uint32_t& slot : table[b])
                    if (slot == 0) {
                        slot = tag;
                        return;
                    }
            std::swap(tag, table[bucket][(random_ = random_ * 6364136223846793005u + 1) >> 62]);
            bucket = detail::cuckoo_alternate(bucket, tag, buckets_);
        }
    }
    static std::uint64_t in_a_row(const Bucket& bucket) {
        std::uint64_t word = 0;
        for (unsigned i = 4; i-- > 0;) word = word << 16 | bucket[i];
        return word;
    }
    static std::uint64_t semi_sorted(Bucket bucket, const std::map<unsigned, unsigned>& code) {
        std::ranges::sort(bucket, {}, [](std::uint32_t tag) { return tag & 15; });
        std::uint64_t high = 0;
        unsigned lows = 0;
        for (unsigned i = 4; i-- > 0;)
            high = high << high_bits | bucket[i] >> low_bits,
            lows = lows << low_bits | (bucket[i] & 15);
        return high << code_bits | code.at(lows);
    }

    unsigned tag_bits_;
    std::uint64_t buckets_, keys_, seed_ = detail::seed_offset, random_ = 1;
    std::vector<std::byte> bits_;
};

double seconds(Table& table, const CuckooLookups& lookups, std::span<const std::uint64_t> keys,
               std::size_t batch) {
    const auto start = std::chrono::steady_clock::now();
    std::size_t found = 0;
    for (std::size_t at = 0; at < keys.size(); at += batch)
        found += table.count(lookups, keys.subspan(at, std::min(batch, keys.size() - at)));
    const double time =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return found == keys.size() ? -1 : time;  // never: the keys are strangers
}

constexpr std::pair<Isa, const CuckooLookups*> compiled[] = {
    {Isa::scalar, &scalar_lookups},
#ifdef __x86_64__
    {Isa::avx2, &avx2_lookups},
    {Isa::avx512, &avx512_lookups},
#endif
};

int run() {
    constexpr std::size_t probes = std::size_t{1} << 20, batch = 16'384;
    constexpr unsigned rounds = 31;
    const auto source = KeySource::generated(1);
    std::vector<std::uint64_t> strangers(probes), in(batch);
    source.fill(std::uint64_t{1} << 40, strangers.data(), strangers.size());
    print_header({"table", "instruction set", "FPR, 16 bits", "FPR, 17 bits semi-sorted",
                  "ns an absent key, 16 bits", "17 bits semi-sorted", "ratio"});
    for (const std::uint64_t bytes : {std::uint64_t{16} << 10, std::uint64_t{256} << 10,
                                      std::uint64_t{8} << 20, std::uint64_t{128} << 20}) {
        Table plain(16, bytes / 8, source), sorted(17, bytes / 8, source);
        for (const auto& [isa, lookups] : compiled) {
            if (std::ranges::find(usable_isas(), isa) == usable_isas().end()) continue;
            double fpr[2], time[2];
            std::vector<double> times[2];
            Table* const tables[2] = {&plain, &sorted};
            for (unsigned t = 0; t < 2; ++t) {
                for (std::uint64_t first = 0; first < tables[t]->keys(); first += in.size()) {
                    const auto n = static_cast<std::size_t>(
                        std::min<std::uint64_t>(in.size(), tables[t]->keys() - first));
                    source.fill(first, in.data(), n);
                    if (tables[t]->count(*lookups, std::span(in).first(n)) == n) continue;
                    std::fprintf(stderr, "a key of the table of %u bits was not found\n", 16 + t);
                    return 1;
                }
                fpr[t] = static_cast<double>(tables[t]->count(*lookups, strangers)) / probes;
            }
            for (unsigned round = 0; round < rounds; ++round)
                for (unsigned t = 0; t < 2; ++t)
                    times[t].push_back(seconds(*tables[t], *lookups, strangers, batch));
            for (unsigned t = 0; t < 2; ++t) {
                std::ranges::nth_element(times[t], times[t].begin() + rounds / 2);
                time[t] = times[t][rounds / 2] * 1e9 / probes;
            }
            print_row({bytes < 1 << 20 ? text("%.0f KiB", static_cast<double>(bytes) / 1024)
                                       : text("%.0f MiB", static_cast<double>(bytes) / (1 << 20)),
                       std::string(to_string(isa)), text("%.4f %%", 100 * fpr[0]),
                       text("%.4f %%", 100 * fpr[1]), text("%.2f", time[0]), text("%.2f", time[1]),
                       text("%.2f", time[1] / time[0])});
        }
    }
    print_source("semi_sorted");
    return 0;
}

}  // namespace
}  // namespace simdbloom::bench

int main() { return simdbloom::bench::run(); }
