// ns that the hash of a string takes: one string after the other, and a batch on every ISA.
#include <chrono>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "experiments/experiment.hpp"
#include "simdbloom/detail/strings.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

// More strings than a branch predictor remembers the sizes of. Memory: L2.
constexpr std::size_t n = 1 << 15, batch = 1024;
constexpr int rounds = 41;

/// Strings of `shortest` to `longest` bytes, each size as often, that lie side by side.
struct Strings {
    std::string bytes;
    std::vector<std::int32_t> offsets{0};
    std::vector<std::string_view> views;
    std::vector<char> inlined = std::vector<char>(16 * n);

    Strings(std::size_t shortest, std::size_t longest) {
        std::uint64_t random = 1;
        const auto next = [&] { return random = KeyHasher{}(random); };
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t size = shortest + next() % (longest - shortest + 1);
            for (std::size_t j = 0; j < size; ++j) bytes += static_cast<char>(next());
            offsets.push_back(static_cast<std::int32_t>(bytes.size()));
        }
        for (std::size_t i = 0; i < n; ++i) {
            const auto size = static_cast<std::uint32_t>(offsets[i + 1] - offsets[i]);
            const char* const from = bytes.data() + offsets[i];
            views.emplace_back(from, size);
            char* const record = inlined.data() + 16 * i;
            std::memcpy(record, &size, 4);
            std::memcpy(record + 4, from, std::min(size, std::uint32_t{size <= 12 ? 12u : 4u}));
            if (size > 12) std::memcpy(record + 8, &from, sizeof from);
        }
    }
};

/// A column of string_views, with the calls that the others have.
struct Views {
    const std::string_view* views;
    const char* bytes(std::size_t i) const { return views[i].data(); }
    std::size_t size(std::size_t i) const { return views[i].size(); }
    std::span<const std::string_view> from(std::size_t first) const {
        return {views + first, batch};
    }
};

void hash_batch(std::span<const std::string_view> views, const detail::StringHash& hash, Isa isa,
                std::uint64_t* hashes) {
    detail::hash_strings(views, hash, isa, hashes);
}
template <class Source>
void hash_batch(const Source& source, const detail::StringHash& hash, Isa isa,
                std::uint64_t* hashes) {
    detail::hash_strings(source, batch, hash, isa, hashes);
}

struct Way {
    std::string name;
    std::function<void(std::uint64_t*)> hash;
    std::vector<double> times = {};
};

/// One by one, then in batches of 1024 on every ISA.
template <class Source>
std::vector<Way> ways(const Source& source, const detail::StringHash& hash) {
    std::vector<Way> all;
    all.push_back({"one by one", [=](std::uint64_t* hashes) {
                       for (std::size_t i = 0; i < n; ++i) {
                           const std::string_view text(source.bytes(i), source.size(i));
                           hashes[i] = hash.secret != nullptr ? siphash(text, *hash.secret)
                                                              : hash_bytes(text, hash.seed);
                       }
                   }});
    for (const Isa isa : usable_isas())
        if (isa != Isa::scalar)
            all.push_back({std::string(to_string(isa)), [=](std::uint64_t* hashes) {
                               for (std::size_t i = 0; i < n; i += batch)
                                   hash_batch(source.from(i), hash, isa, hashes + i);
                           }});
    return all;
}

void print_times(const Strings& strings, const std::string& sizes, const detail::StringHash& hash) {
    struct Column {
        const char* name;
        std::vector<Way> ways;
    } columns[] = {{"`string_view`", ways(Views{strings.views.data()}, hash)},
                   {"Arrow", ways(detail::StringOffsets<std::int32_t>{strings.bytes.data(),
                                                                      strings.offsets.data()},
                                  hash)},
                   {"DuckDB", ways(detail::InlinedStrings{strings.inlined.data()}, hash)}};
    std::vector<std::uint64_t> expected(n), hashes(n);
    columns[0].ways[0].hash(expected.data());
    for (int round = 0; round < rounds; ++round)
        for (Column& column : columns)
            for (Way& way : column.ways) {
                const auto start = std::chrono::steady_clock::now();
                way.hash(hashes.data());
                const std::chrono::duration<double, std::nano> time =
                    std::chrono::steady_clock::now() - start;
                if (hashes != expected) throw std::runtime_error(way.name + ": another hash");
                way.times.push_back(time.count() / static_cast<double>(n));
            }
    for (const Column& column : columns) {
        std::vector<std::string> cells{sizes, column.name};
        const double one = median(column.ways[0].times);
        for (const Way& way : column.ways) {
            const double time = median(way.times);
            cells.push_back(&way == column.ways.data() ? text("%.2f", time)
                                                       : text("%.2f (%.1f)", time, one / time));
        }
        print_row(cells);
    }
}

void print_table(const char* name, const detail::StringHash& hash) {
    std::printf("### %s\n\nns a string; in parentheses how many times as fast as one by one\n\n",
                name);
    std::vector<std::string> head{"bytes", "from"};
    for (const Way& way : ways(Views{}, hash)) head.push_back(way.name);
    print_header(head);
    for (const std::size_t size : {4u, 8u, 12u, 16u, 24u, 31u, 64u})
        print_times(Strings(size, size), std::to_string(size), hash);
    print_times(Strings(1, 16), "1 to 16", hash);
    print_times(Strings(0, 31), "0 to 31", hash);
    print_times(Strings(16, 64), "16 to 64", hash);
}

}  // namespace

int main() {
    print_table("XXH64", {7, nullptr});
    const Secret secret{0x0706050403020100u, 0x0F0E0D0C0B0A0908u};
    std::puts("");
    print_table("SipHash-2-4", {0, &secret});
    print_source("strings");
}
