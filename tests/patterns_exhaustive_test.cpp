// The pattern of a key in its block follows from the low 32 bits of its hash alone: layout.hpp against the kernels of every ISA,
// for all 2^32 of them where k is the largest that takes its positions in this way, for 2^28 with smaller k, and for a sample
// in the ordinary run.
//
// A chunk of hashes goes to as many blocks, so that each key has a block of its own:
//   insert  into an empty filter must give exactly the bits of layout.hpp;
//   lookup  of a key whose block holds exactly its bits must find it, one of whose block lacks one of them must not. Which key
//           lacks a bit is random; which bit, takes turns.
// classic and the cuckoo layouts do not keep to one block: their chunks are looked up in a filter of random bits, or of tags in
// one bucket or the other and tags off by a bit, and layout.hpp says which of them are found.
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "filters/kernels_of.hpp"
#include "scale.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using detail::Storage;

constexpr unsigned chunk_bits = 8;
constexpr std::size_t chunk = std::size_t{1} << chunk_bits;  // three filters of 64-byte blocks: 48 KiB
using Bitmap = std::array<std::uint64_t, chunk / 64>;

struct Chunk {
    explicit Chunk(const Layout& layout_of_all)
        : layout(layout_of_all), blocks(blocks_for(layout)), block_bytes(layout.block_bits() / 8), size(blocks * block_bytes),
          inserted(size, false, nullptr), bits(inserted), scratch(inserted) {}

    // A cuckoo table whose number of buckets is no power of two; for classic so many words that keys seldom share bits.
    static std::uint64_t blocks_for(const Layout& l) { return l.is_cuckoo() ? chunk + 1 : l.kind == LayoutKind::classic ? 4 * chunk : chunk; }

    Layout layout;
    std::uint64_t blocks, block_bytes, size;
    std::array<std::uint64_t, chunk> hashes{};
    std::uint64_t random = 0;
    Storage inserted;  // all hashes inserted into an empty filter
    Storage bits;      // to look up in
    Bitmap expected;   // the answers then
    Storage scratch;   // empty
};

void set_bit(std::byte* block, std::uint64_t bit) { block[bit / 8] |= std::byte{1} << (bit % 8); }
void clear_bit(std::byte* block, std::uint64_t bit) { block[bit / 8] &= ~(std::byte{1} << (bit % 8)); }

