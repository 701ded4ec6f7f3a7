// unite_saved of arbitrary bytes, of parts and filters whose keys the bytes give, and of these with
// some bytes changed and checksums that fit: `into` stays as it was on an error, and a union lets
// pass what either lets pass.
#include "fuzz.hpp"

namespace {

using namespace simdbloom;

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

/// Part `number` of a join filter of these runs of keys.
Bytes part(std::span<const std::byte> runs, std::size_t number, std::size_t parts) {
    JoinBuilder builder("auto", 2'000, 12, {.seed = 3});
    for (const KeyVector& run : runs_of(runs)) builder.insert({run});
    return save_part(std::move(builder).part(), number, parts);
}
Bytes filter(std::span<const std::byte> runs) {
    AnyFilter made = make_filter("split256", 20, 12);
    for (const KeyVector& run : runs_of(runs)) made.insert(run);
    return save(made);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const unsigned what = data[0];
    const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
    const std::size_t half = bytes.size() / 2, parts = 1 + what % 4;
    const Bytes a(bytes.data(), bytes.data() + half),
        b(bytes.data() + half, bytes.data() + bytes.size());
    unite(a, b);
    Bytes x = what % 8 < 4 ? part(a, 0, parts) : filter(a),
          y = what % 8 < 4 ? part(b, parts - 1, parts) : filter(b);
    unite(x, y);
    unite(x, b);
    unite(a, y);
    // The last bytes change both.
    for (std::size_t i = 1; 6 * i < size && i <= what / 8 % 8; ++i) {
        change(x, {0}, data + size - 6 * i);
        change(y, {0}, data + size - 6 * i + 3);
    }
    for (Bytes* of : {&x, &y})
        if (what % 8 < 4) forge(*of, {0x89, 'S', 'B', 'J', 'F', '\r', '\n', 0x1A});
        else forge(*of, {0x89, 'S', 'B', 'L', 'M', '\r', '\n', 0x1A});
    unite(x, y);
    unite(y, x);
    return 0;
}
