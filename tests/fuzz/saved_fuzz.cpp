// load, load_file and view of arbitrary bytes, and of saved filters of every structure in which
// some bytes are others and the checksums fit again: whatever is taken must work.
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.hpp"
#include "simdbloom/detail/layout_traits.hpp"

namespace {

using namespace simdbloom;

struct Sample {
    Bytes bytes;
    std::vector<test::Checksum> checksums = test::checksums_of(bytes);
    std::vector<std::size_t> headers = [this] {  // where each begins, and a table
        std::vector<std::size_t> at;
        for (const auto& checksum : checksums) at.push_back(checksum.of[0].first);
        if (at.size() > 1) at.push_back(64);
        return at;
    }();
};

/// Filters of every layout and width, maps, growing filters that are empty, half full, grown and
/// with copies in the stash, series of one filter and of several, join filters of every kind, and
/// banks with rows of a part of a word and of several words.
const std::vector<Sample>& samples() {
    static const std::vector<Sample> all = [] {
        std::vector<Sample> made;
        const auto add = [&](Bytes saved) { made.push_back({std::move(saved)}); };
        for (const auto& traits : detail::layout_traits)
            for (const std::size_t n : {5u, 100u}) {
                auto filter = make_filter(traits.name, n, 30, n == 5 ? keyed() : Options{});
                filter.insert(some_keys(n));
                add(save(filter));
            }
        for (const auto& [r, f, arity] : {std::tuple{0u, 8u, 3u}, {5u, 6u, 4u}, {32u, 32u, 3u}}) {
            const std::vector<std::uint32_t> values(r == 0 ? 0 : 100, 21);
            add(save(BloomierMap::build(some_keys(100), values, r, f, {}, {.arity = arity})));
        }
        for (const char* spec : {"growing12", "growing16", "growing20"})
            for (const std::size_t n : {0u, 2000u, 9000u}) {
                GrowingCuckoo filter(100, {.spec = spec});
                filter.insert(some_keys(n));
                for (int copy = 0; n != 0 && copy < 8; ++copy)
                    (void)filter.try_insert(std::uint64_t{77});
                add(save(filter));
            }
        for (const char* spec : {"blocked512", "register64", "zoned512:z=4"})
            for (const std::size_t n : {5u, 100u}) {
                ScalableBloom series({.first_capacity = 20, .fpr = 0.01}, {.spec = spec});
                series.insert(some_keys(n));
                add(save(series));
            }
        KeyVector dense(1'000), runs(5'000);
        for (std::size_t i = 0; i < dense.size(); ++i) dense[i] = 100 + i;
        for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = i / 1'000 * 100'000 + i % 1'000;
        for (const KeyVector& keys : {KeyVector{}, some_keys(30), dense, runs})
            for (const bool hashed : {false, true}) {
                JoinBuilder builder("auto", 0, 12);
                builder.insert({keys, hashed});
                add(save(std::move(builder).finish()));
            }
        for (const auto& traits : detail::layout_traits)
            for (const std::size_t sets : {3u, 64u, 130u})
                if (Layout::parse(traits.name).is_bloom()) {
                    Options options = sets == 3 ? keyed() : Options{};
                    options.spec = traits.name;
                    auto bank = FilterBank::with_bits_per_key(sets, 20, 12, options);
                    for (std::size_t s = 0; s < sets; s += 2) bank.insert(s, some_keys(20));
                    add(save(bank));
                }
        std::vector<std::size_t> sizes(40, 2);
        sizes[3] = 100;
        for (const auto& options : {Options{}, keyed()}) {
            auto bank = CompactBank::with_bits_per_key(sizes, 12, options);
            for (std::size_t s = 0; s < 40; ++s) bank.insert(s, some_keys(sizes[s]));
            add(save(bank));
        }
        return made;
    }();
    return all;
}

void use(AnyFilter filter, std::span<const std::byte> saved, const Options& options) {
    must(std::ranges::equal(save(filter), saved));
    auto again = load(saved, options);
    KeyVector keys = some_keys(100);
    keys.insert(keys.end(), {0, 1, 2, ~std::uint64_t{0}, std::uint64_t{1} << 63});
    for (const Isa isa : usable_isas()) {
        filter.use_isa(isa);
        must_answer(filter, keys, keys.size(), [&](auto i) { return again->contains(keys[i]); });
    }
    must(filter.expected_fpr() >= 0 && filter.expected_fpr() <= 1 && filter.estimated_fpr() >= 0 &&
         filter.estimated_fpr() <= 1 && filter.bits_per_key() > 0);
    if (const auto* const of_layout = filter.get_if<FilterBase>())
        must(Layout::parse(filter.spec()) == of_layout->layout());
    if (const auto* const map = filter.get_if<BloomierMap>()) {
        std::vector<std::uint32_t> values(keys.size());
        must(map->lookup(keys, values) == map->count(keys) && map->slots() >= map->n_keys());
        for (std::size_t i = 0; i < keys.size(); ++i)
            must(values[i] == map->value_of(keys[i]).value_or(0) &&
                 std::uint64_t{values[i]} >> map->value_bits() == 0);
        return;
    }
    try {
        for (const auto key : keys)
            if (filter.try_insert(key)) must(filter.contains(key));
    } catch (const std::length_error&) {  // a series is bounded
        must(filter.get_if<ScalableBloom>() != nullptr);
    }
    const auto answers = filter.count(keys);
    must(load(save(filter), options).value().count(keys) == answers);
    if (auto* const growing = filter.get_if<GrowingCuckoo>())
        for (const auto key : keys) {
            const bool found = growing->contains(key);
            must(growing->erase(key) == found);
        }
}

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

template <class Bank>
void must_count_alike(Bank& bank, const KeyVector& keys) {
    std::vector<std::uint64_t> counts(bank.sets()), expected(bank.sets());
    for (const auto key : keys)
        for (const auto set : bank.select(key)) ++expected.at(set);
    for (const Isa isa : usable_isas()) {
        bank.use_isa(isa);
        bank.count_per_set(keys, counts);
        must(counts == expected);
    }
}

void use(FilterBank bank, std::span<const std::byte> saved) {
    must(std::ranges::equal(save(bank), saved) && saved_size(bank) == saved.size());
    must(bank.expected_fpr() >= 0 && bank.expected_fpr() <= 1 && bank.bits_per_key() > 0);
    const KeyVector keys = some_keys(50);
    must_count_alike(bank, keys);
    FilterBank copy = bank;
    copy.insert(copy.sets() - 1, keys);
    for (const auto key : keys) must(copy.select(key).back() == copy.sets() - 1);
}

void use(CompactBank bank, std::span<const std::byte> saved) {
    // A bank of one size is written as a bank of unequal sets.
    must(saved[4] == std::byte{'K'} || std::ranges::equal(save(bank), saved));
    const KeyVector keys = some_keys(50);
    must_count_alike(bank, keys);
    CompactBank copy = bank;
    for (std::size_t s = 0; s < copy.sets(); ++s)
        must(copy.expected_fpr(s) >= 0 && copy.expected_fpr(s) <= 1);
    const std::size_t added = copy.add_set(1);
    copy.insert(added, keys);
    for (const auto key : keys) must(copy.select(key).back() == added);
}

/// A file in memory that holds these bytes.
struct MemoryFile {
    int fd = ::memfd_create("saved", 0);
    std::string path = "/proc/self/fd/" + std::to_string(fd);
    explicit MemoryFile(std::span<const std::byte> bytes) {
        must(fd >= 0 &&
             ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    }
    ~MemoryFile() { ::close(fd); }
    MemoryFile(const MemoryFile&) = delete;
};

/// Every way to load takes the bytes, or none does.
void load_and_use(std::span<const std::byte> bytes) {
    Options options = bytes.size() >= 72 && bytes[13] == std::byte{2} ? keyed() : Options{};
    options.max_bytes = 1 << 20;
    auto loaded = load(bytes, options);
    must(load_file(MemoryFile(bytes).path, options).has_value() == loaded.has_value());
    must(loaded.has_value() || !loaded.error().message.empty());
    void* const memory = std::aligned_alloc(64, (bytes.size() + 127) / 64 * 64);
    const std::span<std::byte> copy(static_cast<std::byte*>(memory), bytes.size());
    std::ranges::copy(bytes, copy.begin());
    auto frozen = view<FrozenFilter>(copy, options);
    auto map = view<BloomierMap>(copy, options);
    must(frozen.has_value() == (loaded && loaded->get_if<FilterBase>() != nullptr));
    must(map.has_value() == (loaded && loaded->get_if<BloomierMap>() != nullptr));
    if (frozen) use(**frozen, bytes, options);
    if (map) use(AnyFilter(std::move(*map)), bytes, options);
    if (loaded) use(std::move(*loaded), bytes, options);
    const auto join = load<JoinFilter>(bytes, options);
    if (join) use(*join, bytes);
    else must(!join.error().message.empty());
    auto bank = load<FilterBank>(bytes, options);
    auto bank_there = view<FilterBank>(copy, options);
    must(bank.has_value() == bank_there.has_value());
    if (bank) use(std::move(*bank), bytes);
    else must(!bank.error().message.empty());
    if (bank_there) use(std::move(*bank_there), bytes);
    auto compact = load<CompactBank>(bytes, options);
    must(compact.has_value() == view<CompactBank>(copy, options).has_value());
    must(compact.has_value() || !compact.error().message.empty());
    if (compact) use(std::move(*compact), bytes);
    std::free(memory);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    load_and_use(std::as_bytes(std::span(data, size)));
    if (size == 0) return 0;
    // A saved filter, and three bytes for each change: where, in a header or anywhere, and to what.
    const Sample& sample = samples()[data[0] % samples().size()];
    Bytes changed = sample.bytes;
    for (std::size_t i = 1; i + 3 <= size; i += 3) change(changed, sample.headers, data + i);
    if (sample.headers.size() == 1)
        mend_header(changed, std::span<const unsigned char, 8>(
                                 reinterpret_cast<const unsigned char*>(sample.bytes.data()), 8));
    test::sign(changed, sample.checksums);
    load_and_use(changed);
    return 0;
}
