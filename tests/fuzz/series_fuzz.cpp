// load<ScalableBloom> and load_file<ScalableBloom> of arbitrary bytes, and of saved series in which
// some bytes are others and the checksums fit again: whatever is taken must work.
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.hpp"

namespace {

using namespace simdbloom;

constexpr std::size_t header = 64, entry = 16, checksum = 8;

/// A file in memory that holds these bytes.
struct MemoryFile {
    int fd = ::memfd_create("series", 0);
    std::string path = "/proc/self/fd/" + std::to_string(fd);
    explicit MemoryFile(std::span<const std::byte> bytes) {
        must(fd >= 0 &&
             ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    }
    ~MemoryFile() { ::close(fd); }
    MemoryFile(const MemoryFile&) = delete;
};

const Options bounded{.max_bytes = 1 << 20};

/// Series of one filter and of several, of three families.
const std::vector<std::vector<std::byte>>& saved_series() {
    static const auto all = [] {
        std::vector<std::vector<std::byte>> made;
        for (const char* spec : {"blocked512", "register64", "zoned512:z=4"})
            for (const std::uint64_t keys : {5u, 100u}) {
                ScalableBloom series({.first_capacity = 20, .fpr = 0.01}, {.spec = spec});
                for (std::uint64_t i = 0; i < keys; ++i) series.insert(i);
                made.push_back(save(series));
            }
        return made;
    }();
    return all;
}

/// Where each filter begins, and the end.
std::vector<std::size_t> places_of(std::span<const std::byte> bytes) {
    const auto n = static_cast<std::size_t>(detail::load_le<std::uint64_t>(bytes.data() + 16));
    std::vector<std::size_t> at{header + entry * n + checksum};
    for (std::size_t i = 0; i < n; ++i)
        at.push_back(at.back() + static_cast<std::size_t>(detail::load_le<std::uint64_t>(
                                     bytes.data() + header + entry * i + 8)));
    return at;
}

void sign(std::span<std::byte> bytes, std::span<const std::size_t> places) {
    const std::span<const std::byte> all(bytes);
    detail::store_le(bytes.data() + places[0] - checksum,
                     hash_bytes(all.first(places[0] - checksum)));
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
        const auto filter = all.subspan(places[i], places[i + 1] - places[i]);
        const auto bits = filter.subspan(64, filter.size() - 72);
        detail::store_le(bytes.data() + places[i + 1] - 8,
                         hash_bytes(bits, hash_bytes(filter.first(64))));
    }
}

void use(ScalableBloom series) {
    must(series.fpr_bound() > 0 && series.fpr_bound() <= 1 && series.capacity() >= series.stored());
    must(series.expected_fpr() >= 0 && series.expected_fpr() <= 1);
    must(series.estimated_fpr() >= 0 && series.estimated_fpr() <= 1);
    std::vector<std::uint64_t> keys(130);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = hash_key(i + 1000);
    for (const Isa isa : usable_isas()) {
        series.use_isa(isa);
        must_answer(series, keys, keys.size(), [&](auto i) { return series.contains(keys[i]); });
    }
    const auto stored = series.stored();
    try {
        for (const auto key : keys) {
            series.insert(key);
            must(series.contains(key));
        }
    } catch (const std::length_error&) {  // the series is bounded
    }
    must(series.stored() >= stored && series.stored() <= stored + keys.size());
    const auto bytes = save(series);
    auto again = load_file<ScalableBloom>(MemoryFile(bytes).path);
    must(again.has_value() && again->stored() == series.stored() &&
         again->count(keys) == series.count(keys));
}

void load_and_use(std::span<const std::byte> bytes) {
    const MemoryFile file(bytes);
    auto loaded = load_file<ScalableBloom>(file.path, bounded);
    const bool taken = loaded.has_value();
    if (loaded) use(std::move(*loaded));
    else must(!loaded.error().message.empty());
    must(load<ScalableBloom>(bytes, bounded).has_value() == taken);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    load_and_use(std::as_bytes(std::span(data, size)));
    if (size == 0) return 0;
    // A saved series, and three bytes for each change: where, and to what. Half of the changes go
    // into the head, half of the rest into the headers of the filters.
    auto bytes = saved_series()[data[0] % saved_series().size()];
    const auto places = places_of(bytes);
    for (std::size_t i = 1; i + 3 <= size; i += 3) {
        const std::size_t at = data[i] * 256u + data[i + 1];
        const std::size_t filter = places[at / 4 % (places.size() - 1)];
        const std::size_t place = (at & 1) != 0   ? at / 2 % places[0]
                                  : (at & 2) != 0 ? filter + at / 64 % 64
                                                  : at / 4 % bytes.size();
        bytes[place] = static_cast<std::byte>(data[i + 2]);
    }
    sign(bytes, places);
    load_and_use(bytes);
    return 0;
}