template <LayoutKind kind, unsigned k, unsigned groups>
void prepare_block(Chunk& c) {
    constexpr std::size_t bytes = kind == LayoutKind::register32 ? 4 : kind == LayoutKind::register64 ? 8 : kind == LayoutKind::split256 ? 32 : 64;
    std::memset(c.inserted.data(), 0, c.size);
    std::array<std::uint16_t, chunk> lacking;
    for (std::size_t j = 0; j < chunk; ++j) {
        const auto x = static_cast<std::uint32_t>(c.hashes[j]);
        std::uint16_t positions[k];
        [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {
            ((positions[i] = static_cast<std::uint16_t>(detail::bit_position<kind>(x, i, k, groups))), ...);
        }(std::make_integer_sequence<unsigned, k>());
        for (const auto position : positions) set_bit(c.inserted.data() + j * bytes, position);
        lacking[j] = positions[(std::uint64_t{x * 0x85EBCA77u} * k) >> 32];
    }
    for (std::size_t w = 0; w < chunk / 64; ++w) c.expected[w] = test::random_key(c.random + w);
    std::memcpy(c.bits.data(), c.inserted.data(), c.size);
    for (std::size_t j = 0; j < chunk; ++j)
        if ((c.expected[j / 64] >> (j % 64) & 1) == 0) clear_bit(c.bits.data() + j * bytes, lacking[j]);
}

void prepare_classic(Chunk& c) {
    // Each low half once, each with some high half: a probe's word and bit follow from both.
    for (auto& hash : c.hashes) hash = test::random_key(hash) << 32 | (hash & 0xFFFFFFFFu);
    std::memset(c.inserted.data(), 0, c.size);
    c.expected = {};
    for (std::size_t j = 0; j < chunk; ++j) {
        const std::uint64_t step = detail::classic_step(c.hashes[j]);
        std::uint64_t g = c.hashes[j];
        bool found = true;
        for (unsigned i = 0; i < c.layout.k; ++i, g += step) {
            const std::uint64_t bit = 64 * detail::block_index(g, c.blocks) + g % 64;
            set_bit(c.inserted.data(), bit);
            found &= (std::to_integer<unsigned>(c.bits.data()[bit / 8]) >> (bit % 8) & 1) != 0;
        }
        c.expected[j / 64] |= std::uint64_t{found} << (j % 64);
    }
}

// Slot `slot` of a bucket, numbered through all buckets, as one little integer.
template <unsigned width>
std::uint32_t tag_in(const std::byte* bits, std::uint64_t slot) {
    std::uint32_t word;
    std::memcpy(&word, bits + slot * width / 8, sizeof word);
    return word >> (slot * width % 8) & ((1u << width) - 1);
}
template <unsigned width>
void put_tag(std::byte* bits, std::uint64_t slot, std::uint32_t tag) {
    std::uint32_t word;
    std::memcpy(&word, bits + slot * width / 8, sizeof word);
    const auto shift = static_cast<unsigned>(slot * width % 8);
    word = (word & ~(((1u << width) - 1) << shift)) | tag << shift;
    std::memcpy(bits + slot * width / 8, &word, sizeof word);
}

template <unsigned width>
void prepare_cuckoo(Chunk& c) {
    std::memset(c.inserted.data(), 0, c.size);
    std::byte* const bits = c.bits.data();
    std::array<std::uint64_t, chunk> buckets[2];
    std::array<std::uint32_t, chunk> tags;
    for (std::size_t j = 0; j < chunk; ++j) {
        const auto x = static_cast<std::uint32_t>(c.hashes[j]);
        tags[j] = detail::cuckoo_tag(x, width);
        buckets[0][j] = detail::block_index(c.hashes[j], c.blocks);
        buckets[1][j] = detail::cuckoo_alternate(buckets[0][j], tags[j], c.blocks);
        put_tag<width>(c.inserted.data(), 4 * buckets[0][j], tags[j]);
        const std::uint64_t r = (x ^ c.random) * 0x9E3779B97F4A7C15u >> 32;
        const std::uint32_t off_by_a_bit = (r & 4) != 0 ? 1u << (r / 8 % width) : 0;
        put_tag<width>(bits, 4 * buckets[r >> 31][j] + r % 4, tags[j] ^ off_by_a_bit);
    }
    c.expected = {};
    for (std::size_t j = 0; j < chunk; ++j) {
        bool found = false;
        for (unsigned slot = 0; slot < 4; ++slot)
            found |= tag_in<width>(bits, 4 * buckets[0][j] + slot) == tags[j] || tag_in<width>(bits, 4 * buckets[1][j] + slot) == tags[j];
        c.expected[j / 64] |= std::uint64_t{found} << (j % 64);
    }
}

using Prepare = void (*)(Chunk&);

template <LayoutKind kind, unsigned groups, unsigned step, unsigned max>
Prepare prepare_any_k(unsigned k) {
    Prepare found = nullptr;
    [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {
        ((k == (i + 1) * step ? void(found = &prepare_block<kind, (i + 1) * step, groups>) : void()), ...);
    }(std::make_integer_sequence<unsigned, max / step>());
    return found;
}

Prepare prepare_of(const Layout& layout) {
    switch (layout.kind) {
        case LayoutKind::classic: return prepare_classic;
        case LayoutKind::register32: return prepare_any_k<LayoutKind::register32, 0, 1, 8>(layout.k);
        case LayoutKind::register64: return prepare_any_k<LayoutKind::register64, 0, 1, 8>(layout.k);
        case LayoutKind::split256: return prepare_block<LayoutKind::split256, 8, 0>;
        case LayoutKind::sector512: return prepare_block<LayoutKind::sector512, 8, 0>;
        case LayoutKind::zoned512:
            return layout.groups == 2 ? prepare_any_k<LayoutKind::zoned512, 2, 2, 8>(layout.k) : prepare_any_k<LayoutKind::zoned512, 4, 4, 8>(layout.k);
        case LayoutKind::blocked512: return prepare_any_k<LayoutKind::blocked512, 0, 1, 16>(layout.k);
        case LayoutKind::cuckoo8: return prepare_cuckoo<8>;
        case LayoutKind::cuckoo12: return prepare_cuckoo<12>;
        default: return prepare_cuckoo<16>;
    }
}

/// Where kernels and layout.hpp differ: how often, and the first place.
class Differences {
public:
    void add(const Chunk& c, std::size_t key, Isa isa, const char* what) {
        if (count_++ != 0) return;
        char text[120];
        std::snprintf(text, sizeof text, "%s on %s, hash 0x%016llX, %llu blocks", what, std::string(to_string(isa)).c_str(),
                      static_cast<unsigned long long>(c.hashes[key]), static_cast<unsigned long long>(c.blocks));
        first_ = text;
    }
    void add(const Differences& other) {
        if (count_ == 0) first_ = other.first_;
        count_ += other.count_;
    }
    std::uint64_t count() const { return count_; }
    const std::string& first() const { return first_; }

private:
    std::uint64_t count_ = 0;
    std::string first_;
};

void compare(Chunk& c, Isa isa, const detail::Kernels& kernels, Differences& differ) {
    std::uint64_t random = 1;
    const auto target = [&](Storage& bits) { return detail::Target{bits.data(), c.blocks, 0, c.layout.k, c.size, &random}; };
    const auto answers = [&](std::size_t word, std::uint64_t got, const char* what) {
        for (std::uint64_t wrong = got ^ c.expected[word]; wrong != 0; wrong &= wrong - 1)
            differ.add(c, 64 * word + static_cast<std::size_t>(std::countr_zero(wrong)), isa, what);
    };
    const detail::Batch batch{c.hashes.data(), chunk, true};
    Bitmap got;
    kernels.lookup(target(c.bits), batch, detail::Output::bitmap, got.data());
    for (std::size_t w = 0; w < got.size(); ++w) answers(w, got[w], "lookup");
    if (c.random % 8 == 0)  // scalar code on every ISA, but for split256 and sector512, whose masks are those of lookup
        for (std::size_t w = 0; w < chunk / 64; ++w) answers(w, kernels.few(target(c.bits), c.hashes.data() + 64 * w, 64, true), "lookup of a few keys");
    // A cuckoo table's tags come from lookup's own staging and are placed by one function on all ISAs.
    if (c.layout.is_cuckoo() && c.random % 16 != 0) return;
    kernels.insert(target(c.scratch), batch);
    if (std::memcmp(c.scratch.data(), c.inserted.data(), c.size) != 0)
        for (std::size_t i = 0; i < c.blocks; ++i)
            if (std::memcmp(c.scratch.data() + i * c.block_bytes, c.inserted.data() + i * c.block_bytes, c.block_bytes) != 0)
                differ.add(c, i % chunk, isa, "insert");
    std::memset(c.scratch.data(), 0, c.size);
}

constexpr std::uint64_t all_chunks = std::uint64_t{1} << (32 - chunk_bits);

/// Chunks first .. last of an order in which any few of them lie all over the 2^32 values.
Differences compare_chunks(const Layout& layout, std::uint64_t first, std::uint64_t last) {
    Chunk c(layout);
    if (layout.kind == LayoutKind::classic)  // seven of eight bits, so that some keys pass all k probes
        for (std::uint64_t i = 0; i < c.size; ++i)
            c.bits.data()[i] = static_cast<std::byte>(test::random_key(3 * i) | test::random_key(3 * i + 1) | test::random_key(3 * i + 2));
    const Prepare prepare = prepare_of(layout);
    std::vector<std::pair<Isa, const detail::Kernels*>> kernels;
    for (const Isa isa : usable_isas()) kernels.emplace_back(isa, &detail::kernels_of(isa, layout));
    Differences differ;
    for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t number = i * 0x9E3779B1u % all_chunks;
        c.random = test::random_key(number);
        for (std::uint64_t j = 0; j < chunk; ++j) {
            // The key of block j: one of the high halves that lead there, and a low half that every chunk has elsewhere.
            const std::uint64_t high = ((j << 32) + c.blocks - 1) / c.blocks + c.random % (1u << (31 - chunk_bits));
            c.hashes[j] = high << 32 | number << chunk_bits | (j ^ c.random >> 32) % chunk;
        }
        prepare(c);
        for (const auto& [isa, k] : kernels) compare(c, isa, *k, differ);
    }
    return differ;
}

bool takes_all(const Layout& layout) {
    switch (layout.kind) {
        case LayoutKind::classic: return false;  // its pattern depends on all 64 bits
        case LayoutKind::register32: return layout.k == detail::register32_direct_k || layout.k == 8;
        case LayoutKind::register64: return layout.k == detail::register64_direct_k || layout.k == 8;
        case LayoutKind::zoned512: return layout.k == 8;
        case LayoutKind::blocked512: return layout.k == 16;
        default: return true;
    }
}

class ExhaustivePatterns : public ::testing::TestWithParam<std::string> {};

TEST_P(ExhaustivePatterns, AreThoseOfTheLayoutOnEveryIsa) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const Layout layout = Layout::parse(GetParam());
    const std::uint64_t all = takes_all(layout) ? all_chunks : all_chunks / 16;
    const std::uint64_t chunks = test::scaled<std::uint64_t>(1 << 5, 1 << 10, all), slice = std::min<std::uint64_t>(chunks, 1 << 12);
    const unsigned threads = test::nightly() ? std::max(1u, std::thread::hardware_concurrency()) : 1;
    const test::Stopwatch watch;
    std::atomic<std::uint64_t> next{0};
    std::mutex joining;
    Differences differ;
    const auto work = [&] {
        for (std::uint64_t first; (first = next.fetch_add(slice)) < chunks;) {
            const Differences here = compare_chunks(layout, first, first + slice);
            const std::lock_guard lock(joining);
            differ.add(here);
        }
    };
    std::vector<std::thread> others;
    for (unsigned t = 1; t < threads; ++t) others.emplace_back(work);
    work();
    for (auto& thread : others) thread.join();

    EXPECT_EQ(differ.count(), 0u) << differ.first();
    test::tally.patterns += chunks * chunk;
    test::tally.differences += differ.count();
    test::progress("%-16s %llu patterns on %zu ISAs, %llu differences, %.0f s", GetParam().c_str(), static_cast<unsigned long long>(chunks * chunk),
                   usable_isas().size(), static_cast<unsigned long long>(differ.count()), watch.seconds());
}

INSTANTIATE_TEST_SUITE_P(Layout, ExhaustivePatterns, ::testing::ValuesIn(test::all_specs()), [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace simdbloom
