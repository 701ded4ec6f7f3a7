// Files of saved filters: what is no filter is refused, and saving replaces whole files.
#include <fstream>

#include "core/files/saved.hpp"
#include "no_more_memory.hpp"
#include "saved_checks.hpp"
#include "scale.hpp"
#include "simdbloom/growing/growing_cuckoo.hpp"

namespace simdbloom {
namespace {

namespace fs = std::filesystem;
using test::Bytes;
using test::expect_refused;
using test::make_filled;
using test::put;

using SerializeFile = test::InFolder;

TEST_F(SerializeFile, WhatCannotBeReadIsAnErrorThatNamesTheFile) {
    const auto refused = [&](const fs::path& of, LoadFault fault) {
        for (const auto& error : {load_file(of).error(), map_file(of).error()}) {
            EXPECT_EQ(error.fault, fault) << error.message;
            EXPECT_NE(error.message.find(of.string()), std::string::npos) << error.message;
        }
    };
    refused(folder.path / "none", LoadFault::file);
    refused(folder.path, LoadFault::file);
    const Bytes good = save(make_filled("sector512", 1000));
    for (const auto& [bytes, fault] :
         {std::pair(Bytes(), LoadFault::too_short),
          std::pair(Bytes(200, std::byte{'x'}), LoadFault::foreign),
          std::pair(Bytes(good.begin(), good.end() - 1), LoadFault::size),
          std::pair(test::changed(good, {{100, 0x5555, 2}}), LoadFault::checksum)}) {
        test::write_bytes(path, bytes);
        refused(path, fault);
    }
}

TEST_F(SerializeFile, ANameIsAPathOrAnyText) {
    const AnyFilter filter = make_filled("split256", 1000);
    const fs::path foreign = folder.path / u8"\u00FCber \u65E5.filter";
    /// Example of FileName.
    //! [file_name]
    save_file(filter, foreign);  // a name is a std::filesystem::path or text
    auto loaded = load_file(foreign);
    //! [file_name]
    EXPECT_TRUE(fs::exists(foreign));
    EXPECT_EQ(save(loaded.value()), save(filter));
    EXPECT_TRUE(map_file(foreign));

    const std::string text = path.string(), longer = text + ".part";
    save_file(filter, text);
    EXPECT_TRUE(fs::exists(path));
    EXPECT_TRUE(load_file(text.c_str()));
    EXPECT_TRUE(map_file(std::string_view(longer).substr(0, text.size())));
    expect_refused(load_file(longer), LoadFault::file, longer);
    EXPECT_EQ(FileName("a").native(), fs::path("a").native());
}

#ifdef __linux__
/// Bytes that this process has read from files and pipes.
std::uint64_t bytes_read() {
    std::ifstream io("/proc/self/io");
    std::string name;
    std::uint64_t bytes = 0;
    io >> name >> bytes;
    return name == "rchar:" ? bytes : 0;
}

long page_faults() {
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_minflt;
}

// A file of 4 KiB on the disk that says that it is 1 GiB long. To read its holes takes seconds.
TEST_F(SerializeFile, HolesAreHashedAndNotRead) {
    if (bytes_read() == 0) GTEST_SKIP() << "this machine does not count what is read";
    Bytes filter = save(make_filled("split256", 300)), growing = save(GrowingCuckoo(1'000));
    const auto map = BloomierMap::build_filter(test::random_keys(300), 8);
    Bytes fuse = save(map);
    constexpr std::uint64_t size = std::uint64_t{1} << 30;
    put(filter, 16, size / 32);
    put(growing, 11, std::uint8_t{17});
    put(fuse, 16, size);
    test::Counting counting;
    const std::uint64_t longest = 4u << 20;
    // The file has 262,144 pages. An emulator's own faults count too: 1,543 were seen.
    const long most_faults = test::slow_build ? 20'000 : 1'000;
    for (const Bytes* bytes : {&filter, &growing, &fuse}) {
        test::write_bytes(path, std::span(*bytes).first(64));
        fs::resize_file(path, 72 + size);
        const std::uint64_t before = bytes_read();
        expect_refused(load_file(path, {.allocator = &counting}), LoadFault::checksum, "");
        EXPECT_LT(bytes_read() - before, longest);
        EXPECT_EQ(counting.allocations, 0u);
        if (bytes == &growing) continue;  // cannot be mapped

        const long faults = page_faults();
        const auto error = bytes == &fuse ? map_file<BloomierMap>(path).error()
                                          : map_file<FrozenFilter>(path).error();
        EXPECT_LT(page_faults() - faults, most_faults);
        EXPECT_EQ(error.fault, LoadFault::checksum) << error.message;
        EXPECT_LT(bytes_read() - before, 2 * longest);
    }

    // A part of a build side, whose filter is such a hole.
    JoinBuilder builder("split256", 300, 12);
    builder.insert({test::random_keys(300)});
    const Bytes part = save_part(std::move(builder).part(), 0, 2);
    test::write_bytes(path, std::span(part).first(64 + 64 + 64));
    fs::resize_file(path, size);
    const long faults = page_faults();
    EXPECT_EQ(load_file<JoinFilter>(path).error().fault, LoadFault::checksum);
    EXPECT_LT(page_faults() - faults, most_faults);

    // A filter that is what was saved comes back from a file with holes.
    const AnyFilter sparse = make_filter("split256", 1'000'000, 12, {.seed = 5});
    const Bytes whole = save(sparse);
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(whole.data()), 64);
    out.seekp(static_cast<std::streamoff>(whole.size()) - 8);
    out.write(reinterpret_cast<const char*>(whole.data() + whole.size() - 8), 8);
    out.close();
    ASSERT_EQ(fs::file_size(path), whole.size());
    EXPECT_EQ(save(load_file(path).value()), whole);
    EXPECT_EQ(save(*map_file(path).value()), whole);
}
#endif

TEST_F(SerializeFile, AWrongIsaIsNotBlamedOnTheFile) {
    save_file(make_filled("split256", 1000), path);
    const test::IsaVariable unknown("avx1024");
    const LoadError loaded = load_file(path).error(), mapped = map_file(path).error();
    for (const LoadError& error : {loaded, mapped}) {
        EXPECT_EQ(error.fault, LoadFault::isa);
        EXPECT_EQ(error.message.rfind("unknown ISA \"avx1024\"", 0), 0u) << error.message;
        EXPECT_NE(error.message.find("SIMDBLOOM_ISA"), std::string::npos) << error.message;
        EXPECT_EQ(error.message.find(path.string()), std::string::npos) << error.message;
    }
}

TEST_F(SerializeFile, AFileThatCannotBeMappedIsAnErrorToo) {
    test::NoMoreMemory refused;
    if (!refused.works()) GTEST_SKIP() << "a sanitizer or an emulator needs addresses of its own";
    save_file(make_filled("sector512", 3'000'000), path);
    refused.begin();
    const auto mapped = map_file(path);
    const auto loaded = load_file(path);
    refused.end();
    expect_refused(mapped, LoadFault::file, path.string() + ": Cannot allocate memory");
    expect_refused(loaded, LoadFault::memory, "");
}

TEST_F(SerializeFile, AFileThatEndsBeforeItsSizeIsAnError) {
    // Says that it is as long as a page and is not.
    const fs::path path = "/sys/kernel/mm/transparent_hugepage/enabled";
    std::error_code none;
    if (fs::file_size(path, none) != 4096 || none) GTEST_SKIP() << "no such file here";
    expect_refused(load_file(path), LoadFault::file, "became shorter");
}

TEST_F(SerializeFile, SavingReplacesWholeFilesOnlyAndLeavesNothingElse) {
    save_file(make_filled("register32", 1000, {.seed = 1}), path);
    auto mapped = map_file(path);
    ASSERT_TRUE(mapped);
    save_file(make_filled("register32", 1000, {.seed = 2}), path);
    EXPECT_EQ((*mapped)->seed(), 1u)
        << "a mapped filter stays what it was when its file is replaced";
    EXPECT_EQ(test::saved_seed(path), 2u);
    const auto nowhere = folder.path / "no such folder" / "filter";
    EXPECT_SYSTEM_ERROR("no such folder", save_file(make_filled("split256", 10), nowhere));
    fs::create_directory(folder.path / "taken");
    std::ofstream(folder.path / "taken" / "file") << "x";
    EXPECT_THROW(save_file(make_filled("split256", 10), folder.path / "taken"), std::system_error);
    mapped = map_file(path);  // on Windows, the old file has a name until it is closed
    EXPECT_EQ(test::entries(folder.path), 2) << "something half-written was left";
}

TEST_F(SerializeFile, ASaveThatFailsLeavesTheOldFileAndNothingElse) {
    save_file(test::seeded_filter(1), path);
    EXPECT_SYSTEM_ERROR(path.string() + ": No space left on device",
                        detail::save_whole(path, [](int file) {
                            EXPECT_TRUE(detail::write_all(file, Bytes(100)));
                            errno = ENOSPC;
                            return false;
                        }));
    EXPECT_EQ(test::saved_seed(path), 1u);
    EXPECT_EQ(test::entries(folder.path), 1);
}

TEST_F(SerializeFile, WhoHasAFileOpenReadsTheOldOneAfterASave) {
    const AnyFilter before = test::seeded_filter(1);
    save_file(before, path);
    const detail::File open = detail::open_to_read(path, true);
    save_file(test::seeded_filter(2, 10'000), path);
    Bytes read(detail::state_of(open.get()).value().bytes);
    EXPECT_TRUE(detail::read_at(open.get(), 0, read));
    EXPECT_EQ(read, save(before));
    EXPECT_FALSE(detail::read_at(open.get(), read.size(), std::span(read).first(1)));
    EXPECT_EQ(errno, 0) << "the end of a file is no fault of the system";
    EXPECT_EQ(test::saved_seed(path), 2u);
}

TEST_F(SerializeFile, NamesMayHaveAnyLetters) {
    const auto path = folder.path / fs::path(u8"ключ \u65E5 é.filter");
    save_file(test::seeded_filter(3), path);
    EXPECT_TRUE(fs::exists(path));
    EXPECT_EQ(test::saved_seed(path), 3u);
    EXPECT_EQ((*map_file(path).value()).seed(), 3u);
    // Errors have the name as UTF-8.
    fs::remove(path);
    const auto utf8 = path.filename().u8string();
    expect_refused(load_file(path), LoadFault::file, std::string(utf8.begin(), utf8.end()));
}

}  // namespace
}  // namespace simdbloom
