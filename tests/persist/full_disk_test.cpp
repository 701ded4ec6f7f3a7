// A disk that is full: whatever is saved, the error says so and the old file stays.
#include <sys/resource.h>

#include <csignal>

#include "saved_bytes.hpp"
#include "simdbloom/growing/growing_cuckoo.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

/// No file of this process grows beyond that many bytes.
class FileLimit {
public:
    // The signal would end the process.
    explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_DFL)) {
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

template <class Saved, class Load>
void expect_seen(const Saved& small, const Saved& large, const Load& load) {
    const test::TemporaryFolder folder("full-disk");
    const auto path = folder.path / "saved";
    save_file(large, path);
    const rlim_t most = std::filesystem::file_size(path);
    save_file(small, path);
    const auto bytes = std::filesystem::file_size(path);
    for (const rlim_t limit : {rlim_t{10}, rlim_t{70}, most / 2, most - 3}) {
        {
            const FileLimit full(limit);
            test::expect_error<std::system_error>([&] { return save_file(large, path), 0; },
                                                  "File too large");
        }
        EXPECT_EQ(std::filesystem::file_size(path), bytes) << limit;
        EXPECT_TRUE(load(path).has_value()) << limit;
        const std::filesystem::directory_iterator files(folder.path);
        EXPECT_EQ(std::distance(files, std::filesystem::directory_iterator()), 1) << limit;
    }
}

TEST(FullDisk, IsSeenByWhateverIsSaved) {
    const auto keys = test::random_keys(5000);
    const std::vector<std::uint64_t> values(keys.size(), 7);
    const auto map_of = [&](std::size_t n) {
        return BloomierMap::build(std::span(keys).first(n), std::span(values).first(n), 8, 16);
    };
    expect_seen(map_of(10), map_of(5000),
                [](const auto& path) { return load_file<BloomierMap>(path); });
    const auto growing_of = [&](std::size_t n) {
        GrowingCuckoo filter(100);
        filter.insert(std::span(keys).first(n));
        return filter;
    };
    expect_seen(growing_of(10), growing_of(5000),
                [](const auto& path) { return load_file<GrowingCuckoo>(path); });
    const auto series_of = [&](std::size_t n) {
        ScalableBloom series({.first_capacity = 100});
        series.insert(std::span(keys).first(n));
        return series;
    };
    expect_seen(series_of(10), series_of(5000),
                [](const auto& path) { return load_file<ScalableBloom>(path); });
}

}  // namespace
}  // namespace simdbloom
