// A disk that is full: whatever is saved, the error says so and the old file stays.
#include <sys/resource.h>

#include <csignal>

#include "every_saved.hpp"

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

TEST(FullDisk, IsSeenByWhateverIsSaved) {
    const test::TemporaryFolder folder("full-disk");
    const auto path = folder.path / "saved";
    const test::Bytes old = save(test::seeded_filter(1));
    test::write_bytes(path, old);
    for (const test::Saved& of : test::everything(5'000)) {
        if (!of.save_file) continue;
        SCOPED_TRACE(of.name);
        // A write that crosses the limit writes a part, and the next one fails.
        const rlim_t size = of.bytes.size();
        for (const rlim_t limit : {rlim_t{10}, rlim_t{70}, rlim_t{5000}, size / 2, size - 3})
            for (const auto handler : {SIG_DFL, SIG_IGN}) {
                if (limit >= size) continue;
                for (const auto& target : {path, folder.path / "new"}) {
                    const FileLimit full(limit, handler);
                    EXPECT_SYSTEM_ERROR("cannot write " + target.string() + ": File too large",
                                        of.save_file(target));
                    sigset_t pending, blocked;
                    ::sigpending(&pending);
                    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
                    EXPECT_FALSE(::sigismember(&pending, SIGXFSZ) ||
                                 ::sigismember(&blocked, SIGXFSZ));
                }
                ASSERT_EQ(test::read_bytes(path), old) << limit;
                EXPECT_EQ(test::entries(folder.path), 1) << limit;
            }
    }
}

}  // namespace
}  // namespace simdbloom
