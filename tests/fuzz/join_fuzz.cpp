// load<JoinFilter> of arbitrary bytes, and of the same bytes with a checksum that fits; and join
// filters that a builder chooses for the keys that the bytes give, alone and as two parts.
#include <set>

#include "fuzz.hpp"

namespace {

using namespace simdbloom;
using KeyVector = std::vector<std::uint64_t>;

void use(const JoinFilter& filter, std::span<const std::byte> saved) {
    must(std::ranges::equal(save(filter), saved) && saved_size(filter) == saved.size());
    must(!filter.why().empty() && filter.estimated_fpr() >= 0 && filter.estimated_fpr() <= 1);
    KeyVector probes(200);
    for (std::size_t i = 0; i < probes.size(); ++i)
        probes[i] = (i % 2 != 0 && filter.range() ? filter.range()->low : 0) + i / 2 - 10;
    const bool of_hashes = filter.kind() == JoinFilter::Kind::list && !filter.range();
    std::vector<std::uint32_t> rows(probes.size());
    const JoinColumn column{probes, of_hashes};
    rows.resize(filter.select(column, rows));
    must(filter.count(column) == rows.size());
    // Others find absent keys beyond their range too.
    if (of_hashes || filter.kind() == JoinFilter::Kind::prefix || filter.filter() != nullptr)
        return;
    for (const auto row : rows) must(filter.prune(probes[row], probes[row]) != Prune::none);
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
    use(load<JoinFilter>(save(filter)).value(), save(filter));
}

/// Runs of keys: a byte for the gap before, in powers of two, and one for the length.
void build(std::span<const std::byte> bytes) {
    std::set<std::uint64_t> all;
    JoinBuilder whole("auto", 0, 12), united("auto", 5'000, 12);
    std::uint64_t key = 0;
    for (std::size_t half = 0; half < 2; ++half) {
        JoinBuilder part("auto", 5'000, 12);
        for (std::size_t i = half; i + 1 < bytes.size() && all.size() < 5'000; i += 4) {
            key += std::uint64_t{1} << std::to_integer<unsigned>(bytes[i]) % 64;
            KeyVector run(std::to_integer<std::size_t>(bytes[i + 1]));
            for (auto& k : run) k = key++;
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
    if (const auto loaded = load<JoinFilter>(bytes)) use(*loaded, bytes);
    build(bytes);
    if (size < 72) return 0;
    std::vector<std::byte> copy(bytes.begin(), bytes.end());
    forge(copy, {0x89, 'S', 'B', 'J', 'F', '\r', '\n', 0x1A});
    const auto loaded = load<JoinFilter>(copy);
    if (loaded) use(*loaded, copy);
    else must(!loaded.error().message.empty());
    return 0;
}

// Most mutations give the header parameters that fit each other and the size.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 4 == 0 || size < 80) return size;
    const std::uint64_t words = (size - 72) / 8;
    const bool list = seed / 4 % 2 == 0;
    data[10] = list ? 3 : 4;
    data[11] = list ? 0 : data[11] % 64;
    data[12] = static_cast<std::uint8_t>(list ? 1 + data[12] % 4 : 1 + data[12] % 2 * 2);
    std::memset(data + 13, 0, 3), std::memset(data + 40, 0, 24);
    if (!list) {
        const std::uint64_t high =
            detail::load_le<std::uint64_t>(reinterpret_cast<std::byte*>(data) + 16) +
            ((64 * words - 1) << data[11]);
        std::memcpy(data + 24, &high, 8);
    }
    std::memcpy(data + 32, &words, 8);
    return 72 + 8 * words;
}
