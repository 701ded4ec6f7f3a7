// Advice by times that are made up, and by times that are measured.
#include "simdbloom/advice/advice.hpp"

#include <iostream>

#include "made_up_times.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

constexpr std::uint64_t mib = 1 << 20;

using test::MadeUpTimes;

/// A machine on which every spec takes 1 ns up to 1 MiB and 9 ns from 9 MiB on.
MadeUpTimes even_times() {
    return test::times_of_all(usable_isas().back(), {mib, 1, 2}, {9 * mib, 9, 18});
}
Workload usual() {
    Workload w;
    w.n_keys = 100'000;
    w.work_ns = 1000;
    return w;
}
bool has(const Advice& advice, std::string_view begins) {
    for (const auto& c : advice.ranking)
        if (c.spec.starts_with(begins)) return true;
    return false;
}

/// Promise of Advice.*, tool: Advice is the cheapest filter that meets the needs, or none where
///   none pays.
TEST(Advice, IsTheLeastTotalOfWhatTheRankingHas) {
    const Advice advice = advise(usual(), even_times());
    ASSERT_GE(advice.ranking.size(), 10u);
    EXPECT_GT(advice.candidates, 500u);
    for (std::size_t i = 1; i < advice.ranking.size(); ++i)
        EXPECT_LE(advice.ranking[i - 1].total_ns, advice.ranking[i].total_ns);
    const auto& best = advice.best();
    // All lookups take the same time here, so the lowest FPR at 20 bits wins: the classic filter's.
    EXPECT_EQ(best.spec, "classic:k=14");
    EXPECT_DOUBLE_EQ(best.bits_per_key, 20);
    EXPECT_NEAR(best.total_ns, 1 + 1000 * best.fpr, 1e-9);
    // What is advised can be made, and is what was said.
    for (const auto& c : advice.ranking) {
        if (c.is_none()) continue;
        const AnyFilter filter =
            make_filter(c.spec, usual().n_keys, c.bits_per_key, {.isa = c.isa});
        EXPECT_EQ(filter.spec(), c.spec);
        EXPECT_EQ(filter.size_in_bytes(), c.bytes) << c.spec;
        if (!c.spec.starts_with("growing")) {
            EXPECT_DOUBLE_EQ(filter.expected_fpr(), c.fpr) << c.spec;
        }
    }
}

TEST(Advice, SaysNoFilterWhereNonePays) {
    Workload w = usual();
    w.work_ns = 0.9;
    EXPECT_TRUE(advise(w, even_times()).best().is_none());
    EXPECT_NE(advise(w, even_times()).why().find("no filter"), std::string::npos);
    w.work_ns = 50;
    EXPECT_FALSE(advise(w, even_times()).best().is_none());
    w.hits = 0.99;  // 0.5 ns are to be saved
    EXPECT_TRUE(advise(w, even_times()).best().is_none());
    w.hits = 0;
    w.probes = 2'000;  // 2 ns for each of 100,000 keys, for 2,000 probes of 50 ns
    EXPECT_TRUE(advise(w, even_times()).best().is_none());
    w.probes = 20'000;
    EXPECT_FALSE(advise(w, even_times()).best().is_none());
}

/// The three k that are timed, ascending.
std::vector<unsigned> timed_k(std::string_view layout) {
    std::vector<unsigned> all;
    for (const std::string& spec : detail::timed_specs())
        if (spec.starts_with(layout)) all.push_back(Layout::parse(spec).k);
    std::ranges::sort(all);
    EXPECT_EQ(all.size(), 3u) << layout;
    return all;
}

TEST(Advice, TimesAreDrawnBetweenSizesAndValuesOfK) {
    const Isa isa = usable_isas().back();
    MadeUpTimes c = even_times();
    EXPECT_DOUBLE_EQ(predicted_times(c, "split256", isa, mib / 8).absent, 1);
    EXPECT_NEAR(predicted_times(c, "split256", isa, 3 * mib).absent, 3, 1e-9);
    EXPECT_NEAR(predicted_times(c, "split256", isa, 3 * mib).present, 6, 1e-9);
    EXPECT_DOUBLE_EQ(predicted_times(c, "split256", isa, 1000 * mib).absent, 9);
    const auto register64 = timed_k("register64"), blocked512 = timed_k("blocked512");
    const unsigned before = register64[1], most = register64[2];
    const auto with_k = [](const char* layout, unsigned k) {
        return std::string(layout) + ":k=" + std::to_string(k);
    };
    for (auto& t : c.times)
        if (t.spec == with_k("register64", most)) t.absent = 7;
    for (unsigned k = 1; k <= most; ++k)
        EXPECT_NEAR(predicted_times(c, with_k("register64", k), isa, mib).absent,
                    k <= before ? 1 : 1 + 6. * (k - before) / (most - before), 1e-9);
    EXPECT_NEAR(predicted_times(c, "blocked512:k=16", isa, mib).absent, 16. / blocked512[2], 1e-9);
    c.times.clear();
    EXPECT_INVALID("split256", predicted_times(c, "split256", isa, mib));
}

