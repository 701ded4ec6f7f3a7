// What a nightly run says at its end: how long each part took, and what was done in all.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "scale.hpp"

namespace simdbloom::test {
namespace {

class Summary : public ::testing::EmptyTestEventListener {
    void OnTestEnd(const ::testing::TestInfo& info) override {
        std::string part = info.test_suite_name();
        part.erase(0, part.find('/') + 1);  // of which there is none in the name of a plain test
        Part& p = parts_[part];
        p.milliseconds += info.result()->elapsed_time();
        ++p.tests;
        p.failed += info.result()->Failed();
    }
    void OnTestProgramEnd(const ::testing::UnitTest& all) override {
        std::puts("\nsummary");
        for (const auto& [name, p] : parts_)
            std::printf("  %-20s %3u tests, %u failed, %.1f min\n", name.c_str(), p.tests, p.failed,
                        static_cast<double>(p.milliseconds) / 60'000);
        const auto number = [](const std::atomic<std::uint64_t>& n) {
            return static_cast<unsigned long long>(n.load());
        };
        std::printf("  %llu patterns, each inserted and looked up on %zu ISAs\n",
                    number(tally.patterns), usable_isas().size());
        std::printf("  %llu keys inserted, %llu probes for them\n", number(tally.inserted),
                    number(tally.probes));
        std::printf("  %llu differences or keys missed, %d of %d tests failed, %.1f min in all\n",
                    number(tally.differences), all.failed_test_count(), all.test_to_run_count(),
                    static_cast<double>(all.elapsed_time()) / 60'000);
        std::fflush(stdout);
    }

    struct Part {
        long long milliseconds = 0;
        unsigned tests = 0, failed = 0;
    };
    std::map<std::string, Part> parts_;
};

[[maybe_unused]] const bool installed = [] {
    if (nightly()) ::testing::UnitTest::GetInstance()->listeners().Append(new Summary);
    return true;
}();

}  // namespace
}  // namespace simdbloom::test
