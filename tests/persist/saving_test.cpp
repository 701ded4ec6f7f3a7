// What saving does to the file that was there, and to what is no file.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <thread>

#include "core/files/saved.hpp"
#include "saved_checks.hpp"

namespace simdbloom {
namespace {

namespace fs = std::filesystem;

using test::entries;
using test::saved_seed;
using test::seeded_filter;

using Saving = test::InFolder;

struct stat status_of(const fs::path& path) {
    struct stat status;
    EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
    return status;
}
mode_t mode_of(const fs::path& path) { return status_of(path).st_mode & 07777; }

struct Umask {
    explicit Umask(mode_t mask) : before(::umask(mask)) {}
    ~Umask() { ::umask(before); }
    mode_t before;
};

/// Promise of Saving.*, SerializeFile.*, FullDisk.*, SavingInterrupted.*: A save leaves the old
///   file or the new one whole, with its links and permissions, survives signals, and removes what
///   a killed save left.
TEST_F(Saving, SymbolicLinksStayAndWhatTheyLeadToIsReplaced) {
    fs::create_directory(folder.path / "data");
    save_file(seeded_filter(1), folder.path / "data" / "filter");
    fs::create_symlink("data/filter", folder.path / "link");
    fs::create_symlink(folder.path / "link", folder.path / "link to link");
    fs::create_symlink("data/new", folder.path / "dangling");
    save_file(seeded_filter(2), folder.path / "link to link");
    EXPECT_EQ(saved_seed(folder.path / "data" / "filter"), 2u);
    save_file(seeded_filter(3), folder.path / "dangling");
    EXPECT_EQ(saved_seed(folder.path / "data" / "new"), 3u);
    for (const char* link : {"link", "link to link", "dangling"})
        EXPECT_TRUE(fs::is_symlink(folder.path / link)) << link;
    EXPECT_EQ(entries(folder.path) + entries(folder.path / "data"), 6);

    fs::create_symlink("circle", folder.path / "circle");
    EXPECT_SYSTEM_ERROR("circle: Too many", save_file(seeded_filter(4), folder.path / "circle"));
}

// A FIFO that is read to its end: SavingInterrupted.SignalsDoNotEndASaveToAFifo.
TEST_F(Saving, AFifoWhoseReaderLeavesIsAnErrorAndStays) {
    const auto fifo = folder.path / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const auto filter = seeded_filter(5, 100'000);  // more than a pipe holds
    std::thread leaver([&] {
        const int file = ::open(fifo.c_str(), O_RDONLY);
        char one;
        EXPECT_EQ(::read(file, &one, 1), 1);
        ::close(file);
    });
    EXPECT_SYSTEM_ERROR("fifo: Broken pipe", save_file(filter, fifo));
    leaver.join();
    EXPECT_TRUE(fs::is_fifo(fifo));
    EXPECT_EQ(entries(folder.path), 1);
}

TEST_F(Saving, DevicesAreWrittenToAndSayWhenTheyAreFull) {
    const auto null = folder.path / "null", full = folder.path / "full";
    if (::mknod(null.c_str(), S_IFCHR | 0666, 1 << 8 | 3) != 0 ||
        ::mknod(full.c_str(), S_IFCHR | 0666, 1 << 8 | 7) != 0)
        GTEST_SKIP() << "only root makes devices, and not everywhere";
    if (const int file = ::open(null.c_str(), O_WRONLY); file < 0)
        GTEST_SKIP() << "devices of this folder cannot be opened";
    else ::close(file);
    save_file(seeded_filter(6), null);
    EXPECT_SYSTEM_ERROR("full: No space left on device", save_file(seeded_filter(6), full));
    EXPECT_TRUE(fs::is_character_file(null) && fs::is_character_file(full));
    EXPECT_EQ(entries(folder.path), 2);
}

TEST_F(Saving, AnOpenFileNamedByItsNumberIsWrittenToAtItsEnd) {
    const auto path = folder.path / "output";
    std::ofstream(path) << "before";
    const int file = ::open(path.c_str(), O_RDWR);
    const auto filter = seeded_filter(7);
    save_file(filter, "/proc/self/fd/" + std::to_string(file));
    EXPECT_EQ(fs::file_size(path), 6 + saved_size(filter));
    fs::remove(path);
    save_file(filter, "/proc/self/fd/" + std::to_string(file));
    EXPECT_EQ(::lseek(file, 0, SEEK_END), static_cast<off_t>(6 + 2 * saved_size(filter)));
    ::close(file);
    EXPECT_EQ(entries(folder.path), 0);
}

TEST_F(Saving, WhoMayReadAFileStaysAsItWasAtEveryMoment) {
    const Umask umask(022);
    for (const mode_t mode : {0600u, 0640u, 0444u, 0666u, 0604u}) {
        save_file(seeded_filter(1), path);
        ASSERT_EQ(::chmod(path.c_str(), mode), 0);
        detail::save_whole(path, [&](int file) {
            struct stat status;
            EXPECT_EQ(::fstat(file, &status), 0);
            EXPECT_EQ(status.st_mode & 0777 & ~mode, 0u) << std::oct << mode;
            return true;
        });
        EXPECT_EQ(mode_of(path), mode);
        fs::remove(path);
    }
}

TEST_F(Saving, ANewFileObeysTheUmask) {
    for (const auto& [mask, mode] : {std::pair{022u, 0644u}, {027u, 0640u}, {077u, 0600u}}) {
        const Umask umask(mask);
        const auto path = folder.path / std::to_string(mask);
        save_file(seeded_filter(1), path);
        EXPECT_EQ(mode_of(path), mode) << std::oct << mask;
    }
}

TEST_F(Saving, TheOwnerStaysWhereThatIsAllowed) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
    save_file(seeded_filter(1), path);
    ASSERT_EQ(::chown(path.c_str(), 12345, 23456), 0);
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    save_file(seeded_filter(2), path);
    EXPECT_EQ(status_of(path).st_uid, 12345u);
    EXPECT_EQ(status_of(path).st_gid, 23456u);
    EXPECT_EQ(mode_of(path), 0640u);

    // Another user, who may write to the folder, replaces it. That user's group gets what all
    // others had. The others, among whom the old group is now, get nothing that it had not.
    for (const auto& [mode, left] : {std::pair{0640u, 0600u}, {0664u, 0644u}, {0606u, 0600u}}) {
        save_file(seeded_filter(2), path);
        ASSERT_EQ(::chown(path.c_str(), 12345, 23456) | ::chmod(path.c_str(), mode), 0);
        ASSERT_EQ(::chmod(folder.path.c_str(), 0777), 0);
        EXPECT_EQ(test::in_child([&] {
                      if (::setgid(34567) != 0 || ::setuid(34567) != 0) return 2;
                      save_file(seeded_filter(3), path);
                      return 0;
                  }),
                  0);
        EXPECT_EQ(saved_seed(path), 3u);
        EXPECT_EQ(status_of(path).st_uid, 34567u);
        EXPECT_EQ(mode_of(path), left) << std::oct << mode;
    }
}

// A list as the kernel has it: owner rw, user 12345 r, group none, mask r, others none.
TEST_F(Saving, AccessControlListsStay) {
    save_file(seeded_filter(1), path);
    const std::uint16_t list[] = {2,      0,      1,    6, 0xFFFF, 0xFFFF, 2,    4,
                                  12345,  0,      4,    0, 0xFFFF, 0xFFFF, 0x10, 4,
                                  0xFFFF, 0xFFFF, 0x20, 0, 0xFFFF, 0xFFFF};
    const char* const name = "system.posix_acl_access";
    if (::setxattr(path.c_str(), name, list, sizeof list, 0) != 0)
        GTEST_SKIP() << "this file system has no access control lists";
    ASSERT_EQ(mode_of(path), 0640u);  // of which the 4 is not the group's but the mask
    save_file(seeded_filter(2), path);
    std::uint16_t now[64];
    ASSERT_EQ(::getxattr(path.c_str(), name, now, sizeof now), static_cast<ssize_t>(sizeof list));
    EXPECT_TRUE(std::ranges::equal(list, std::span(now).first(std::size(list))));
    EXPECT_EQ(mode_of(path), 0640u);

    // The folder gives new files a list; one that had none gets none.
    ASSERT_EQ(::removexattr(path.c_str(), name), 0);
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    ASSERT_EQ(::setxattr(folder.path.c_str(), "system.posix_acl_default", list, sizeof list, 0), 0);
    save_file(seeded_filter(3), path);
    EXPECT_EQ(::getxattr(path.c_str(), name, now, sizeof now), -1);
    EXPECT_EQ(mode_of(path), 0640u);
}

TEST_F(Saving, NamesOfAnyLengthAndNoFolder) {
    const auto longest = folder.path / std::string(255, 'n');
    for (const std::uint64_t seed : {1u, 2u}) {
        save_file(seeded_filter(seed), longest);
        EXPECT_EQ(saved_seed(longest), seed);
    }
    const auto before = fs::current_path();
    fs::current_path(folder.path);
    save_file(seeded_filter(3), "filter");
    fs::current_path(before);
    EXPECT_EQ(saved_seed(folder.path / "filter"), 3u);
    EXPECT_EQ(entries(folder.path), 2);
}

TEST_F(Saving, WhatIsNoFileIsNotWaitedForWhereOneIsRead) {
    const auto fifo = folder.path / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    for (const auto& error : {load_file(fifo).error(), map_file(fifo).error()}) {
        EXPECT_EQ(error.fault, LoadFault::file);
        EXPECT_EQ(error.message, fifo.string() + ": a folder, a pipe or a device, not a file");
    }
}

}  // namespace
}  // namespace simdbloom
