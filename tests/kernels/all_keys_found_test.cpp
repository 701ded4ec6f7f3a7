// Every key that went in is asked for again, on every ISA, in batches and singly, for each way in
// which a filter can come about: 10^7 keys in the ordinary run; in a nightly one 10^8 for each spec
// in batches, 10^9 in all, and 10^7 each other way.
#include <atomic>
#include <bit>

#include "at_once.hpp"
#include "scale.hpp"
#include "support.hpp"

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

/// The ISAs take turns.
void insert_pieces(AnyFilter& filter, const ManyKeys& keys, std::uint64_t first,
                   std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
        filter.use_isa(usable_isas()[i % usable_isas().size()]);
        filter.insert(keys.make(i));
    }
}

AnyFilter filled(const std::string& spec, const ManyKeys& keys, Options options = {},
                 double more = 1) {
    AnyFilter filter = empty_filter(spec, keys.size(), options, more);
    insert_pieces(filter, keys, 0, keys.pieces());
    return filter;
}

struct Way {
    const char* name;
    bool (*works_for)(const Layout&);
    AnyFilter (*build)(const std::string& spec, const ManyKeys& keys);
};

bool any(const Layout&) { return true; }
bool bloom(const Layout& layout) { return layout.is_bloom(); }
bool erasable(const Layout& layout) { return !layout.is_bloom(); }

constexpr Way ways[] = {
    {"batches", any, [](const std::string& spec, const auto& keys) { return filled(spec, keys); }},
    {"one by one", any,
     [](const std::string& spec, const auto& keys) {
         AnyFilter filter = empty_filter(spec, keys.size());
         for (std::uint64_t i = 0; i < keys.pieces(); ++i)
             for (const auto key : keys.make(i)) filter.insert(key);
         return filter;
     }},
    {"two filters united", bloom,
     [](const std::string& spec, const auto& keys) {
         AnyFilter a = empty_filter(spec, keys.size()), b = a;
         insert_pieces(a, keys, 0, keys.pieces() / 2);
         insert_pieces(b, keys, keys.pieces() / 2, keys.pieces());
         return a |= b;
     }},
    {"folded to a quarter", bloom,
     [](const std::string& spec, const auto& keys) {
         return filled(spec, keys, {.fold_levels = 2}, 4).folded(4);
     }},
    {"saved and loaded", any,
     [](const std::string& spec, const auto& keys) {
         return std::move(load(save(filled(spec, keys))).value());
     }},
    {"other keys erased", erasable, [](const std::string& spec, const auto& keys) {
         // In and out between the others, so that fingerprints move from bucket to bucket.
         const ManyKeys others(keys.size() / 16, 77);
         AnyFilter filter = empty_filter(spec, keys.size() + others.size());
         for (std::uint64_t i = 0; i < keys.pieces(); ++i) {
             const auto passing = others.make(i % others.pieces());
             filter.insert(passing);
             filter.insert(keys.make(i));
             EXPECT_EQ(filter.erase(passing), passing.size());
         }
         return filter;
     }}};

/// ManyKeys that are not found, of all asked for on every ISA in one of three ways in turn, and
/// singly.
std::uint64_t missed(const AnyFilter& filter, const ManyKeys& keys) {
    std::vector<AnyFilter> on_isa;
    for (const Isa isa : usable_isas()) {
        on_isa.push_back(filter);
        on_isa.back().use_isa(isa);
    }
    std::atomic<std::uint64_t> next{0}, missing{0};
    const auto work = [&](unsigned) {
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
    test::at_once(test::nightly() ? std::thread::hardware_concurrency() : 1, work);
    return missing;
}

class AllKeysFound : public ::testing::TestWithParam<std::string> {};

/// Promise: Every inserted key is found on every instruction set, after unions, folds, loads and
///   erases of others too.
TEST_P(AllKeysFound, OnEveryIsaHoweverTheFilterCameAbout) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const Layout layout = Layout::parse(GetParam());
    std::uint64_t salt = 0;
    for (const auto& way : ways) {
        ++salt;
        if (!way.works_for(layout)) continue;
        const ManyKeys keys(keys_of_a_filter(salt == 1), salt);
        EXPECT_EQ(missed(way.build(GetParam(), keys), keys), 0u) << way.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Filter, AllKeysFound, ::testing::ValuesIn(test::layout_names()),
                         test::spec_name);

}  // namespace
}  // namespace simdbloom
