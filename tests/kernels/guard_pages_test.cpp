// Batches answer as single keys do, read nothing beside their keys and the bits, and write nothing
// beside their output: every length 0 .. 130, which is 4 vectors + 3 on every ISA and twice the
// chunk of 64, and some around 192 and 256; every alignment; every share of hits; pages that fault
// on both sides of keys, bitmap, positions and bits.
#include <array>
#include <cstring>

#include "guarded.hpp"
#include "scale.hpp"
#include "support.hpp"
#include "threads/ways.hpp"

namespace simdbloom {
namespace {

using test::GuardedBuffer;

std::vector<std::size_t> lengths() {
    std::vector<std::size_t> all;
    for (std::size_t n = 0; n <= 130; ++n) all.push_back(n);
    for (const std::size_t n : {190u, 191u, 192u, 193u, 194u, 255u, 256u, 257u, 258u})
        all.push_back(n);
    return all;
}
constexpr std::size_t longest = 258;

/// Keys that a filter holds, and some that it does not find.
struct Pools {
    explicit Pools(const std::string& spec)
        : filter(make_filter(spec, 200, test::feasible_bits(spec, 12),
                             {.isa = Isa::scalar, .seed = 5})) {
        present = test::random_keys(200);
        for (const auto key : present) filter.insert(key);
        for (std::uint64_t i = 200; absent.size() < 200; ++i)
            if (!filter.contains(test::random_key(i))) absent.push_back(test::random_key(i));
        for (const auto key : present) EXPECT_TRUE(filter.contains(key));
    }
    AnyFilter filter;
    std::vector<std::uint64_t> present, absent;
};

/// n keys of which about `share` percent are found, and what single lookups say of them.
struct Questions {
    Questions(const Pools& pools, std::size_t n, unsigned share) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t r = test::random_key(1000 * n + i) >> 20;
            // One in a hundred: batches of up to 99 keys have it at a place of their own or not at
            // all.
            const bool hit = share == 1 ? (i + n * 7) % 100 == 0 : r % 100 < share;
            keys.push_back(hit ? pools.present[r / 100 % 200] : pools.absent[r / 100 % 200]);
            hashes.push_back(hash_key(keys.back(), 5));
            if (i % 8 == 0) bitmap.push_back(0);
            bitmap.back() = static_cast<std::uint8_t>(bitmap.back() | hit << (i % 8));
            if (hit) positions.push_back(static_cast<std::uint32_t>(i));
        }
    }
    std::vector<std::uint64_t> keys, hashes;
    std::vector<std::uint8_t> bitmap;
    std::vector<std::uint32_t> positions;
};

enum class Place { first, last, middle };

/// Keys, bitmap and positions, each between pages that fault. Outputs are compared with everything
/// around them.
class Desk {
public:
    Desk()
        : keys_(longest * 8 + 128),
          bitmap_(128 + 64),
          positions_(longest * 4 + 192),
          untouched_(bitmap_.all().size(), std::byte{0xA5}) {
        clear(bitmap_);
        clear(positions_);
    }

    /// `key_offset` and `offset`: bytes behind a multiple of 64, in the middle.
    void check(const AnyFilter& filter, const Questions& q, bool hashed, Place place,
               std::size_t key_offset, std::size_t offset) {
        const auto keys = put(hashed ? q.hashes : q.keys, place, key_offset);
        ASSERT_EQ(filter.count({keys, hashed}), q.positions.size());

        const auto bitmap = span<std::uint8_t>(bitmap_, q.bitmap.size(), place, offset);
        filter.contains({keys, hashed}, bitmap);
        ASSERT_TRUE(std::equal(bitmap.begin(), bitmap.end(), q.bitmap.begin()));
        std::fill(bitmap.begin(), bitmap.end(), 0xA5);
        ASSERT_EQ(std::memcmp(bitmap_.all().data(), untouched_.data(), bitmap_.all().size()), 0)
            << "written beside the bitmap";

        const auto positions = span<std::uint32_t>(positions_, keys.size(), place, offset / 4 * 4);
        const std::size_t found = filter.select({keys, hashed}, positions);
        ASSERT_EQ(found, q.positions.size());
        ASSERT_TRUE(std::equal(q.positions.begin(), q.positions.end(), positions.begin()));
        std::memset(positions.data(), 0xA5, 4 * found);
        ASSERT_EQ(std::memcmp(positions_.all().data(), untouched_.data(), positions_.all().size()),
                  0)
            << "written beside the positions found";
    }

