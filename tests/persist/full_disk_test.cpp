// A disk that is full: whatever is saved, the error says so and the old file stays.
#include <sys/resource.h>

#include <csignal>

#include "saved_checks.hpp"
#include "simdbloom/growing/growing_cuckoo.hpp"

namespace simdbloom {
namespace {

/// No file of this process grows beyond that many bytes.
class FileLimit {
public:
    /// By default the signal would end the process.
    FileLimit(rlim_t bytes, void (*handler)(int)) : handler_(std::signal(SIGXFSZ, handler)) {
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit small = before_;
        small.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~FileLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FileLimit(const FileLimit&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int);
};

template <class Saved>
void expect_seen(const Saved& small, const Saved& large) {
    const test::TemporaryFolder folder("full-disk");
    const auto path = folder.path / "saved";
    save_file(large, path);
    const rlim_t most = std::filesystem::file_size(path);
    save_file(small, path);
    // A write that crosses the limit writes a part, and the next one fails.
    for (const rlim_t limit : {rlim_t{10}, rlim_t{70}, rlim_t{5000}, most / 2, most - 3})
        for (const auto handler : {SIG_DFL, SIG_IGN}) {
            for (const auto& target : {path, folder.path / "new"}) {
                const FileLimit full(limit, handler);
                test::expect_error<std::system_error>(
                    [&] { return save_file(large, target), 0; },
                    "cannot write " + target.string() + ": File too large");
                sigset_t pending, blocked;
                ::sigpending(&pending);
                ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
                EXPECT_FALSE(::sigismember(&pending, SIGXFSZ) || ::sigismember(&blocked, SIGXFSZ));
            }
            const auto loaded = load_file<Saved>(path);
            ASSERT_TRUE(loaded) << limit;
            EXPECT_TRUE(save(*loaded) == save(small)) << limit;
            EXPECT_EQ(test::entries(folder.path), 1) << limit;
        }
}

TEST(FullDisk, IsSeenByWhateverIsSaved) {
    expect_seen(test::make_filled("split256", 100, 1), test::make_filled("split256", 10'000, 2));
    const auto keys = test::random_keys(5000);
    const std::vector<std::uint64_t> values(keys.size(), 7);
    const auto map_of = [&](std::size_t n) {
        return BloomierMap::build(std::span(keys).first(n), std::span(values).first(n), 8, 16);
    };
    expect_seen(map_of(10), map_of(5000));
    const auto growing_of = [&](std::size_t n) {
        GrowingCuckoo filter(100);
        filter.insert(std::span(keys).first(n));
        return filter;
    };
    expect_seen(growing_of(10), growing_of(5000));
    const auto series_of = [&](std::size_t n) {
        ScalableBloom series({.first_capacity = 100});
        series.insert(std::span(keys).first(n));
        return series;
    };
    expect_seen(series_of(10), series_of(5000));
}

}  // namespace
}  // namespace simdbloom
