// Saves that end early, meet signals, or meet what other saves left behind.
#include <fcntl.h>
#include <sys/file.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/files/saved.hpp"
#include "core/os/posix.hpp"
#include "saved_checks.hpp"

namespace simdbloom {
namespace {

namespace fs = std::filesystem;

using test::entries;
using test::in_child;
using test::saved_seed;
using test::seeded_filter;

using SavingInterrupted = test::InFolder;

/// The name of a file that a save of `target` writes beside it.
fs::path part_of(const fs::path& target, int number) {
    char name[48];
    std::snprintf(
        name, sizeof name, ".simdbloom-%016llx-%d.part",
        static_cast<unsigned long long>(std::hash<std::string>()(target.filename().native())),
        number);
    return target.parent_path() / name;
}

/// Ends a child in the middle of a save.
void save_and_die(const fs::path& path, int signal) {
    EXPECT_EQ(in_child([&] {
                  detail::save_whole(path, [&](int file) {
                      const test::Bytes some(100'000);
                      (void)detail::write_all(file, some);
                      ::kill(::getpid(), signal);
                      return true;
                  });
                  return 0;
              }),
              -1);
}

TEST_F(SavingInterrupted, AProcessThatIsKilledLeavesNothingBeyondTheNextSave) {
    save_and_die(path, SIGKILL);
    EXPECT_FALSE(fs::exists(path));
    save_file(seeded_filter(1), path);
    EXPECT_EQ(entries(folder.path), 1);
    for (const int signal : {SIGKILL, SIGTERM}) {
        save_and_die(path, signal);
        EXPECT_EQ(saved_seed(path), 1u);
    }
    save_file(seeded_filter(2), path);
    EXPECT_EQ(saved_seed(path), 2u);
    EXPECT_EQ(entries(folder.path), 1);

    // Killed at any time, so that some die between a new file and its name.
    for (int i = 0; i < 40; ++i) {
        const pid_t child = ::fork();
        if (child == 0)
            for (std::uint64_t seed = 3;; ++seed) save_file(seeded_filter(seed, 1'000), path);
        std::this_thread::sleep_for(std::chrono::microseconds(2'000 + 137 * i));
        ::kill(child, SIGKILL);
        ASSERT_EQ(::waitpid(child, nullptr, 0), child);
        ASSERT_TRUE(load_file(path)) << i;
    }
    save_file(seeded_filter(1), path);
    EXPECT_EQ(entries(folder.path), 1);
}

TEST_F(SavingInterrupted, FilesThatNobodyWritesAnyMoreAreRemovedAndOthersStay) {
    const auto other = folder.path / "other";
    for (const auto& name :
         {part_of(path, 0), part_of(path, 1), part_of(path, 3), part_of(other, 0)})
        std::ofstream(name) << "some bytes";
    // Another process writes this one now.
    const detail::File locked = detail::open_file(part_of(path, 1), O_WRONLY);
    ASSERT_EQ(::flock(locked.get(), LOCK_EX), 0);
    fs::create_symlink(other, part_of(path, 2));
    save_file(seeded_filter(1), path);
    save_file(seeded_filter(2), path);
    EXPECT_EQ(saved_seed(path), 2u);
    EXPECT_FALSE(fs::exists(part_of(path, 0)));
    EXPECT_TRUE(fs::exists(part_of(path, 1)));
    EXPECT_TRUE(fs::is_symlink(part_of(path, 2))) << "not of our making";
    EXPECT_FALSE(fs::exists(part_of(path, 3)));
    EXPECT_TRUE(fs::exists(part_of(other, 0))) << "it has a target of its own";
    EXPECT_EQ(entries(folder.path), 4);
}

// Where all names are taken, too, and where several save the same file.
TEST_F(SavingInterrupted, TakenNamesAreNoHindrance) {
    for (int i = 0; i < 4; ++i) fs::create_directory(part_of(path, i));
    for (const std::uint64_t seed : {1u, 2u}) {
        save_file(seeded_filter(seed), path);
        EXPECT_EQ(saved_seed(path), seed);
    }
    EXPECT_EQ(entries(folder.path), 5);
    for (int i = 0; i < 4; ++i) fs::remove(part_of(path, i));
    std::vector<std::thread> savers;
    for (std::uint64_t t = 0; t < 8; ++t)
        savers.emplace_back([&, t] {
            for (int i = 0; i < 20; ++i) save_file(seeded_filter(100 + t), path);
        });
    for (auto& saver : savers) saver.join();
    EXPECT_GE(saved_seed(path), 100u);
    EXPECT_EQ(entries(folder.path), 1);
}

// Without /proc a file that has no name cannot get one.
TEST_F(SavingInterrupted, AFolderWithoutProcIsSavedToAsWell) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root changes its root folder";
    EXPECT_EQ(in_child([&] {
                  if (::chroot(folder.path.c_str()) != 0 || ::chdir("/") != 0) return 2;
                  for (const std::uint64_t seed : {1u, 2u})
                      save_file(seeded_filter(seed), "/filter");
                  return 0;
              }),
              0);
    EXPECT_EQ(saved_seed(folder.path / "filter"), 2u);
    EXPECT_EQ(entries(folder.path), 1);
}

// Signals whose handlers do not restart what they interrupt.
TEST_F(SavingInterrupted, SignalsDoNotEndASaveToAFifo) {
    const auto fifo = folder.path / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    struct sigaction handler {
    }, before{};
    static std::atomic<int> signals;
    signals = 0;
    handler.sa_handler = [](int) { ++signals; };
    ASSERT_EQ(::sigaction(SIGUSR1, &handler, &before), 0);
    const auto filter = seeded_filter(5, 100'000);  // more than a pipe holds
    std::string error;
    std::atomic<bool> saved = false;
    std::thread writer([&] {
        try {
            save_file(filter, fifo);
        } catch (const std::exception& e) {
            error = e.what();
        }
        saved = true;
    });
    const auto interrupt = [&](int until) {
        while (signals < until && !saved) {
            ::pthread_kill(writer.native_handle(), SIGUSR1);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    };
    interrupt(20);  // while it waits for a reader
    test::Bytes got;
    if (!saved) {
        const int reader = ::open(fifo.c_str(), O_RDONLY);
        interrupt(40);  // while the pipe is full
        std::byte piece[4096];
        for (ssize_t n; (n = ::read(reader, piece, sizeof piece)) > 0;)
            got.insert(got.end(), piece, piece + n);
        ::close(reader);
    }
    writer.join();
    ::sigaction(SIGUSR1, &before, nullptr);
    EXPECT_EQ(error, "");
    EXPECT_EQ(got, save(filter));
}

}  // namespace
}  // namespace simdbloom