    std::span<const std::uint64_t> put(std::span<const std::uint64_t> keys, Place place,
                                       std::size_t offset) {
        const auto at = span<std::uint64_t>(keys_, keys.size(), place, offset);
        std::copy(keys.begin(), keys.end(), at.begin());
        return at;
    }

private:
    template <class T>
    static std::span<T> span(const GuardedBuffer& memory, std::size_t n, Place place,
                             std::size_t offset) {
        return place == Place::first  ? memory.first<T>(n)
               : place == Place::last ? memory.last<T>(n)
                                      : memory.middle<T>(n, offset);
    }
    static void clear(const GuardedBuffer& memory) {
        std::memset(memory.all().data(), 0xA5, memory.all().size());
    }

    GuardedBuffer keys_, bitmap_, positions_;
    std::vector<std::byte> untouched_;
};

constexpr std::array<unsigned, 4> shares{0, 1, 50, 100};

class Batches : public ::testing::TestWithParam<std::string> {
protected:
    /// Calls check(questions) on each ISA for each length and share of hits.
    template <class Check>
    static void for_questions(Pools& pools, const std::vector<std::size_t>& ns,
                              std::span<const unsigned> shares, const Check& check) {
        for (const std::size_t n : ns)
            for (const unsigned share : shares) {
                const Questions q(pools, n, share);
                for (const Isa isa : usable_isas()) {
                    SCOPED_TRACE(std::string(to_string(isa)) + ", n=" + std::to_string(n) +
                                 ", hits " + std::to_string(share) + " %");
                    pools.filter.use_isa(isa);
                    ASSERT_NO_FATAL_FAILURE(check(q));
                }
            }
    }
};

/// Promise: Batches give the results of single keys at every length up to 130, alignment and hit
///   rate, read keys and filter bits alone, and write nothing outside the output.
TEST_P(Batches, AnswerAsSingleKeysAtEveryLengthBetweenFaults) {
    SIMDBLOOM_SKIP_IF_FORCED();
    Pools pools(GetParam());
    Desk desk;
    unsigned turn = 0;
    for_questions(pools, lengths(), shares, [&](const Questions& q) {
        for (const auto place : {Place::first, Place::last, Place::middle}) {
            ++turn;
            desk.check(pools.filter, q, turn % 2 != 0, place, 8 * (turn % 8), 5 * turn % 64);
        }
    });
}

// Lengths below and above what goes key by key, below and above a vector and a chunk, and at night
// all of them.
TEST_P(Batches, AnswerAsSingleKeysAtEveryAlignment) {
    SIMDBLOOM_SKIP_IF_FORCED();
    Pools pools(GetParam());
    Desk desk;
    const auto some =
        test::scaled<std::vector<std::size_t>>({35}, {3, 11, 35, 64, 67, 131}, lengths());
    const auto of_shares = std::span(shares).subspan(test::nightly() ? 0 : 2);
    for_questions(pools, some, of_shares.first(test::nightly() ? 4 : 1), [&](const Questions& q) {
        for (std::size_t key_offset = 0; key_offset < 64; key_offset += 8)
            for (std::size_t offset = 0; offset < 64; ++offset)
                ASSERT_NO_FATAL_FAILURE(desk.check(pools.filter, q,
                                                   (key_offset / 8 + offset) % 2 != 0,
                                                   Place::middle, key_offset, offset))
                    << "keys at " << key_offset << ", output at " << offset;
    });
}

