// Rates and answers of filters that make_filter knows.
#include <algorithm>
#include <memory>

#include "harness/keys.hpp"
#include "harness/subject.hpp"
#include "replication/probes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::replication {
namespace {

using bench::Keys;
using bench::KeySource;

/// Keys 0 .. keys - 1 of the source are in.
struct Filled {
    KeySource source = KeySource::generated(1);
    std::uint64_t keys;
    AnyFilter filter;

    Filled(const std::string& spec, std::uint64_t n, double bits_per_key, std::uint64_t seed)
        : keys(n), filter(make_filter(spec, n, bits_per_key, {.seed = seed})) {
        bench::fill(filter, source, n);
    }
    Filled(Setup& s, std::uint64_t seed)
        : Filled(s.text("spec"), s.count("keys"), s.number("bits_per_key"), seed) {}
    std::uint64_t found(std::uint64_t first, std::uint64_t n) const {
        std::uint64_t sum = 0;
        bench::for_keys(source, first, first + n, [&](Keys piece) { sum += filter.count(piece); });
        return sum;
    }
};

/// Measured FPR, one filter a sample; the absent keys of a filter are no other filter's. With
/// `of_strangers`, the share of absent keys among the accesses, the share of accesses that the
/// filter saves.
void run_fpr(Setup& s) {
    const std::uint64_t filters = s.count("filters", 10), probes = s.count("probes");
    const double absent = s.number("of_strangers", 0);
    for (std::uint64_t seed = 1; seed <= filters; ++seed) {
        const Filled f(s, seed);
        const std::uint64_t found = f.found(f.keys + (seed << 40), probes);
        if (absent == 0) print_rate(found, probes);
        else print_value(absent * (1 - static_cast<double>(found) / static_cast<double>(probes)));
    }
}

/// The ratio of the FPRs of two filters, a pair a sample.
void run_fpr_ratio(Setup& s) {
    const std::uint64_t keys = s.count("keys"), probes = s.count("probes");
    for (std::uint64_t seed = 1; seed <= s.count("filters", 10); ++seed) {
        const auto found = [&](const std::string& which) {
            const Filled f(s.text(which), keys, s.number(which + "_bits"), seed);
            return static_cast<double>(f.found(keys, probes));
        };
        print_value(found("a") / found("b"));
    }
}

/// How many inserted keys are not found, over filters of many sizes.
void run_lost(Setup& s) {
    const std::uint64_t sizes = s.count("sizes"), step = s.count("step");
    std::uint64_t lost = 0;
    for (std::uint64_t n = 1; n <= sizes * step; n += step) {
        auto filter = make_filter(s.text("spec"), n, s.number("bits_per_key"), {.seed = n});
        const auto source = KeySource::generated(n);
        bench::fill(filter, source, n);
        bench::for_keys(source, 0, n, [&](Keys piece) {
            lost += piece.size() - filter.count(piece);
            for (const std::uint64_t key : piece) lost += !filter.contains(key);
        });
    }
    print_text(std::to_string(lost));
}

/// Every second key is erased, then the others: which of the others were lost on the way, and what
/// is found in the end.
void run_erased(Setup& s) {
    for (std::uint64_t seed = 1; seed <= s.count("filters"); ++seed) {
        Filled f(s, seed);
        std::uint64_t lost = 0;
        for (std::uint64_t i = 0; i < f.keys; i += 2) lost += !f.filter.erase(f.source.key(i));
        for (std::uint64_t i = 1; i < f.keys; i += 2) lost += !f.filter.contains(f.source.key(i));
        for (std::uint64_t i = 1; i < f.keys; i += 2) lost += !f.filter.erase(f.source.key(i));
        print_text(std::to_string(lost) + " lost, " + std::to_string(f.found(0, f.keys)) + " left");
    }
}

/// The load of a cuckoo table when a key first finds no place.
void run_load(Setup& s) {
    for (std::uint64_t seed = 1; seed <= s.count("filters"); ++seed) {
        const auto room = s.count("slots");
        auto filter = make_filter(s.text("spec"), room * 95 / 100, s.number("slot_bits") / 0.95,
                                  {.seed = seed});
        const double slots = 4.0 * static_cast<double>(filter.base().blocks());
        const auto source = KeySource::generated(seed);
        std::uint64_t n = 0;
        while (filter.try_insert(source.key(n))) ++n;
        print_value(static_cast<double>(n) / slots);
    }
}

/// Bits per key of two filters for one FPR, as a ratio.
void run_space(Setup& s) {
    const auto bits = [&](const char* which) {
        return make_filter_for_fpr(s.text(which), s.count("keys"), s.number("fpr")).bits_per_key();
    };
    print_value(bits("a") / bits("b"));
}

/// Distinct lines of 64 bytes that a lookup of a key that is in loads, a filter a sample.
void run_lines(Setup& s) {
    for (std::uint64_t seed = 1; seed <= s.count("filters", 5); ++seed) {
        Filled f(s, seed);
        const std::uint64_t n = std::min<std::uint64_t>(f.keys, 100'000);
        double lines = 0;
        for (std::uint64_t i = 0; i < n; ++i)
            lines += bench::lines_touched(f.filter.base(), f.filter.hash_of(f.source.key(i)));
        print_value(lines / static_cast<double>(n));
    }
}

/// Whether every instruction set sets the bits and gives the answers of scalar code.
void run_same_on_every_isa(Setup& s) {
    const std::uint64_t n = s.count("keys"), probes = s.count("probes");
    const auto source = KeySource::generated(1);
    std::vector<std::uint64_t> absent(probes);
    source.fill(n / 2, absent.data(), absent.size());
    std::vector<std::byte> bits;
    std::vector<std::uint8_t> answers;
    for (const Isa isa : usable_isas()) {
        auto filter = make_filter(s.text("spec"), n, s.number("bits_per_key"), {.isa = isa});
        bench::fill(filter, source, n);
        std::vector<std::uint8_t> bitmap((probes + 7) / 8);
        filter.contains(absent, bitmap);
        const auto bytes = filter.base().bytes();
        if (answers.empty()) bits.assign(bytes.begin(), bytes.end()), answers = bitmap;
        print_text(std::ranges::equal(bytes, bits) && bitmap == answers ? "same" : "other");
    }
}

/// A number of keys that was estimated from the bits, over the true one: of a filter (`what` keys),
/// of a union or of an intersection of two filters with half of their keys in common.
void run_estimate(Setup& s) {
    const std::string what = s.text("what");
    const std::uint64_t n = s.count("keys");
    for (std::uint64_t seed = 1; seed <= s.count("filters"); ++seed) {
        const auto source = KeySource::generated(seed);
        const auto filled = [&](std::uint64_t first) {
            auto filter = make_filter(s.text("spec"), n, s.number("bits_per_key"), {.seed = seed});
            bench::for_keys(source, first, first + n, [&](Keys piece) { filter.insert(piece); });
            return filter;
        };
        const auto a = filled(0), b = filled(n / 2);
        const auto count = static_cast<double>(n);
        if (what == "keys") print_value(estimated_keys(a).keys / count);
        else if (what == "union") print_value(estimated_union(a, b).keys / (1.5 * count));
        else if (what == "intersection") print_value(estimated_intersection(a, b).keys / count * 2);
        else throw std::invalid_argument("what=" + what + " is not estimated");
    }
}

const Probes filter_probes{{"fpr", run_fpr},
                           {"fpr_ratio", run_fpr_ratio},
                           {"lost", run_lost},
                           {"erased", run_erased},
                           {"load", run_load},
                           {"space", run_space},
                           {"lines", run_lines},
                           {"estimate", run_estimate},
                           {"same_on_every_isa", run_same_on_every_isa}};

}  // namespace
}  // namespace simdbloom::replication
