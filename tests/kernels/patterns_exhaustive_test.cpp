// The pattern of a key in its block follows from the low 32 bits of its hash alone.
// layout_traits.hpp is compared with the kernels of every ISA: for all 2^32 of them where k is the
// largest that takes its positions in this way, for 2^28 with smaller k, and for a sample in the
// ordinary run.
//
// A chunk of hashes goes to as many blocks, so that each key has a block of its own:
//
//   insert  into an empty filter must give exactly the bits of layout_traits.hpp;
//   lookup  of a key whose block holds exactly its bits must find it. A key whose block lacks one
//           of its bits must not be found. Which key lacks a bit is random; which bit, takes turns.
//
// classic, counting and the tables do not keep to one block: their chunks are looked up in a filter
// of random bits, or of tags in one of their buckets and tags off by a bit. layout_traits.hpp says
// which of them are found.
#include <bit>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include "core/dispatch/kernels_of.hpp"
#include "patterns.hpp"
#include "scale.hpp"

namespace simdbloom {
namespace {

using detail::Storage;
using test::chunk;
using test::Chunk;
using test::chunk_bits;

/// Where kernels and layout_traits.hpp differ: how often, and the first place.
class Differences {
public:
    void add(const Chunk& c, std::size_t key, Isa isa, const char* what) {
        if (count_++ != 0) return;
        char text[120];
        std::snprintf(text, sizeof text, "%s on %s, hash 0x%016llX, %llu blocks", what,
                      std::string(to_string(isa)).c_str(),
                      static_cast<unsigned long long>(c.hashes[key]),
                      static_cast<unsigned long long>(c.blocks));
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
    const auto target = [&](Storage& bits) {
        return detail::Target{
            bits.data(), c.blocks, 0, c.layout.k, {static_cast<detail::Prefetch>(c.random % 2)}};
    };
    const auto answers = [&](std::size_t word, std::uint64_t got, const char* what) {
        for (std::uint64_t wrong = got ^ c.expected[word]; wrong != 0; wrong &= wrong - 1)
            differ.add(c, 64 * word + static_cast<std::size_t>(std::countr_zero(wrong)), isa, what);
    };
    const detail::Batch batch{c.hashes.data(), chunk, true};
    test::Bitmap got;
    kernels.lookup(target(c.bits), batch, detail::Output::bitmap, got.data());
    for (std::size_t w = 0; w < got.size(); ++w)
        answers(w, detail::little_endian(got[w]), "lookup");
    if (c.random % 8 == 0)  // scalar code on every ISA, but for split256 and sector512, whose masks
                            // are those of lookup
        for (std::size_t w = 0; w < chunk / 64; ++w)
            answers(w, kernels.few(target(c.bits), c.hashes.data() + 64 * w, 64, true),
                    "lookup of a few keys");
    // A table's tags come from lookup's own staging and are placed by one function on all ISAs.
    if (c.layout.is_table() && c.random % 16 != 0) return;
    kernels.insert(target(c.scratch), batch);
    if (std::memcmp(c.scratch.data(), c.inserted.data(), c.size) != 0)
        for (std::size_t i = 0; i < c.blocks; ++i)
            if (std::memcmp(c.scratch.data() + i * c.block_bytes,
                            c.inserted.data() + i * c.block_bytes, c.block_bytes) != 0)
                differ.add(c, i % chunk, isa, "insert");
    std::memset(c.scratch.data(), 0, c.size);
}

constexpr std::uint64_t all_chunks = std::uint64_t{1} << (32 - chunk_bits);

/// Chunks first .. last of an order in which any few of them lie all over the 2^32 values.
Differences compare_chunks(const Layout& layout, std::uint64_t first, std::uint64_t last) {
    Chunk c(layout);
    if (Chunk::anywhere(
            layout))  // seven of eight bits or counters, so that some keys pass all k probes
        for (std::uint64_t i = 0; i < c.size; ++i) {
            const std::uint64_t most =
                test::random_key(3 * i) | test::random_key(3 * i + 1) | test::random_key(3 * i + 2);
            const auto half = [&](unsigned bit) {
                return (most >> bit & 1) != 0 ? 1 + test::random_key(3 * i) / 256 % 15 : 0;
            };
            c.bits.data()[i] =
                static_cast<std::byte>(layout.is_counting() ? half(0) | half(1) << 4 : most);
        }
    const auto prepare = test::prepare_of(layout);
    std::vector<std::pair<Isa, const detail::Kernels*>> kernels;
    for (const Isa isa : usable_isas()) kernels.emplace_back(isa, &detail::kernels_of(isa, layout));
    Differences differ;
    for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t number = i * 0x9E3779B1u % all_chunks;
        c.random = test::random_key(number);
        for (std::uint64_t j = 0; j < chunk; ++j) {
            // The key of block j: one of the high halves that lead there, and a low half that every
            // chunk has elsewhere.
            const std::uint64_t high =
                ((j << 32) + c.blocks - 1) / c.blocks + c.random % (1u << (31 - chunk_bits));
            c.hashes[j] = high << 32 | number << chunk_bits | (j ^ c.random >> 32) % chunk;
        }
        prepare(c);
        for (const auto& [isa, k] : kernels) compare(c, isa, *k, differ);
    }
    return differ;
}

bool takes_all(const Layout& layout) {
    switch (layout.kind) {
        case LayoutKind::classic:
        case LayoutKind::counting:
        case LayoutKind::dleft12:
        case LayoutKind::dleft14:
        case LayoutKind::dleft16:
            return false;  // their patterns depend on all 64 bits
        case LayoutKind::register32:
            return layout.k == detail::register32_direct_k || layout.k == 8;
        case LayoutKind::register64:
            return layout.k == detail::register64_direct_k || layout.k == 8;
        case LayoutKind::zoned512:
            return layout.k == 8;
        case LayoutKind::blocked512:
        case LayoutKind::counting512:
            return layout.k == 16;
        case LayoutKind::split256:
        case LayoutKind::split512:
        case LayoutKind::sector512:
        case LayoutKind::cuckoo8:
        case LayoutKind::cuckoo12:
        case LayoutKind::cuckoo16:
            return true;
    }
    return false;
}

class ExhaustivePatterns : public ::testing::TestWithParam<std::string> {};

/// Promise: The bits of a key are the pattern that `layout_traits.hpp` defines.
TEST_P(ExhaustivePatterns, AreThoseOfTheLayoutOnEveryIsa) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const Layout layout = Layout::parse(GetParam());
    const std::uint64_t all = takes_all(layout) ? all_chunks : all_chunks / 16;
    const std::uint64_t chunks = test::scaled<std::uint64_t>(1 << 5, 1 << 10, all),
                        slice = std::min<std::uint64_t>(chunks, 1 << 12);
    const unsigned threads =
        test::nightly() ? std::max(1u, std::thread::hardware_concurrency()) : 1;
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
    test::progress("%-16s %llu patterns on %zu ISAs, %llu differences, %.0f s", GetParam().c_str(),
                   static_cast<unsigned long long>(chunks * chunk), usable_isas().size(),
                   static_cast<unsigned long long>(differ.count()), watch.seconds());
}

INSTANTIATE_TEST_SUITE_P(Layout, ExhaustivePatterns, ::testing::ValuesIn(test::all_specs()),
                         test::spec_name);

}  // namespace
}  // namespace simdbloom