TEST_P(Batches, InsertAsSingleKeysAtEveryLengthBetweenFaults) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const auto keys = test::random_keys(longest);
    const auto hashes = test::hashes_of(keys, 5);
    const AnyFilter empty =
        make_filter(GetParam(), longest, test::feasible_bits(GetParam(), 12), {.seed = 5});
    AnyFilter single = empty;
    Desk desk;
    std::size_t in = 0;
    for (const std::size_t n : lengths()) {
        for (; in < n; ++in) single.insert(keys[in]);
        for (const Isa isa : usable_isas())
            for (const bool hashed : {false, true})
                for (const auto place : {Place::first, Place::last, Place::middle}) {
                    AnyFilter filter = empty;
                    filter.use_isa(isa);
                    const auto all = std::span(hashed ? hashes : keys).first(n);
                    const auto batch = desk.put(all, place, 8 * (n % 8));
                    filter.insert({batch, hashed});
                    ASSERT_TRUE(test::same_bits(filter, single))
                        << to_string(isa) << ", n=" << n << ", hashed " << hashed;
                }
    }
}

// Keys of 32 bits are loaded as they are: unsigned, and signed with a sign to carry, at both ends
// of their pages.
template <class Key>
void expect_narrow_keys_answer_as_wide_ones(const std::string& spec) {
    std::vector<Key> pool(400);
    for (std::size_t i = 0; i < pool.size(); ++i) pool[i] = static_cast<Key>(test::random_key(i));
    AnyFilter filter = make_filter(spec, 200, test::feasible_bits(spec, 12), {.seed = 5});
    for (std::size_t i = 0; i < 200; ++i) filter.insert(static_cast<std::uint64_t>(pool[i]));
    const GuardedBuffer memory(longest * sizeof(Key));
    for (const std::size_t n : lengths()) {
        std::vector<Key> keys(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = pool[test::random_key(n * i) % pool.size()];
        const std::vector<std::uint64_t> wide(keys.begin(), keys.end());
        std::vector<std::uint8_t> bitmap((n + 7) / 8), narrow_bitmap((n + 7) / 8);
        std::vector<std::uint32_t> positions(n), narrow_positions(n);
        for (const Isa isa : usable_isas())
            for (const auto place : {Place::first, Place::last}) {
                filter.use_isa(isa);
                const auto narrow =
                    place == Place::first ? memory.first<Key>(n) : memory.last<Key>(n);
                std::copy(keys.begin(), keys.end(), narrow.begin());
                const std::size_t found = filter.contains(wide, bitmap);
                ASSERT_EQ(filter.count(narrow), found) << to_string(isa) << ", n=" << n;
                ASSERT_EQ(filter.contains(narrow, narrow_bitmap), found);
                ASSERT_EQ(narrow_bitmap, bitmap) << to_string(isa) << ", n=" << n;
                ASSERT_EQ(filter.select(wide, positions), found);
                ASSERT_EQ(filter.select(narrow, narrow_positions), found);
                ASSERT_EQ(narrow_positions, positions) << to_string(isa) << ", n=" << n;
            }
    }
}

TEST_P(Batches, OfNarrowKeysAnswerAsThoseOfWideOnes) {
    SIMDBLOOM_SKIP_IF_FORCED();
    expect_narrow_keys_answer_as_wide_ones<std::uint32_t>(GetParam());
    expect_narrow_keys_answer_as_wide_ones<std::int32_t>(GetParam());
}

// Kernels may read 8 bytes behind the bits of a table, whose buckets they load as words, and none
// behind others; the slack of a filter's own memory is 64, but a view has no more than those 8.
// Rounded up, as bits begin at multiples of 64.
std::size_t readable_bytes(const FilterBase& filter) {
    return (filter.size_in_bytes() + (filter.layout().is_table() ? 8 : 0) + 63) / 64 * 64;
}

TEST_P(Batches, TouchNothingBesideTheBits) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const Layout layout = Layout::parse(GetParam());
    for (const std::size_t blocks :
         {1u, 2u, 3u, 4u, 7u, 8u, 9u, 10u, 15u, 16u, 20u, 31u, 64u, 65u, 1000u}) {
        // About so many blocks: tables are half full, and small cuckoo tables larger than asked
        // for.
        const std::size_t n = layout.is_table()
                                  ? layout.cells_per_block() / 2 * blocks
                                  : std::max<std::size_t>(1, blocks * layout.block_bits() / 12);
        const double bits_per_key =
            static_cast<double>(blocks * layout.block_bits()) / static_cast<double>(n);
        const AnyFilter plain = make_filter(GetParam(), n, bits_per_key, {.isa = Isa::scalar});
        std::vector<std::uint64_t> hashes{0, ~std::uint64_t{0}, 0xFFFFFFFF00000000u,
                                          0xFFFFFFFFu};  // of the first block and the last
        for (std::uint64_t i = 0; hashes.size() < 300; ++i)
            hashes.push_back(test::random_key(i) >> (i % 2 == 0 ? 0 : 24) ^
                             (i % 3 == 0 ? ~std::uint64_t{0} << 40 : 0));
        const auto inserted = std::span(hashes).first(std::min<std::size_t>(hashes.size(), n));
        AnyFilter reference = plain;
        for (const auto hash : inserted) reference.insert_hash(hash);
        std::vector<std::uint8_t> expected(38), got(38);
        for (std::size_t i = 0; i < hashes.size(); ++i)
            expected[i / 8] = static_cast<std::uint8_t>(
                expected[i / 8] | reference.contains_hash(hashes[i]) << (i % 8));

        for (const Isa isa : usable_isas())
            for (const bool behind : {false, true}) {
                SCOPED_TRACE(std::string(to_string(isa)) + ", " + std::to_string(blocks) +
                             " blocks, fault " + (behind ? "before" : "behind") + " the bits");
                auto bits = behind
                                ? test::GuardedBits::behind_a_fault()
                                : test::GuardedBits::before_a_fault(readable_bytes(plain.base()));
                AnyFilter filter =
                    make_filter(GetParam(), n, bits_per_key, {.isa = isa, .allocator = &bits});
                bits.close();
                const auto first = inserted.first(inserted.size() / 2);
                filter.insert(Keys::hashes(first));
                for (const auto hash : inserted.subspan(first.size())) filter.insert_hash(hash);
                ASSERT_TRUE(test::same_bits(filter, reference));
                filter.contains(Keys::hashes(hashes), got);
                ASSERT_EQ(got, expected);
                for (std::size_t i = 0; i < hashes.size(); ++i) {
                    const bool found = (expected[i / 8] >> (i % 8) & 1) != 0;
                    ASSERT_EQ(filter.count(Keys::hashes(std::span(hashes).subspan(i, 1))), found);
                    ASSERT_EQ(filter.contains_hash(hashes[i]), found);
                }
                ASSERT_EQ(filter.estimated_fpr(), reference.estimated_fpr());
                ASSERT_EQ(save(filter), save(reference));
                if (layout.is_bloom()) {
                    AnyFilter united = plain;
                    united |= filter;
                    filter |= united;
                    ASSERT_TRUE(test::same_bits(filter.folded(plain.base().blocks()),
                                                reference.folded(plain.base().blocks())));
                    detail::fill(filter.base(), Keys::hashes(inserted), 2, detail::Way::atomic);
                    ASSERT_TRUE(test::same_bits(filter, reference));
                }
            }
    }
}

INSTANTIATE_TEST_SUITE_P(Spec, Batches, ::testing::ValuesIn(test::all_specs()), test::spec_name);

}  // namespace
}  // namespace simdbloom
