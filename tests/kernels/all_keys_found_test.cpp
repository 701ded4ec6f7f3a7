// Every key that went in is asked for again, on every ISA, in batches and singly, for each way in
// which a filter can come about: 10^7 keys in the ordinary run; in a nightly one 10^8 for each spec
// in batches, 10^9 in all, and 10^7 each other way.
#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <thread>

#include "scale.hpp"
#include "support.hpp"
#include "ways.hpp"

namespace simdbloom {
namespace {

constexpr std::size_t piece = std::size_t{1} << 16;

std::uint64_t keys_of_a_filter(bool first_way) {
    return piece * test::scaled<std::uint64_t>(1, 4, first_way ? 1526 : 153);
}  // at night 1.00e8 or 1.00e7

/// Distinct keys, made anew whenever they are asked for: 10^9 of them would take 8 GB.
class ManyKeys {
public:
    ManyKeys(std::uint64_t n, std::uint64_t salt) : n_(n), first_(salt << 40) {}
    std::uint64_t size() const { return n_; }
    std::uint64_t pieces() const { return (n_ + piece - 1) / piece; }
    std::vector<std::uint64_t> make(std::uint64_t i) const {
        return test::random_keys(std::min<std::uint64_t>(piece, n_ - i * piece),
                                 first_ + i * piece);
    }

private:
    std::uint64_t n_, first_;
};

AnyFilter empty_filter(const std::string& spec, std::uint64_t n, Options options = {},
                       double more = 1) {
    return make_filter(spec, n, more * test::feasible_bits(spec, 12), options);
}

using Insert = std::function<void(AnyFilter&, const std::vector<std::uint64_t>&)>;

/// The ISAs take turns.
void insert_pieces(AnyFilter& filter, const ManyKeys& keys, std::uint64_t first, std::uint64_t last,
                   const Insert& insert) {
    for (std::uint64_t i = first; i < last; ++i) {
        filter.use_isa(usable_isas()[i % usable_isas().size()]);
        insert(filter, keys.make(i));
    }
}

void insert_batch(AnyFilter& filter, const std::vector<std::uint64_t>& keys) {
    filter.insert(keys);
}

AnyFilter filled(const std::string& spec, const ManyKeys& keys, const Insert& insert) {
    AnyFilter filter = empty_filter(spec, keys.size());
    insert_pieces(filter, keys, 0, keys.pieces(), insert);
    return filter;
}

struct Way {
    std::string name;
    bool (*works_for)(const Layout&);
    std::function<AnyFilter(const std::string& spec, const ManyKeys& keys)> build;
};

bool any(const Layout&) { return true; }
bool bloom(const Layout& layout) { return layout.is_bloom(); }
bool blocked(const Layout& layout) { return bloom(layout) && layout.kind != LayoutKind::classic; }
bool erasable(const Layout& layout) { return !layout.is_bloom(); }

Way inserted(std::string name, bool (*works_for)(const Layout&), Insert insert) {
    return {std::move(name), works_for,
            [insert = std::move(insert)](const auto& spec, const auto& keys) {
                return filled(spec, keys, insert);
            }};
}
Way on_threads(unsigned threads, detail::Way way) {
    const bool in_ranges = way == detail::Way::halves || way == detail::Way::regions;
    return inserted(
        std::to_string(threads) + " threads, " + test::name_of(way), in_ranges ? blocked : bloom,
        [=](AnyFilter& f, const auto& part) { detail::fill(f.base(), part, threads, way); });
}

std::vector<Way> ways() {
    return {inserted("batches", any, insert_batch),
            inserted("one by one", any,
                     [](AnyFilter& f, const auto& part) {
                         for (const auto key : part) f.insert(key);
                     }),
            inserted("by hashes", any,
                     [](AnyFilter& f, const auto& part) {
                         f.insert(Keys::hashes(test::hashes_of(part, f.seed())));
                     }),
            on_threads(2, detail::Way::atomic),
            on_threads(2, detail::Way::halves),
            on_threads(3, detail::Way::regions),
            on_threads(2, detail::Way::merged),
            {"two filters united", bloom,
             [](const auto& spec, const ManyKeys& keys) {
                 AnyFilter a = empty_filter(spec, keys.size()), b = a;
                 insert_pieces(a, keys, 0, keys.pieces() / 2, insert_batch);
                 insert_pieces(b, keys, keys.pieces() / 2, keys.pieces(), insert_batch);
                 return a |= b;
             }},
            {"folded to a quarter", bloom,
             [](const auto& spec, const ManyKeys& keys) {
                 AnyFilter whole = empty_filter(spec, keys.size(), {.fold_levels = 2}, 4);
                 insert_pieces(whole, keys, 0, keys.pieces(), insert_batch);
                 return whole.folded(4);
             }},
            {"saved and loaded", any,
             [](const auto& spec, const ManyKeys& keys) {
                 return std::move(load(save(filled(spec, keys, insert_batch))).value());
             }},
            {"other keys erased", erasable, [](const auto& spec, const ManyKeys& keys) {
                 // In and out between the others, so that fingerprints move from bucket to bucket.
                 const ManyKeys others(keys.size() / 16, 77);
                 AnyFilter filter = empty_filter(spec, keys.size() + others.size());
                 for (std::uint64_t i = 0; i < keys.pieces(); ++i) {
                     const auto passing = others.make(i % others.pieces());
                     filter.insert(passing);
                     filter.insert(keys.make(i));
                     std::visit(
                         [&]<class F>(F& f) {
                             if constexpr (detail::HasErase<F>) {
                                 EXPECT_EQ(f.erase(passing), passing.size());
                             }
                         },
                         filter.variant());
                 }
                 return filter;
             }}};
}

/// ManyKeys that are not found, of all asked for on every ISA in one of three ways in turn, and
/// singly.
std::uint64_t missed(const AnyFilter& filter, const ManyKeys& keys) {
    std::vector<AnyFilter> on_isa;
    for (const Isa isa : usable_isas()) {
        on_isa.push_back(filter);
        on_isa.back().use_isa(isa);
    }
    std::atomic<std::uint64_t> next{0}, missing{0};
    const auto work = [&] {
        std::vector<std::uint8_t> bitmap(piece / 8);
        std::vector<std::uint32_t> positions(piece);
        for (std::uint64_t i; (i = next.fetch_add(1)) < keys.pieces();) {
            const auto part = keys.make(i);
            std::uint64_t found = 0;
            for (std::size_t f = 0; f < on_isa.size(); ++f) {
                if ((i + f) % 3 == 0) {
                    found += on_isa[f].count(part);
                } else if ((i + f) % 3 == 1) {
                    std::fill(bitmap.begin(), bitmap.end(), 0);
                    on_isa[f].contains(part, bitmap);
                    for (const auto byte : bitmap)
                        found += static_cast<unsigned>(std::popcount(byte));
                } else {
                    const std::size_t n = on_isa[f].select(part, positions);
                    for (std::size_t j = 0; j < n; ++j) found += positions[j] == j;
                }
            }
            for (const auto key : part) found += filter.contains(key);
            missing += part.size() * (on_isa.size() + 1) - found;
        }
    };
    std::vector<std::thread> others;
    for (unsigned t = 1; test::nightly() && t < std::thread::hardware_concurrency(); ++t)
        others.emplace_back(work);
    work();
    for (auto& thread : others) thread.join();
    test::tally.inserted += keys.size();
    test::tally.probes += keys.size() * (on_isa.size() + 1);
    test::tally.differences += missing;
    return missing;
}

class AllKeysFound : public ::testing::TestWithParam<std::string> {};

/// Promise: Every inserted key is found on every instruction set, singly and in batches, also after
///   unions, folds, loads and erases of other keys.
TEST_P(AllKeysFound, OnEveryIsaHoweverTheFilterCameAbout) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const Layout layout = Layout::parse(GetParam());
    std::uint64_t salt = 0;
    for (const auto& way : ways()) {
        ++salt;
        if (!way.works_for(layout)) continue;
        const test::Stopwatch watch;
        const ManyKeys keys(keys_of_a_filter(salt == 1), salt);
        const std::uint64_t missing = missed(way.build(GetParam(), keys), keys);
        EXPECT_EQ(missing, 0u) << way.name;
        test::progress(
            "%-10s %-26s %llu keys in, %zu ISAs in batches and single keys, %llu missed, %.0f s",
            GetParam().c_str(), way.name.c_str(), static_cast<unsigned long long>(keys.size()),
            usable_isas().size(), static_cast<unsigned long long>(missing), watch.seconds());
    }
}

INSTANTIATE_TEST_SUITE_P(Filter, AllKeysFound, ::testing::ValuesIn(test::layout_names()),
                         test::spec_name);

}  // namespace
}  // namespace simdbloom
