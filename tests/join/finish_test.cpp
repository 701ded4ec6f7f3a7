// What a builder was asked for is checked before keys come: whatever the limits, finish() and
// part() give a filter of all keys.
#include <cstdlib>
#include <sstream>

#include "join_keys.hpp"
#include "scale.hpp"
#include "simdbloom/join.hpp"
#include "simdbloom/join_rows.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using FinishKind = JoinFilter::Kind;
using FinishKeys = std::vector<std::uint64_t>;

struct Asked {
    std::string spec;
    std::size_t n_keys;
    double bits, fpr;  // fpr 0: bits
    Options options;
    std::size_t kept;  // keep_at_most(), unless ~0
    bool hashed;

    std::string text() const {
        std::ostringstream text;
        text << spec << " n_keys=" << n_keys << " bits=" << bits << " fpr=" << fpr
             << " max_bytes=" << options.max_bytes << " fold_levels=" << options.fold_levels
             << " kept=" << kept << " hashed=" << hashed;
        return text.str();
    }
    /// Null where the builder refuses.
    std::unique_ptr<JoinBuilder> builder() const {
        try {
            std::unique_ptr<JoinBuilder> made(
                fpr != 0 ? new JoinBuilder(JoinBuilder::for_fpr(spec, fpr, options))
                         : new JoinBuilder(spec, n_keys, bits, options));
            if (kept != ~std::size_t{0}) made->keep_at_most(kept);
            return made;
        } catch (const std::logic_error&) {
            return nullptr;
        }
    }
};

