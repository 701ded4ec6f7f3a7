// Maps of small keys and values, and join filters that a builder chooses for the keys that the
// bytes give, alone and as two parts.
#include <map>
#include <set>

#include "fuzz.hpp"

namespace {

using namespace simdbloom;

/// Pairs of two bytes: key and value.
void build_map(std::span<const std::byte> bytes) {
    KeyVector keys;
    std::vector<std::uint32_t> values;
    std::map<std::uint64_t, std::uint32_t> expected;
    bool conflict = false;
    for (std::size_t i = 1; i + 1 < bytes.size() && keys.size() < 200; i += 2) {
        keys.push_back(std::to_integer<std::uint64_t>(bytes[i]));
        values.push_back(std::to_integer<std::uint32_t>(bytes[i + 1]));
        conflict |= expected.try_emplace(keys.back(), values.back()).first->second != values.back();
    }
    try {
        const auto map = BloomierMap::build(
            keys, values, 8, 5, {},
            {.arity = bytes.empty() || (bytes[0] & std::byte{1}) == std::byte{0} ? 3u : 4u});
        must(!conflict && map.n_keys() == expected.size());
        for (const auto& [key, value] : expected) must(map.value_of(key) == value);
    } catch (const std::invalid_argument&) {
        must(conflict);
    }
}

/// Answers are those of a set where the kind is exact, and never lose a key.
void check(const JoinFilter& filter, const std::set<std::uint64_t>& keys) {
    using Kind = JoinFilter::Kind;
    const bool exact =
        filter.kind() == Kind::list || filter.kind() == Kind::bitmap || filter.kind() == Kind::none;
    KeyVector probes(keys.begin(), keys.end());
    for (const auto key : keys) probes.push_back(key + 1), probes.push_back(key - 1);
    std::vector<std::uint8_t> passes(probes.size());
    filter.bytes({probes}, passes);
    for (std::size_t i = 0; i < probes.size(); ++i) {
        const bool is_key = keys.contains(probes[i]);
        must(exact ? passes[i] == is_key : passes[i] >= is_key);
        const auto low = static_cast<std::int64_t>(probes[i]);
        const Prune said = filter.prune(low, low);
        must(is_key ? said != Prune::none : said != Prune::all || passes[i] != 0);
    }
    must(save(load<JoinFilter>(save(filter)).value()) == save(filter));
}

void build_joins(std::span<const std::byte> bytes) {
    std::set<std::uint64_t> all;
    JoinBuilder whole("auto", 0, 12), united("auto", 5'000, 12);
    for (const auto half : {bytes.first(bytes.size() / 2), bytes.subspan(bytes.size() / 2)}) {
        JoinBuilder part("auto", 5'000, 12);
        for (const KeyVector& run : runs_of(half)) {
            if (all.size() > 5'000) break;
            all.insert(run.begin(), run.end());
            part.insert({run});
            whole.insert({run});
        }
        united.unite(load<JoinFilter>(save(std::move(part).part())).value());
    }
    check(std::move(whole).finish(), all);
    check(std::move(united).part(), all);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    build_map(bytes);
    build_joins(bytes);
    return 0;
}
