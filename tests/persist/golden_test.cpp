// The saved format, pinned by files: tests/golden/ holds a filter of every spec, saved once, and a
// manifest of what is in them. They are read, asked and built anew on every instruction set and
// architecture that the tests run on.
//
// For a new spec of all_specs(), SIMDBLOOM_WRITE_GOLDEN=1 simdbloom_tests --gtest_filter='Golden.*'
// adds its file and its line; nothing that is there is written over. Where an old file no longer
// passes, the format has changed. Once there has been a release, that takes a new version number
// and a reader for both.
#include <fstream>
#include <iomanip>
#include <iterator>
#include <sstream>

#include "saved_bytes.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

namespace fs = std::filesystem;
using test::Bytes;

const fs::path folder = SIMDBLOOM_GOLDEN_FOLDER, manifest = folder / "manifest.txt";

// More keys than the filter is made for, so that cuckoo tables are full enough to evict. Integers
// and strings: both hashes.
constexpr std::size_t made_for = 100, integers = 100, words = 28, strangers = 65'536, noted = 5;
constexpr std::uint64_t seed = 0x0123456789ABCDEFu, first_stranger = 1'000'000;

std::vector<std::string> word_keys() {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < words; ++i) keys.push_back("key " + std::to_string(i));
    return keys;
}

AnyFilter built(const std::string& spec, Isa isa, bool in_batches) {
    auto filter =
        make_filter(spec, made_for, test::feasible_bits(spec, 12), {.isa = isa, .seed = seed});
    const auto keys = test::random_keys(integers);
    const auto text = word_keys();
    const std::vector<std::string_view> views(text.begin(), text.end());
    if (in_batches) {
        filter.insert(keys);
        filter.insert(std::span<const std::string_view>(views));
    } else {
        for (const std::uint64_t key : keys) filter.insert(key);
        for (const std::string_view word : views) filter.insert(word);
    }
    return filter;
}

std::vector<std::uint32_t> strangers_found(const AnyFilter& filter) {
    std::vector<std::uint32_t> found(strangers);
    found.resize(filter.select(test::random_keys(strangers, first_stranger), found));
    return found;
}

/// A line of the manifest.
struct Row {
    std::string spec;
    std::uint64_t bits = 0;                 // XXH64
    std::size_t false_positives = 0;        // among the strangers
    std::vector<std::uint32_t> first_ones;  // numbers of the first `noted` of them
    fs::path path() const { return folder / (test::test_name(spec) + ".filter"); }
};

Row row_of(const AnyFilter& filter) {
    Row row{filter.spec(), hash_bytes(filter.base().bytes()), 0, strangers_found(filter)};
    row.false_positives = row.first_ones.size();
    row.first_ones.resize(std::min(row.first_ones.size(), noted));
    return row;
}

std::vector<Row> rows() {
    std::vector<Row> all;
    std::ifstream file(manifest);
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream fields(line);
        Row row;
        fields >> row.spec >> std::hex >> row.bits >> std::dec >> row.false_positives;
        EXPECT_TRUE(fields) << manifest << ": " << line;
        row.first_ones.assign(std::istream_iterator<std::uint32_t>(fields), {});
        all.push_back(row);
    }
    EXPECT_FALSE(all.empty()) << manifest << " cannot be read";
    return all;
}

void write(const std::string& spec) {
    const AnyFilter filter = built(spec, Isa::scalar, false);
    const Row row = row_of(filter);
    if (fs::exists(row.path())) {
        ADD_FAILURE()
            << row.path()
            << " is there already, without a line in the manifest: nothing is written over it";
        return;
    }
    save_file(filter, row.path());
    std::ofstream line(manifest, std::ios::app);
    line << spec << ' ' << std::hex << std::setfill('0') << std::setw(16) << row.bits << std::dec
         << ' ' << row.false_positives;
    for (const auto i : row.first_ones) line << ' ' << i;
    line << '\n';
    ADD_FAILURE() << "wrote " << row.path() << ": to be looked at and committed";
}

/// Promise: On either byte order old files load, work and are written again unchanged.
TEST(Golden, EverySpecHasAFileAndEveryFileALine) {
    const auto known = rows();
    for (const auto& spec : test::all_specs()) {
        if (std::ranges::count(known, spec, &Row::spec) == 1) continue;
        const char* const wanted = std::getenv("SIMDBLOOM_WRITE_GOLDEN");
        if (wanted != nullptr && std::string_view(wanted) == "1") write(spec);
        else
            ADD_FAILURE() << spec << " has no line, or two, in " << manifest
                          << "; golden_test.cpp says how to add it";
    }
    for (const Row& row : known) EXPECT_TRUE(fs::exists(row.path())) << row.path() << " is gone";
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.is_directory()) continue;  // those of other systems, with a list of their own
        EXPECT_LT(entry.file_size(), entry.path() == manifest ? 8192u : 1024u) << entry.path();
        if (entry.path() == manifest) continue;
        EXPECT_EQ(std::ranges::count(known, entry.path(), &Row::path), 1)
            << entry.path() << " is not in the manifest";
    }
}

void expect_golden(const AnyFilter& filter, const Row& row) {
    EXPECT_EQ(filter.spec(), row.spec);
    EXPECT_EQ(filter.seed(), seed);
    EXPECT_EQ(filter.base().n_keys(), made_for);
    const auto keys = test::random_keys(integers);
    EXPECT_EQ(filter.count(keys), integers);
    for (const std::uint64_t key : keys) EXPECT_TRUE(filter.contains(key)) << key;
    for (const auto& word : word_keys()) EXPECT_TRUE(filter.contains(word)) << word;
    const Row here = row_of(filter);
    EXPECT_EQ(here.bits, row.bits);
    EXPECT_EQ(here.false_positives, row.false_positives);
    EXPECT_EQ(here.first_ones, row.first_ones);
    for (std::uint32_t i = 0, at = 0; at < row.first_ones.size(); ++i) {
        const bool noted_as_found = i == row.first_ones[at];
        ASSERT_EQ(filter.contains(test::random_key(first_stranger + i)), noted_as_found)
            << "stranger " << i;
        at += noted_as_found;
    }
}

TEST(Golden, SavedFiltersAreReadWithTheirAnswersAndWrittenTheSame) {
    for (const Row& row : rows())
        for (const Isa isa : usable_isas()) {
            SCOPED_TRACE(row.spec + " on " + std::string(to_string(isa)));
            auto loaded = load_file(row.path(), {.isa = isa});
            ASSERT_TRUE(loaded) << loaded.error().message;
            expect_golden(*loaded, row);
            EXPECT_EQ(save(*loaded), test::read_bytes(row.path()));
            auto mapped = map_file(row.path(), {.isa = isa});
            ASSERT_TRUE(mapped) << mapped.error().message;
            expect_golden(**mapped, row);
        }
}

TEST(Golden, TheSameKeysGiveTheSameFile) {
    for (const Row& row : rows())
        for (const Isa isa : usable_isas())
            for (const bool in_batches : {false, true})
                EXPECT_EQ(save(built(row.spec, isa, in_batches)), test::read_bytes(row.path()))
                    << row.spec << " on " << to_string(isa) << ", in batches " << in_batches;
}

}  // namespace
}  // namespace simdbloom
