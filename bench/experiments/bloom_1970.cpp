// The three methods of Bloom 1970 on his example, hyphenation: a tenth of all words is in a
// dictionary on a disk, and what is in memory says for which words the disk need not be asked.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <unordered_set>
#include <vector>

#include "experiments/experiment.hpp"
#include "harness/keys.hpp"
#include "simdbloom/simdbloom.hpp"
#include "simdbloom/textbook/textbook.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

using Strings = std::vector<std::string>;
using Part = std::span<const std::string>;

std::size_t allocated = 0;

template <class T>
struct Counts {
    using value_type = T;
    Counts() = default;
    template <class U>
    Counts(const Counts<U>&) {}
    T* allocate(std::size_t n) {
        allocated += n * sizeof(T);
        return static_cast<T*>(::operator new(n * sizeof(T)));
    }
    void deallocate(T* p, std::size_t n) {
        allocated -= n * sizeof(T);
        ::operator delete(p);
    }
    friend bool operator==(Counts, Counts) { return true; }
};

using Text = std::basic_string<char, std::char_traits<char>, Counts<char>>;
struct HashText {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return hash_bytes(s); }
};
using Table = std::unordered_set<Text, HashText, std::equal_to<>, Counts<Text>>;

struct Row {
    std::string method, parameters;
    double allowed, bits, looked_at;
    std::function<std::size_t(Part)> count;
};

double median_ns(const Row& row, Part keys) {
    std::vector<double> times;
    for (int round = 0; round < 11; ++round) {
        const auto start = std::chrono::steady_clock::now();
        const auto found = row.count(keys);
        const auto time = std::chrono::steady_clock::now() - start;
        asm volatile("" : : "r"(found));
        times.push_back(std::chrono::duration<double, std::nano>(time).count() /
                        static_cast<double>(keys.size()));
    }
    std::ranges::nth_element(times, times.begin() + 5);
    return times[5];
}

/// Code bits and load that take the fewest bits for a rate of errors: at load a, a / (a + (1 - a)
/// (2^c - 1)) of the strangers are accepted.
std::pair<unsigned, double> codes_for(double allowed) {
    std::pair<unsigned, double> best{0, 0};
    for (unsigned c = CodeTable::min_code_bits; c <= CodeTable::max_code_bits; ++c) {
        const double odds = allowed / (1 - allowed) * (std::exp2(c) - 1),
                     load = std::min(odds / (1 + odds), 0.95);
        if (best.first == 0 || c / load < best.first / best.second) best = {c, load};
    }
    return best;
}

}  // namespace

int main() {
    const auto source = KeySource::from_file("/usr/share/dict/american-english-huge", 1970);
    Strings words;
    for (std::uint64_t i = 0; i < source.size(); ++i) words.emplace_back(source.text(i));
    const Part held = Part(words).first(words.size() / 10),
               strangers = Part(words).subspan(words.size() / 10);
    const double n = static_cast<double>(held.size()),
                 asked = static_cast<double>(strangers.size());
    std::printf("%zu words, a tenth of them, %zu, held; the other %zu are strangers.\n\n",
                words.size(), held.size(), strangers.size());

    std::vector<Row> rows;
    Table table;
    for (const auto& word : held) table.emplace(word);
    double looked_at = 0;
    for (const auto& word : strangers)
        looked_at += static_cast<double>(table.bucket_size(table.bucket(Text(word))));
    rows.push_back({"conventional hashing", "`std::unordered_set` of the words", 0,
                    8.0 * static_cast<double>(allocated), looked_at / asked, [&](Part keys) {
                        std::size_t found = 0;
                        for (const auto& key : keys) found += table.contains(std::string_view(key));
                        return found;
                    }});
    for (int j = 1; j <= 6; ++j) {
        const double allowed = std::exp2(-j);
        const auto [c, load] = codes_for(allowed);
        auto codes =
            std::make_shared<CodeTable>(CodeTable::with_empty_share(held.size(), 1 - load, c));
        for (const auto& word : held) codes->insert(word);
        double cells = 0;
        for (const auto& word : strangers)
            cells += static_cast<double>(codes->probes(hash_bytes(word)));
        rows.push_back({"1: codes", text("%u bits, load %.2f", c, load), allowed,
                        static_cast<double>(codes->cells() * c), cells / asked, [codes](Part keys) {
                            std::size_t found = 0;
                            for (const auto& key : keys) found += codes->contains(key);
                            return found;
                        }});
    }
    for (int j = 1; j <= 6; ++j) {
        using Scheme = Seeds<BytesHasher>;
        auto array = std::make_shared<SchemeBloom<Scheme>>(
            static_cast<std::uint64_t>(std::ceil(n * j / std::log(2))),
            Scheme(static_cast<unsigned>(j)));
        array->insert_keys(held);
        double bits = 0;
        for (const auto& word : strangers)
            array->scheme().probe(word, array->bits(), [&](std::uint64_t position) {
                bits += 1;
                return (std::to_integer<unsigned>(array->bytes()[position / 8]) >> (position % 8) &
                        1) != 0;
            });
        rows.push_back({"2: bit array", text("k = %d", j), std::exp2(-j),
                        static_cast<double>(array->bits()), bits / asked,
                        [array](Part keys) { return array->count_keys(keys); }});
    }
    for (int j = 1; j <= 6; ++j) {
        auto filter =
            std::make_shared<SplitBlockBloom>(SplitBlockBloom::for_fpr(held.size(), std::exp2(-j)));
        filter->insert_keys(held);
        rows.push_back({"`split256`, for comparison", "one block", std::exp2(-j),
                        8.0 * static_cast<double>(filter->size_in_bytes()), 1,
                        [filter](Part keys) { return filter->count_keys(keys); }});
    }

    print_header({"method", "parameters", "errors allowed", "bits", "bits a word",
                  "strangers accepted", "accesses to the disk saved", "looked at for a stranger",
                  "ns a stranger"});
    for (const Row& row : rows) {
        if (row.count(held) != held.size()) throw std::runtime_error(row.method + " lost a word");
        const double accepted = static_cast<double>(row.count(strangers)) / asked;
        print_row(
            {row.method, row.parameters,
             row.allowed == 0 ? "none" : text("1/%.0f", 1 / row.allowed), text("%.0f", row.bits),
             text("%.2f", row.bits / n), text("%.2f %%", 100 * accepted),
             text("%.1f %%", 100 * (1 - accepted) * asked / static_cast<double>(words.size())),
             text("%.2f %s", row.looked_at,
                  row.method[0] == '1'   ? "cells"
                  : row.method[0] == '2' ? "bits"
                  : row.method[0] == 'c' ? "words"
                                         : "block"),
             text("%.0f", median_ns(row, strangers))});
    }
    print_source("bloom_1970");
}
