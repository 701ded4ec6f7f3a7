// unite_saved of arbitrary bytes, of the same bytes with checksums that fit, and of parts whose
// keys the bytes give: `into` stays as it was on an error, and a union lets pass what either lets
// pass.
#include "fuzz.hpp"

namespace {

using namespace simdbloom;
using Bytes = std::vector<std::byte>;
using KeyVector = std::vector<std::uint64_t>;

/// Which probes pass; nothing where it is no filter. Parts lose what they let pass while others are
/// missing.
std::vector<std::uint8_t> passing(std::span<const std::byte> bytes, const KeyVector& probes) {
    std::vector<std::uint8_t> out(probes.size());
    if (auto filter = load<AnyFilter>(bytes)) {
        for (std::size_t i = 0; i < probes.size(); ++i) out[i] = filter->contains(probes[i]);
        return out;
    }
    auto filter = load<JoinFilter>(bytes);
    if (!filter) return {};
    if (const auto missing = missing_parts(bytes); missing && !(*missing).empty()) return out;
    const bool hashed = filter->kind() == JoinFilter::Kind::list && !filter->range();
    filter->bytes({probes, hashed}, out);
    return out;
}

void unite(const Bytes& a, std::span<const std::byte> b) {
    Bytes fixed = a, grown = a;
    const auto in_place = unite_saved(std::span(fixed), b);
    const auto anew = unite_saved(grown, b);
    if (!in_place) must(fixed == a);
    if (!anew) {
        must(grown == a && !in_place && !anew.error().message.empty());
        return;
    }
    must(grown.size() == *anew && in_place.has_value() == (grown.size() <= a.size()));
    if (in_place) must(std::ranges::equal(std::span(fixed).first(*in_place), grown));
    KeyVector probes(300);
    for (std::size_t i = 0; i < probes.size(); ++i)
        probes[i] = i % 3 == 0 ? i * 0x9E3779B97F4A7C15u : i - 100;
    const auto before = passing(a, probes), other = passing(b, probes),
               after = passing(grown, probes);
    // A filter with a secret is united and cannot be asked here.
    if (before.empty() || other.empty() || after.empty()) return;
    for (std::size_t i = 0; i < probes.size(); ++i) must(after[i] >= (before[i] | other[i]));
    Bytes again = grown;
    must(unite_saved(again, b).has_value() && again == grown);
}

Bytes part(std::span<const std::byte> bytes, std::size_t number, std::size_t parts) {
    JoinBuilder builder("auto", 2'000, 12, {.seed = 3});
    std::uint64_t key = 0;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        key += std::uint64_t{1} << std::to_integer<unsigned>(bytes[i]) % 64;
        KeyVector run(std::to_integer<std::size_t>(bytes[i + 1]));
        for (auto& k : run) k = key++;
        builder.insert({run});
    }
    return save_part(std::move(builder).part(), number, parts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const unsigned what = data[0];
    const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
    const std::size_t half = bytes.size() / 2;
    Bytes a(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(half)),
        b(bytes.begin() + static_cast<std::ptrdiff_t>(half), bytes.end());
    unite(a, b);
    const std::size_t parts = 1 + what % 4;
    const Bytes x = part(a, 0, parts), y = part(b, parts - 1, parts);
    unite(x, y);
    unite(x, b);
    unite(a, y);
    if (half < 80) return 0;
    for (Bytes* of : {&a, &b})
        if (what % 2 == 0) forge(*of, {0x89, 'S', 'B', 'L', 'M', '\r', '\n', 0x1A});
        else forge(*of, {0x89, 'S', 'B', 'J', 'F', '\r', '\n', 0x1A});
    unite(a, b);
    unite(b, a);
    return 0;
}

// Most mutations give both headers parameters that fit the size.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 4 == 0 || size < 1 + 2 * 104) return size;
    // Halves of as many bytes: a filter of blocks of 32 bytes, or a list or bitmap.
    const std::size_t half = (size - 1) / 2, blocks = (half - 72) / 32 / (1 + seed / 4 % 2);
    const std::size_t bits = 32 * blocks;
    std::uint8_t* at = data + 1;
    if (blocks == 0) return size;
    for (int i = 0; i < 2; ++i, at += 72 + bits) {
        if (at + 72 + bits > data + size) return size;
        if (data[0] % 2 == 0) {
            std::memset(at + 8, 0, 56);
            at[10] = 4, at[11] = 8, at[13] = 4, at[32] = 1;
            std::memcpy(at + 16, &blocks, 8);
        } else {
            const std::uint64_t words = bits / 8, keys = words < 64 ? words : 64;
            std::memset(at + 13, 0, 3), std::memset(at + 40, 0, 24);
            at[10] = words <= 64 && seed % 3 != 0 ? 3 : 4, at[11] = 0, at[12] = 1 + at[12] % 2 * 2;
            std::memcpy(at + 32, &keys, 8);
        }
    }
    return 1 + 2 * (72 + bits);
}
