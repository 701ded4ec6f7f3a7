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
// classic, counting and cuckoo tables do not keep to one block: their chunks are looked up in a
// filter of random bits, or of tags in one of their buckets and tags off by a bit.
// layout_traits.hpp says which of them are found. d-left tables: filters/dleft_test.cpp.
#include <atomic>
#include <bit>
#include <cstdio>

#include "at_once.hpp"
#include "core/dispatch/kernels_of.hpp"
#include "patterns.hpp"
#include "scale.hpp"

namespace simdbloom {
namespace {

using detail::Storage;
using test::chunk;
using test::Chunk;
using test::chunk_bits;

/// Where kernels and layout_traits.hpp differ first; empty where they do not.
std::string difference(Chunk& c, Isa isa, const detail::Kernels& kernels) {
    std::string first;
    const auto differ = [&](std::size_t key, const char* what) {
        if (!first.empty()) return;
        char text[120];
        std::snprintf(text, sizeof text, "%s on %s, hash 0x%016llX, %llu blocks", what,
                      std::string(to_string(isa)).c_str(),
                      static_cast<unsigned long long>(c.hashes[key]),
                      static_cast<unsigned long long>(c.blocks));
        first = text;
    };
    const auto target = [&](Storage& bits) {
        return detail::Target{
            bits.data(), c.blocks, 0, c.layout.k, {static_cast<detail::Prefetch>(c.random % 2)}};
    };
    const auto answers = [&](std::size_t word, std::uint64_t got, const char* what) {
        if (const std::uint64_t wrong = got ^ c.expected[word]; wrong != 0)
            differ(64 * word + static_cast<std::size_t>(std::countr_zero(wrong)), what);
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
    if (c.layout.is_table() && c.random % 16 != 0) return first;
    kernels.insert(target(c.scratch), batch);
    if (std::memcmp(c.scratch.data(), c.inserted.data(), c.size) != 0)
        for (std::size_t i = 0; i < c.blocks; ++i)
            if (std::memcmp(c.scratch.data() + i * c.block_bytes,
                            c.inserted.data() + i * c.block_bytes, c.block_bytes) != 0)
                differ(i % chunk, "insert");
    std::memset(c.scratch.data(), 0, c.size);
    return first;
}

constexpr std::uint64_t all_chunks = std::uint64_t{1} << (32 - chunk_bits);

/// Chunks first .. last of an order in which any few of them lie all over the 2^32 values.
std::string difference_in_chunks(const Layout& layout, std::uint64_t first, std::uint64_t last) {
    Chunk c(layout);
    if (layout.traits().anywhere)  // seven of eight bits or counters: some keys pass all k probes
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
        for (const auto& [isa, k] : kernels)
            if (std::string found = difference(c, isa, *k); !found.empty()) return found;
    }
    return {};
}

/// Not where the pattern depends on all 64 bits.
bool takes_all(const Layout& layout) {
    const auto& traits = layout.traits();
    const bool direct = (layout.kind == LayoutKind::register32 &&
                         layout.k == detail::layouts::register32::direct_k) ||
                        (layout.kind == LayoutKind::register64 &&
                         layout.k == detail::layouts::register64::direct_k);
    return !traits.anywhere && (traits.fixed_k() || direct || layout.k == traits.k_max);
}

class ExhaustivePatterns : public ::testing::TestWithParam<std::string> {};

/// Promise of ExhaustivePatterns.*, DLeft.AnswersAreThoseOfAMapOfFingerprints: The bits of a key
///   are the pattern that `layout_traits.hpp` defines.
TEST_P(ExhaustivePatterns, AreThoseOfTheLayoutOnEveryIsa) {
    SIMDBLOOM_SKIP_IF_FORCED();
    const Layout layout = Layout::parse(GetParam());
    const std::uint64_t all = takes_all(layout) ? all_chunks : all_chunks / 16;
    const std::uint64_t chunks = test::scaled<std::uint64_t>(1 << 5, 1 << 10, all),
                        slice = std::min<std::uint64_t>(chunks, 1 << 12);
    std::atomic<std::uint64_t> next{0};
    const auto work = [&](unsigned) {
        for (std::uint64_t first; (first = next.fetch_add(slice)) < chunks;)
            EXPECT_EQ(difference_in_chunks(layout, first, first + slice), "");
    };
    test::at_once(test::nightly() ? std::thread::hardware_concurrency() : 1, work);
}

std::vector<std::string> specs_of_patterns() {
    auto specs = test::all_specs();
    std::erase_if(specs, [](const auto& spec) { return Layout::parse(spec).is_dleft(); });
    return specs;
}
INSTANTIATE_TEST_SUITE_P(Layout, ExhaustivePatterns, ::testing::ValuesIn(specs_of_patterns()),
                         test::spec_name);

}  // namespace
}  // namespace simdbloom
