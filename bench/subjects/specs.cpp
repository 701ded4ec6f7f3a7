// The filters that make_filter knows: the ten, and those that count.
#include <optional>

#include "harness/subject.hpp"
#include "simdbloom/fpr.hpp"
#include "simdbloom/threads/build.hpp"

namespace simdbloom::bench {
namespace {

/// Filled from empty, on one thread and on two.
template <class F>
std::vector<Build> builds_of(const std::shared_ptr<F>& filter, bool hashed) {
    const auto built = std::make_shared<std::optional<F>>();
    const auto on = [&](unsigned threads) {
        return Build{threads == 1 ? "serial" : "parallel", threads, [=](Keys keys) {
                         if (!*built) *built = *filter;
                         (*built)->clear();
                         return seconds_of([&] {
                             if (hashed)
                                 parallel_insert(**built, simdbloom::Keys::hashes(keys), threads);
                             else parallel_insert(**built, keys, threads);
                         });
                     }};
    };
    return {on(1), on(2)};
}

Subject make_spec(const std::string& spec, const Order& order) {
    auto filter = make_filter(spec, order.n_keys, order.bits_per_key, Options{.seed = order.seed});
    fill(filter, order.keys, order.n_keys);
    // By the filter's own type, as a program that knows its filter would ask it.
    return std::visit(
        [&]<class F>(F& own) -> Subject {
            if constexpr (std::derived_from<F, FilterBase>) {
                const auto f = std::make_shared<F>(std::move(own));
                Subject s = subject_of(f, order);
                s.deviation = fpr::deviation(f->layout(), order.n_keys, f->blocks());
                s.lines = [f, hashed = order.keys.hashed()](std::uint64_t key) {
                    return lines_touched(*f, hashed ? key : hash_key(key, f->seed()));
                };
                if constexpr (BloomFilter<F>) s.builds = builds_of(f, order.keys.hashed());
                s.sibling = [spec, order](std::uint64_t seed) {
                    return make_spec(spec, {order.keys, order.n_keys, order.bits_per_key, seed});
                };
                return s;
            } else {
                throw std::invalid_argument(spec + " has a subject of its own");
            }
        },
        filter.variant());
}

Kind contender(const std::string& spec, const char* colour, std::vector<double> also_at = {}) {
    const Layout layout = Layout::parse(spec);
    const bool cuckoo = layout.is_cuckoo();
    return {.name = spec,
            .role = Role::contender,
            .make = [spec](const Order& order) { return make_spec(spec, order); },
            .colour = colour,
            .least_bits = cuckoo ? layout.fingerprint_bits() / CuckooFilter::max_design_load : 0,
            .fills_slowly = cuckoo || layout.traits().anywhere,
            .also_at = std::move(also_at),
            .bits_for =
                [spec](std::uint64_t n_keys, double fpr) {
                    return make_filter_for_fpr(spec, n_keys, fpr).bits_per_key();
                }};
}
Kind main_contender(const std::string& spec, const char* colour, std::vector<double> also_at = {}) {
    Kind kind = contender(spec, colour, std::move(also_at));
    kind.is_main = true;
    return kind;
}

Kind relative(const std::string& spec, double bits_per_key) {
    return {.name = spec,
            .role = Role::relative,
            .make = [spec](const Order& order) { return make_spec(spec, order); },
            .bits_per_key = bits_per_key};
}

const ListEntry spec_entry{
    contender("register32", "#9ecae1"), main_contender("register64", "#1f77b4"),
    // parquet-format advises 10.5 bits for 1 %.
    main_contender("split256", "#d62728", {10.5}), main_contender("sector512", "#ff7f0e"),
    contender("zoned512:z=2", "#98df8a"), contender("zoned512:z=4", "#2ca02c"),
    main_contender("blocked512", "#9467bd"), main_contender("classic", "#7f7f7f"),
    // At its design load, and beside split256.
    contender("cuckoo8", "#c49c94", {8, 10.5}), main_contender("cuckoo12", "#8c564b"),
    contender("cuckoo16", "#5c3317"),
    // 12 counters a key; tables full to their design load.
    relative("counting", 48), relative("counting512", 48), relative("dleft12", 56.0 / 3),
    relative("dleft14", 64.0 / 3), relative("dleft16", 24),
    // From 24 bits a key its FPR is below that of sector512.
    relative("split512", 24)};

}  // namespace
}  // namespace simdbloom::bench
