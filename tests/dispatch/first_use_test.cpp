// The first use of the library in a process that has no memory: on the way it reads the caches and
// the CPU.
#include <functional>

#include "allocations.hpp"
#include "saved_bytes.hpp"
#include "simdbloom.h"
#include "support.hpp"

namespace simdbloom {
namespace {

constexpr int worked = 0, no_memory = 3, another_error = 4;

int use_and_say(const std::function<void()>& use) {
    try {
        use();
        return worked;
    } catch (const std::bad_alloc&) {
        return no_memory;
    } catch (...) {
        return another_error;
    }
}

/// Exit status of a process that uses the library with `allowed` allocations, or -1 if a signal
/// ended it. After a failure, the process must be able to use the library with more memory.
int first_use_in_child(const std::function<void()>& use, long allowed) {
    return test::in_child([&] {
        int result = worked;
        {
            const test::AllocationLimit limit(allowed);
            result = use_and_say(use);
        }
        return result == no_memory && use_and_say(use) != worked ? another_error : result;
    });
}

void create_from_c() {
    simdbloom_filter* filter = nullptr;
    const simdbloom_status status = simdbloom_create("split256", 100, 12, nullptr, &filter);
    if (status == SIMDBLOOM_MEMORY) throw std::bad_alloc();
    if (status != SIMDBLOOM_OK) throw std::runtime_error(simdbloom_error());
    simdbloom_free(filter);
}

/// This process has not used the library: its children do.
void try_every_front() {
    const std::vector<std::uint64_t> keys{1, 2, 3};
    const std::vector<std::string_view> texts{"one", "two", "three"};
    const std::pair<const char*, std::function<void()>> fronts[] = {
        {"make_filter", [&] { make_filter("split256", 100, 12).insert(keys); }},
        {"make_filter_for_fpr", [] { (void)make_filter_for_fpr("cuckoo12", 100, 0.01); }},
        {"GrowingCuckoo", [&] { GrowingCuckoo(100).insert(keys); }},
        {"BloomierMap", [&] { (void)BloomierMap::build_filter(keys, 8); }},
        {"ScalableBloom", [&] { ScalableBloom({.first_capacity = 100}).insert(keys); }},
        {"JoinBuilder",
         [&] {
             JoinBuilder builder("split256", 100, 12);
             builder.insert({keys});
             (void)std::move(builder).finish();
         }},
        {"hash_bytes",
         [&] {
             std::vector<std::uint64_t> hashes(texts.size());
             hash_bytes(texts, hashes);
         }},
        {"C", create_from_c},
    };
    for (const auto& [name, use] : fronts) {
        long allowed = 0;
        int result = first_use_in_child(use, allowed);
        while (result == no_memory && allowed < 1'000'000)
            result = first_use_in_child(use, allowed += 1 + allowed / 16);
        EXPECT_EQ(result, worked) << name << " with " << allowed << " allocations";
    }
}

// Other tests of this process may have used the library: a new process runs this test alone.
TEST(FirstUseWithoutMemory, IsAnErrorOnEveryFront) {
#ifdef SIMDBLOOM_EMULATED
    GTEST_SKIP() << "an emulator does not start this program again";
#endif
    constexpr const char* alone = "SIMDBLOOM_TEST_ALONE";
    if (std::getenv(alone) != nullptr) return try_every_front();
    EXPECT_EQ(test::in_child([&] {
                  setenv(alone, "1", 1);
                  unsetenv("GTEST_TOTAL_SHARDS");
                  unsetenv("GTEST_SHARD_INDEX");
                  return execl("/proc/self/exe", "simdbloom_tests", "--gtest_brief=1",
                               "--gtest_filter=FirstUseWithoutMemory.*", nullptr);
              }),
              0);
}

}  // namespace
}  // namespace simdbloom
