// Against the installed LevelDB: the same bytes from the same keys, the same answers from the same
// bytes.
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <memory>
#include <random>

#include "simdbloom/adapters/leveldb_filter.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

struct TextKeys {
    std::vector<std::string> texts;
    std::vector<std::string_view> views;
    std::vector<leveldb::Slice> slices;

    // Of all lengths and with all byte values.
    TextKeys(std::size_t n, std::mt19937_64& random) {
        for (std::size_t i = 0; i < n; ++i) {
            std::string text(random() % 41, '\0');
            for (char& c : text) c = static_cast<char>(random());
            texts.push_back(text);
        }
        views.assign(texts.begin(), texts.end());
        slices.assign(texts.begin(), texts.end());
    }
};

TEST(LevelDbLibrary, HasOurName) {
    EXPECT_EQ(Policy(leveldb::NewBloomFilterPolicy(10))->Name(), leveldb_filter_name);
}

TEST(LevelDbLibrary, BuildsTheSameBytesAndAnswersTheSame) {
    std::mt19937_64 random(7);
    std::size_t filters = 0, found = 0, asked = 0;
    for (int bits_per_key = 0; bits_per_key <= 61; ++bits_per_key) {
        const Policy policy(leveldb::NewBloomFilterPolicy(bits_per_key));
        std::vector<std::size_t> sizes{0, 1, random() % 10, random() % 100, random() % 3000};
        if (bits_per_key == 1 || bits_per_key == 10 || bits_per_key == 33) sizes.push_back(100'000);
        for (const std::size_t n : sizes) {
            const TextKeys inside(n, random), outside(200, random);
            std::string theirs = "what was there", ours = theirs;
            policy->CreateFilter(inside.slices.data(), static_cast<int>(n), &theirs);
            append_leveldb_filter(inside.views, bits_per_key, ours);
            ASSERT_EQ(ours, theirs) << n << " keys, " << bits_per_key << " bits per key";
            const std::string filter = theirs.substr(14);
            LevelDbFilterView view{std::string_view(filter)};
            for (const auto* keys : {&inside, &outside}) {
                std::size_t matches = 0;
                for (std::size_t i = 0; i < keys->texts.size(); ++i) {
                    const bool match = policy->KeyMayMatch(keys->slices[i], filter);
                    ASSERT_EQ(view.contains(keys->views[i]), match)
                        << n << " keys, " << bits_per_key << " bits per key";
                    matches += match;
                }
                for (const Isa isa : usable_isas()) {
                    view.use_isa(isa);
                    ASSERT_EQ(view.count(keys->views), matches) << to_string(isa);
                }
                if (keys == &outside) found += matches, asked += keys->texts.size();
            }
            ++filters;
        }
    }
    EXPECT_EQ(filters, 62u * 5 + 3);
    EXPECT_GT(found, 0u);
    EXPECT_LT(found, asked / 2);
}

// Every last byte, every length up to 40, any bits: reserved encodings and filters that are too
// short among them.
TEST(LevelDbLibrary, AgreesOnAnyBytes) {
    std::mt19937_64 random(9);
    const Policy policy(leveldb::NewBloomFilterPolicy(10));
    const TextKeys keys(30, random);
    std::size_t found = 0, asked = 0;
    for (std::size_t size = 0; size <= 40; ++size)
        for (unsigned last = 0; last < 256; ++last) {
            std::string filter(size, '\0');
            for (char& c : filter)
                c = static_cast<char>(random() | random());  // three of four bits are set
            if (size != 0) filter.back() = static_cast<char>(last);
            const LevelDbFilterView view{std::string_view(filter)};
            std::size_t matches = 0;
            for (std::size_t i = 0; i < 30; ++i) {
                const bool match = policy->KeyMayMatch(keys.slices[i], filter);
                ASSERT_EQ(view.contains(keys.views[i]), match)
                    << size << " bytes, the last " << last;
                matches += match;
            }
            ASSERT_EQ(view.count(keys.views), matches) << size << " bytes, the last " << last;
            if (last <= 30) found += matches, asked += 30;
        }
    EXPECT_GT(found, asked / 50);
    EXPECT_LT(found, asked / 2);
}

}  // namespace
}  // namespace simdbloom
