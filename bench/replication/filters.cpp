// Rates and answers of filters that make_filter knows.
#include <algorithm>

#include "harness/keys.hpp"
#include "harness/subject.hpp"
#include "replication/faulty.hpp"
#include "replication/probes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::replication {
namespace {

using bench::Keys;
using bench::KeySource;

/// Keys by number. "random": splitmix64's. "counting": n, n + 1, n + 2 and so on. "pairs": two
/// small numbers in the halves of a key, as keys of two columns have. Of these two, each filter has
/// its own: under seeds that differ in a few bits, keys that count up have the same hashes.
class Numbered {
public:
    explicit Numbered(const std::string& form, std::uint64_t random_seed = 1,
                      std::uint64_t filter = 0)
        : random_(KeySource::generated(random_seed)),
          form_(form[0]),
          first_(filter * 1'000'000'000) {
        if (form != "random" && form != "counting" && form != "pairs")
            throw std::invalid_argument("no keys are called \"" + form + "\"");
    }
    std::uint64_t key(std::uint64_t i) const {
        if (form_ == 'r') return random_.key(i);
        i += first_;
        return form_ == 'c' ? i : i / 1000 << 32 | i % 1000;
    }
    /// The first of the absent keys of a filter, which are no other filter's.
    std::uint64_t absent(std::uint64_t seed) const { return seed << (form_ == 'r' ? 40 : 36); }
    /// use(keys) for keys first .. last - 1, in pieces of 16,381 keys. That is a prime, so the last
    /// vector of a piece is not full.
    template <class Use>
    void each(std::uint64_t first, std::uint64_t last, const Use& use) const {
        std::vector<std::uint64_t> piece;
        for (; first < last; first += piece.size()) {
            piece.resize(std::min<std::uint64_t>(16'381, last - first));
            for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = key(first + i);
            use(Keys(piece));
        }
    }
    void fill(Faulty& filter, std::uint64_t n) const {
        each(0, n, [&](Keys piece) { filter.insert(piece); });
    }

private:
    KeySource random_;
    char form_;
    std::uint64_t first_;
};

Fault fault_of(Setup& s) { return fault_called(s.text("fault", "none")); }

/// Keys 0 .. keys - 1 of the source are in.
struct Filled {
    Numbered source;
    std::uint64_t keys;
    Faulty filter;

    Filled(Setup& s, std::uint64_t seed)
        : source(s.text("form", "random"), 1, seed),
          keys(s.count("keys")),
          filter(make_filter(s.text("spec"), keys, s.number("bits_per_key"), {.seed = seed}),
                 fault_of(s)) {
        source.fill(filter, keys);
    }
    std::uint64_t found(std::uint64_t first, std::uint64_t n) const {
        std::uint64_t sum = 0;
        source.each(first, first + n, [&](Keys piece) { sum += filter.count(piece); });
        return sum;
    }
};

/// Measured FPR, one filter a sample; over that of the exact model if `over` is "model". With
/// `of_strangers`, the share of absent keys among the accesses, the share of accesses that the
/// filter saves.
void run_fpr(Setup& s) {
    const std::uint64_t filters = s.count("filters", 10), probes = s.count("probes");
    const double absent = s.number("of_strangers", 0);
    const bool over_model = s.text("over", "none") == "model";
    for (std::uint64_t seed = 1; seed <= filters; ++seed) {
        const Filled f(s, seed);
        const std::uint64_t found = f.found(f.keys + f.source.absent(seed), probes);
        if (over_model) print_value(ratio(found, probes) / f.filter.filter().expected_fpr());
        else if (absent == 0) print_rate(found, probes);
        else print_value(absent * (1 - ratio(found, probes)));
    }
}

/// How many inserted keys are not found, in a batch or one at a time, over filters of many sizes.
void run_lost(Setup& s) {
    const std::uint64_t sizes = s.count("sizes"), step = s.count("step");
    const Fault fault = fault_of(s);
    std::uint64_t lost = 0;
    for (std::uint64_t n = 1; n <= sizes * step; n += step) {
        Faulty f(make_filter(s.text("spec"), n, s.number("bits_per_key"), {.seed = n}), fault);
        const Numbered source("random", n);
        source.fill(f, n);
        source.each(0, n, [&](Keys piece) {
            lost += piece.size() - f.count(piece);
            if (fault != Fault::none) return;
            for (const std::uint64_t key : piece) lost += !f.filter().contains(key);
        });
    }
    print_text(std::to_string(lost));
}

/// Every second key is erased, then the others: which of the others were lost on the way, and what
/// is found in the end.
void run_erased(Setup& s) {
    for (std::uint64_t seed = 1; seed <= s.count("filters"); ++seed) {
        Filled f(s, seed);
        AnyFilter& filter = f.filter.filter();
        std::uint64_t lost = 0;
        for (std::uint64_t i = 0; i < f.keys; i += 2) lost += !filter.erase(f.source.key(i));
        for (std::uint64_t i = 1; i < f.keys; i += 2) lost += !filter.contains(f.source.key(i));
        for (std::uint64_t i = 1; i < f.keys; i += 2) lost += !filter.erase(f.source.key(i));
        print_text(std::to_string(lost) + " lost, " + std::to_string(f.found(0, f.keys)) + " left");
    }
}

/// The load of a cuckoo table when a key first finds no place.
void run_load(Setup& s) {
    for (std::uint64_t seed = 1; seed <= s.count("filters"); ++seed) {
        const auto room = s.count("slots");
        auto filter = make_filter(s.text("spec"), room * 95 / 100, s.number("slot_bits") / 0.95,
                                  {.seed = seed});
        const auto source = KeySource::generated(seed);
        std::uint64_t n = 0;
        while (filter.try_insert(source.key(n))) ++n;
        print_value(ratio(n, 4 * filter.base().blocks()));
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
        const Filled f(s, seed);
        const AnyFilter& filter = f.filter.filter();
        const std::uint64_t n = std::min<std::uint64_t>(f.keys, 100'000);
        double lines = 0;
        for (std::uint64_t i = 0; i < n; ++i)
            lines += bench::lines_touched(filter.base(), filter.hash_of(f.source.key(i)));
        print_value(lines / static_cast<double>(n));
    }
}

/// Whether every instruction set sets the bits of scalar code, gives its answers for keys of which
/// half are in, and finds all that are: "same", or what is not so.
void run_same_on_every_isa(Setup& s) {
    const std::uint64_t n = s.count("keys"), probes = s.count("probes");
    const std::vector<std::string> random{"random"};
    for (const std::string& form : s.has("forms") ? s.words("forms") : random) {
        const Numbered source(form);
        std::vector<std::byte> bits;
        std::vector<bool> answers;
        for (const Isa isa : usable_isas()) {
            Faulty f(make_filter(s.text("spec"), n, s.number("bits_per_key"), {.isa = isa}),
                     fault_of(s));
            source.fill(f, n);
            std::uint64_t lost = 0;
            source.each(0, n, [&](Keys piece) { lost += piece.size() - f.count(piece); });
            std::vector<bool> found;
            source.each(n / 2, n / 2 + probes, [&](Keys piece) {
                const auto some = f.contains(piece);
                found.insert(found.end(), some.begin(), some.end());
            });
            if (answers.empty()) bits = f.bits(), answers = found;
            std::string wrong;
            if (lost > 0) wrong += ", " + std::to_string(lost) + " keys lost";
            if (f.bits() != bits) wrong += ", other bits";
            if (found != answers) wrong += ", other answers";
            const std::string where = form + " keys, " + std::string(to_string(isa));
            print_text(wrong.empty() ? "same" : where + wrong);
        }
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

const Probes filter_probes{
    {"fpr", run_fpr},           {"lost", run_lost},
    {"erased", run_erased},     {"load", run_load},
    {"space", run_space},       {"lines", run_lines},
    {"estimate", run_estimate}, {"same_on_every_isa", run_same_on_every_isa}};

}  // namespace
}  // namespace simdbloom::replication