TEST(Advice, GivesOnlyWhatCanDoWhatIsNeeded) {
    const auto with = [](auto set) {
        Workload w = usual();
        set(w);
        return advise(w, even_times());
    };
    EXPECT_FALSE(has(with([](Workload&) {}), "fuse"));
    EXPECT_TRUE(has(with([](Workload& w) { w.all_at_once = true; }), "fuse"));
    const Advice erase = with([](Workload& w) { w.erase = true; });
    EXPECT_TRUE(has(erase, "counting") && has(erase, "cuckoo") && has(erase, "dleft"));
    EXPECT_FALSE(has(erase, "split256") || has(erase, "classic"));
    const Advice grow = with([](Workload& w) { w.grow = true; });
    EXPECT_TRUE(has(grow, "growing"));
    EXPECT_EQ(grow.ranking.size(), 2u);  // and no filter
    const Advice merge = with([](Workload& w) { w.merge = true; });
    EXPECT_TRUE(has(merge, "split256"));
    EXPECT_FALSE(has(merge, "cuckoo") || has(merge, "growing"));
    EXPECT_INVALID("grow and be united", with([](Workload& w) { w.grow = w.merge = true; }));
}

TEST(Advice, KeepsToItsBudget) {
    Workload w = usual();
    w.max_bits_per_key = 8;
    for (const auto& c : advise(w, even_times()).ranking) EXPECT_LE(c.bits_per_key, 8) << c.spec;
    w.max_bits_per_key = 20;
    w.max_bytes = 90'000;
    const Advice small = advise(w, even_times());
    EXPECT_FALSE(small.best().is_none());
    for (const auto& c : small.ranking) EXPECT_LE(c.bytes, 90'000u) << c.spec;
    w.max_bytes = 10;
    EXPECT_INVALID("10 bytes", advise(w, even_times()));
    w = usual();
    w.n_keys = 1'000;  // fewer than the smallest growing filter has room for
    for (const auto& c : advise(w, even_times()).ranking)
        EXPECT_LE(8 * c.bytes, 1.05 * w.max_bits_per_key * 1'000) << c.spec;
    w.grow = true;
    const Advice growing = advise(w, even_times());
    ASSERT_TRUE(has(growing, "growing"));
    for (const auto& c : growing.ranking) {
        if (c.is_none()) continue;
        EXPECT_EQ(make_filter(c.spec, w.n_keys, c.bits_per_key).size_in_bytes(), c.bytes);
    }
    w = usual();
    w.n_keys = std::uint64_t{1} << 38;  // more blocks than 32 bits number, but for some layouts
    for (const auto& c : advise(w, even_times()).ranking)
        EXPECT_FALSE(c.spec.starts_with("register")) << c.spec;
}

TEST(Advice, ATableBesideTakesRoomInTheCaches) {
    Workload w = usual();
    w.n_keys = 500'000;  // 1.2 MB at 20 bits
    w.hits = 0.5;
    MadeUpTimes c = even_times();
    c.caches.l2 = mib;
    c.caches.l3 = 4 * mib;
    const double alone = advise(w, c).best().lookup_ns;
    w.table_bytes = 64 * mib;
    const double beside = advise(w, c).best().lookup_ns;
    EXPECT_GT(beside, 1.2 * alone);
    w.hits = 0;  // nothing passes: nothing is touched
    w.work_ns = 1e6;
    const double absent = advise(w, c).best().lookup_ns;
    w.table_bytes = 0;
    EXPECT_NEAR(absent, advise(w, c).best().lookup_ns, 0.05 * absent);
}

TEST(Advice, AnotherInstructionSetHasToGainMoreThanNoise) {
    if (usable_isas().size() < 2) GTEST_SKIP() << "there is one instruction set";
    const Isa best = usable_isas().back(), other = usable_isas().front();
    MadeUpTimes c = even_times();
    for (const double faster : {0.995, 0.9}) {
        MadeUpTimes both = c;
        for (auto t : c.times) {
            t.isa = other;
            t.absent *= faster;
            both.times.push_back(t);
        }
        EXPECT_EQ(advise(usual(), both).best().isa, faster < 0.99 ? other : best);
    }
}

TEST(Advice, EqualTotalsAreNamedAsEqual) {
    MadeUpTimes c = even_times();
    c.noise = 0.5;
    const Advice advice = advise(usual(), c);
    EXPECT_DOUBLE_EQ(advice.noise, 0.5);
    ASSERT_GT(advice.as_good().size(), 1u);
    EXPECT_EQ(advice.as_good().front().spec, advice.best().spec);
    for (const auto& same : advice.as_good())
        EXPECT_LE(same.total_ns, 1.5 * advice.best().total_ns);
    EXPECT_NE(advice.why().find("As good within noise (50 %)"), std::string::npos) << advice.why();
}

TEST(Advice, RefusesWhatMakesNoSense) {
    const auto refused = [](auto set, const char* words) {
        Workload w = usual();
        set(w);
        EXPECT_INVALID(words, advise(w, even_times()));
    };
    refused([](Workload& w) { w.n_keys = 0; }, "n_keys=0");
    refused([](Workload& w) { w.n_keys = UINT64_MAX; }, "n_keys=18446744073709551615");
    refused([](Workload& w) { w.work_ns = -1; }, "work_ns=-1");
    refused([](Workload& w) { w.work_ns = NAN; }, "work_ns=nan");
    refused([](Workload& w) { w.probes = 0; }, "probes=0");
    refused([](Workload& w) { w.hits = 1.5; }, "hits=1.5");
    refused([](Workload& w) { w.max_bits_per_key = 0; }, "max_bits_per_key=0");
    refused([](Workload& w) { w.max_bits_per_key = 1; }, "1 bits per key");
    EXPECT_INVALID("no filter with times can be made", advise(usual(), MadeUpTimes()));
    EXPECT_INVALID("n_keys=0", FilterTimes::measure({}));
}

TEST(Advice, MeasuresWhatTheWorkloadNeeds) {
    const Isa isa = usable_isas().back();
    const auto is_timed = [&](const FilterTimes& times, std::string_view spec) {
        try {
            const PredictedTimes t = predicted_times(times, spec, isa, 4096);
            return t.absent > 0 && t.present > 0 && t.insert > 0;
        } catch (const std::invalid_argument&) {
            return false;
        }
    };
    /// Example of Workload, FilterTimes, Advice, Advice::Choice, PredictedTimes.
    //! [Advice]
    const Workload work{.n_keys = 1'000, .work_ns = 1'000, .merge = true};
    const FilterTimes merged = FilterTimes::measure(work, 500);  // filters of 500 to 1,000 keys
    const Advice advice = advise(work, merged);
    std::cout << advice.why() << '\n';
    const Advice::Choice& best = advice.best();
    if (!best.is_none()) make_filter(best.spec, work.n_keys, best.bits_per_key);
    const PredictedTimes times = predicted_times(merged, "split256", usable_isas().back(), 4'096);
    std::cout << times.absent << " ns for an absent key in a split256 of 4 KiB\n";
    //! [Advice]
    Workload w = work;
    for (const auto spec : {"classic", "split256", "register64:k=5", "counting512:k=4"})
        EXPECT_TRUE(is_timed(merged, spec)) << spec;
    for (const auto spec : {"cuckoo12", "growing16", "fuse:f=8"})
        EXPECT_FALSE(is_timed(merged, spec)) << spec;
    EXPECT_GE(merged.noise(), 0);
    EXPECT_FALSE(best.is_none());
    w.merge = false;
    w.grow = true;
    EXPECT_INVALID("no filter with times can grow", advise(w, merged));
    EXPECT_EQ(advise(w).ranking.size(), 2u);
    w.merge = true;
    EXPECT_INVALID("grow and be united", advise(w));
    w.grow = w.merge = false;
    w.all_at_once = true;
    w.max_bits_per_key = 30;  // d-left tables take up to 24
    const FilterTimes all = FilterTimes::measure(w);
    for (const std::string_view spec : detail::timed_specs())
        EXPECT_TRUE(is_timed(all, spec)) << spec;
}

TEST(Advice, EachLayoutAndStructureHasASpecThatIsTimed) {
    const auto specs = detail::timed_specs();
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const auto what = detail::TimedSpec::parse(specs[i]).what;
        if (i < detail::n_timed) {
            EXPECT_EQ(what, static_cast<detail::Timed>(i)) << specs[i];
        }
        if (what < detail::Timed::fuse) {
            EXPECT_EQ(Layout::parse(specs[i]).spec(), specs[i]);
        }
    }
}

}  // namespace
}  // namespace simdbloom