/// Calls use(asked) for a sample of all combinations, at night for all.
template <class Use>
void for_each_asked(const std::vector<std::string>& specs, const std::vector<std::size_t>& n_keys,
                    const Use& use) {
    constexpr std::size_t all = ~std::size_t{0};
    constexpr std::pair<double, double> sizes[] = {{1, 0},      {1.5, 0},  {1.99, 0},   {4, 0},
                                                   {12, 0},     {1000, 0}, {12, 1e-12}, {12, 1e-8},
                                                   {12, 0.001}, {12, 0.5}, {12, 0.9},   {12, 0.99}};
    const auto one_in = test::scaled<std::uint64_t>(200, 25, 1);
    std::uint64_t number = 0;
    for (const auto& spec : specs)
        for (const std::size_t n : n_keys)
            for (const auto& [bits, fpr] : sizes)
                for (const std::size_t max_bytes :
                     {std::size_t{0}, std::size_t{31}, std::size_t{64}, std::size_t{100},
                      std::size_t{375}, std::size_t{1'000}, std::size_t{1'003}, std::size_t{4'100},
                      std::size_t{70'000}, all / 2, all - 8, all})
                    for (const unsigned fold_levels : {0u, 1u, 3u, 5u, 12u, 16u, 17u})
                        for (const std::size_t kept :
                             {all, std::size_t{0}, std::size_t{80}, std::size_t{800}})
                            for (const bool hashed : {false, true}) {
                                if (hash_key(number++, 1) % one_in != 0) continue;
                                if (fpr != 0 && n != 0) continue;
                                Options options;
                                options.max_bytes = max_bytes;
                                options.fold_levels = fold_levels;
                                use(Asked{spec, n, bits, fpr, options, kept, hashed});
                            }
}

/// Promise: Under any limits, builders make filters of all their keys; parts of a build side have
///   one size.
TEST(JoinFinish, GivesAFilterOfAllKeysWhateverTheLimits) {
    const FinishKeys keys = test::random_keys(3'000);
    std::size_t filters = 0, refused = 0;
    for_each_asked(
        {"auto", "auto:blocked512", "split256", "register32:k=4", "classic:k=3"},
        {0, 90, 3'000, std::size_t{1} << 40}, [&](const Asked& asked) {
            // What is not limited may be more than there is memory.
            const bool limited = asked.options.max_bytes != 0 && asked.options.max_bytes < 1 << 20;
            if (!limited && (asked.kept != ~std::size_t{0} || asked.options.fold_levels > 12 ||
                             (asked.fpr != 0 && asked.fpr < 1e-8 && asked.spec[0] != 's')))
                return;
            for (const std::size_t n : {std::size_t{1}, std::size_t{100}, keys.size()})
                for (const bool is_part : {false, true}) {
                    if (is_part && asked.n_keys == 0) continue;
                    if (is_part && !limited && asked.n_keys > keys.size()) continue;
                    const auto builder = asked.builder();
                    if (!builder) {
                        ++refused;
                        continue;
                    }
                    SCOPED_TRACE(asked.text() + " keys=" + std::to_string(n) +
                                 (is_part ? " part" : ""));
                    const std::span some(keys.data(), n);
                    builder->insert({some.first(n / 2), asked.hashed});
                    builder->insert({some.subspan(n / 2), asked.hashed});
                    std::optional<JoinFilter> filter;
                    ASSERT_NO_THROW(filter.emplace(is_part ? std::move(*builder).part()
                                                           : std::move(*builder).finish()));
                    ++filters;
                    ASSERT_EQ(filter->count({some, asked.hashed}), n) << filter->why();
                    if (asked.options.max_bytes != 0) {
                        ASSERT_LE(filter->size_in_bytes(), asked.options.max_bytes);
                    }
                    if (const AnyFilter* of = filter->filter()) {
                        ASSERT_EQ(of->base().blocks() >> asked.options.fold_levels
                                                             << asked.options.fold_levels,
                                  of->base().blocks())
                            << filter->why();
                    }
                }
        });
    EXPECT_GT(filters, 200u);
    EXPECT_GT(refused, 20u);
}

// Parts have one size, whether their keys were kept or not.
TEST(JoinFinish, PartsThatLetTheirKeysGoAreUnited) {
    const FinishKeys many = test::random_keys(5'000), few = test::random_keys(700, 50'000),
                     hashes = test::random_keys(4'000, 90'000);
    for (const std::string spec : {"auto", "auto:register64:k=5"})
        for (const std::size_t n_keys : {6'000u, 5'701u, 100'000u})
            for (const std::size_t max_bytes : {std::size_t{5'000}, std::size_t{1} << 20})
                for (const unsigned fold_levels : {0u, 3u}) {
                    Options options;
                    options.max_bytes = max_bytes;
                    options.fold_levels = fold_levels;
                    SCOPED_TRACE(spec + " " + std::to_string(n_keys) + " " +
                                 std::to_string(max_bytes) + " " + std::to_string(fold_levels));
                    const auto part = [&](const FinishKeys& keys, std::size_t kept) {
                        JoinBuilder builder(spec, n_keys, 12, options);
                        if (kept != 0) builder.keep_at_most(kept);
                        builder.insert({keys});
                        return std::move(builder).part();
                    };
                    const JoinFilter parts[] = {part(many, 8'000), part(many, 0), part(few, 800),
                                                part(few, 0)};
                    const bool none = 8 * max_bytes < n_keys;
                    for (const auto& one : parts) {
                        ASSERT_EQ(one.kind(), none ? FinishKind::all : FinishKind::filter);
                        ASSERT_EQ(one.size_in_bytes(), parts[1].size_in_bytes()) << one.why();
                    }
                    // The bits are those of keys that were kept.
                    if (!none) {
                        EXPECT_TRUE(std::ranges::equal(parts[0].filter()->base().bytes(),
                                                       parts[1].filter()->base().bytes()));
                    }
                    // Into builders that keep their keys, let them go before, or do so after.
                    for (const std::size_t kept : {0u, 800u, 20'000u})
                        for (const bool keys_first : {false, true}) {
                            JoinBuilder all(spec, n_keys, 12, options);
                            if (kept != 0) all.keep_at_most(kept);
                            if (keys_first) all.insert({few});
                            for (const auto& one : parts) all.unite(one);
                            if (!keys_first) all.insert({few});
                            const JoinFilter filter = std::move(all).finish();
                            ASSERT_EQ(filter.count({many}), many.size()) << filter.why();
                            ASSERT_EQ(filter.count({few}), few.size()) << filter.why();
                            ASSERT_LE(filter.size_in_bytes(), max_bytes);
                        }
                }
}

/// As long as it lives, SIMDBLOOM_ISA names what there is not.
struct WrongIsa {
    WrongIsa() : before_(std::getenv("SIMDBLOOM_ISA") ? std::getenv("SIMDBLOOM_ISA") : "") {
        setenv("SIMDBLOOM_ISA", "abacus", 1);
    }
    ~WrongIsa() {
        if (before_.empty()) unsetenv("SIMDBLOOM_ISA");
        else setenv("SIMDBLOOM_ISA", before_.c_str(), 1);
    }

private:
    std::string before_;
};

// Who names the instruction set does not ask the environment for one.
TEST(JoinFinish, AnIsaThatIsNamedIsTaken) {
    const FinishKeys keys = test::random_keys(2'000), few = test::random_keys(40),
                     dense = test::sequence(7, 2'000, 3);
    const WrongIsa wrong;
    EXPECT_THROW((void)default_isa(), std::invalid_argument);
    EXPECT_THROW(JoinBuilder("auto", 0, 12), std::invalid_argument);
    const Options options{.isa = Isa::scalar};
    for (const auto& set : {keys, few, dense})
        for (const char* spec : {"auto", "split256"}) {
            JoinBuilder all(spec, set.size(), 12, options), part(spec, set.size(), 12, options);
            part.insert({set}, 2);
            all.unite(std::move(part).part());
            const JoinFilter filter = std::move(all).finish();
            EXPECT_EQ(filter.count({set}), set.size()) << filter.why();
            EXPECT_TRUE(load<JoinFilter>(save(filter), options));
            JoinBuilder of_rows = JoinBuilder::for_fpr(spec, 0.01, options);
            const JoinRows rows({set});
            rows.insert_into(of_rows);
            EXPECT_EQ(rows.count(std::move(of_rows).finish()), rows.size());
        }
}

}  // namespace
}  // namespace simdbloom
