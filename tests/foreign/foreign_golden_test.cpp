// Filters that other systems wrote, in tests/golden/foreign: they are read, asked, written again,
// and built from the same keys, byte for byte. tests/foreign/write_golden makes them.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "foreign_support.hpp"

namespace simdbloom::test {
namespace {

const std::filesystem::path foreign_folder =
    std::filesystem::path(SIMDBLOOM_GOLDEN_FOLDER) / "foreign";

struct GoldenRow {
    std::string file, format, keys, rule;
    std::size_t made_for = 0, inserted = 0;
    double value = 0;

    bool integers() const { return keys != "text"; }
    bool texts() const { return keys != "integers"; }
};

std::vector<GoldenRow> golden_rows() {
    std::vector<GoldenRow> rows;
    std::ifstream manifest(foreign_folder / "manifest.txt");
    for (std::string line; std::getline(manifest, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream fields(line);
        GoldenRow row;
        fields >> row.file >> row.format >> row.keys >> row.made_for >> row.inserted >> row.rule >>
            row.value;
        EXPECT_TRUE(fields) << line;
        rows.push_back(row);
    }
    return rows;
}

ByteVector golden_bytes(const std::string& file) {
    std::ostringstream bytes;
    bytes << std::ifstream(foreign_folder / file, std::ios::binary).rdbuf();
    return bytes_of_text(bytes.str());
}

ForeignFilter empty_like(const GoldenRow& row, ByteVector bytes) {
    const auto format = parse_foreign_format(row.format);
    if (row.rule == "bits")
        return ForeignFilter::with_bits_per_key(format, row.made_for, row.value);
    if (row.rule == "fpr") return ForeignFilter::for_fpr(format, row.made_for, row.value);
    EXPECT_EQ(row.rule, "header");
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(row.value), bytes.end(), std::byte{0});
    return read_foreign(bytes, format).value();
}

/// Promise of ForeignGolden.*, ForeignVectors.*, ForeignHashes.*, Foreign.*, ForeignFiles.*,
///   other_systems, tool: Filters of other systems are read, used, written and rebuilt byte for
///   byte.
TEST(ForeignGolden, EveryFileIsNamed) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(foreign_folder))
        files += entry.path().extension() == ".bin";
    EXPECT_EQ(golden_rows().size(), files);
}

TEST(ForeignGolden, IsReadAndWrittenAgain) {
    for (const auto& row : golden_rows()) {
        SCOPED_TRACE(row.file);
        const auto bytes = golden_bytes(row.file + ".bin");
        const auto format = parse_foreign_format(row.format);
        const bool named = format != ForeignFormat::leveldb;
        ASSERT_EQ(foreign_formats_of(bytes), std::vector(named ? 1 : 0, format));
        auto filter = named ? read_foreign(bytes) : read_foreign(bytes, format);
        ASSERT_TRUE(filter) << filter.error().message;
        EXPECT_EQ(filter->format(), format);
        EXPECT_EQ(filter->write(), bytes);
        EXPECT_EQ(ForeignFilter(*filter).write(), bytes);
    }
}

TEST(ForeignGolden, HoldsTheBitsThatWeSet) {
    for (const auto& row : golden_rows()) {
        SCOPED_TRACE(row.file);
        const auto bytes = golden_bytes(row.file + ".bin");
        auto filter = empty_like(row, bytes), one_by_one = filter;
        const auto integers = foreign_integers(0, row.inserted);
        const ForeignTexts texts(0, row.inserted);
        if (row.integers()) {
            filter.insert(integers);
            for (const std::uint64_t key : integers) one_by_one.insert(key);
        }
        if (row.texts()) {
            filter.insert(texts.views);
            for (const std::string_view key : texts.views) one_by_one.insert(key);
        }
        EXPECT_EQ(filter.write(), bytes);
        EXPECT_EQ(one_by_one.write(), bytes);
    }
}

TEST(ForeignGolden, AnswersAsItsSystemDoes) {
    std::size_t with_answers = 0, found_in_all = 0;
    for (const auto& row : golden_rows()) {
        SCOPED_TRACE(row.file);
        const auto filter =
            read_foreign(golden_bytes(row.file + ".bin"), parse_foreign_format(row.format)).value();
        if (row.integers()) {
            EXPECT_EQ(filter.count(foreign_integers(0, row.inserted)), row.inserted);
        }
        if (row.texts()) {
            EXPECT_EQ(filter.count(ForeignTexts(0, row.inserted).views), row.inserted);
        }
        const auto answers = golden_bytes(row.file + ".answers");
        if (answers.empty()) continue;
        ASSERT_EQ(answers.size(), 125u);
        std::vector<std::uint8_t> bitmap(125);
        const auto integers = foreign_integers(row.inserted, 1000);
        const ForeignTexts texts(row.inserted, 1000);
        const std::size_t found = row.integers() ? filter.contains(integers, bitmap)
                                                 : filter.contains(texts.views, bitmap);
        EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(bitmap)), answers));
        for (std::size_t i = 0; i < 1000; ++i) {
            const bool one =
                row.integers() ? filter.contains(integers[i]) : filter.contains(texts.views[i]);
            ASSERT_EQ(one, (bitmap[i / 8] >> i % 8 & 1) != 0) << i;
        }
        ++with_answers, found_in_all += found;
    }
    EXPECT_GE(with_answers, 12u);
    EXPECT_GT(found_in_all, 100u);
    EXPECT_LT(found_in_all, 100 * with_answers);
}

}  // namespace
}  // namespace simdbloom::test
