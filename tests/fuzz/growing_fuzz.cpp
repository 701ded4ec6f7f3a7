// load<GrowingCuckoo> of arbitrary bytes, and of saved filters in which some bytes are others and
// the checksum fits again: whatever is taken must work.
#include "fuzz.hpp"
#include "simdbloom/growing/growing_cuckoo.hpp"

namespace {

using namespace simdbloom;

std::vector<std::uint64_t> some_keys(std::size_t n) {
    std::vector<std::uint64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = hash_key(i);
    return keys;
}

struct Saved {
    std::vector<std::byte> bytes;
    std::size_t stash_bytes;
};

/// Filters of every width: empty, half full, grown, and with copies in the stash.
const std::vector<Saved>& saved_filters() {
    static const std::vector<Saved> all = [] {
        std::vector<Saved> made;
        for (const char* spec : {"growing12", "growing16", "growing20"})
            for (const std::size_t keys : {0u, 2000u, 9000u}) {
                GrowingCuckoo filter(100, {.spec = spec});
                filter.insert(some_keys(keys));
                if (keys != 0)
                    for (int copy = 0; copy < 8; ++copy) (void)filter.try_insert(std::uint64_t{77});
                made.push_back({save(filter), 8 * filter.stashed()});
            }
        return made;
    }();
    return all;
}

void sign(std::vector<std::byte>& bytes, std::size_t stash_bytes) {
    const auto all = std::span<const std::byte>(bytes);
    const auto bits = all.subspan(64, all.size() - 72 - stash_bytes),
               stash = all.subspan(all.size() - 8 - stash_bytes, stash_bytes);
    detail::store_le(bytes.data() + bytes.size() - 8,
                     hash_bytes(stash, hash_bytes(bits, hash_bytes(all.first(64)))));
}

void use(GrowingCuckoo filter) {
    auto again = load<GrowingCuckoo>(save(filter));
    must(again.has_value() && again->stored() == filter.stored());
    const auto keys = some_keys(100);
    for (const Isa isa : usable_isas()) {
        filter.use_isa(isa);
        must_answer(filter, keys, keys.size(), [&](auto i) { return again->contains(keys[i]); });
    }
    must(filter.expected_fpr() >= 0 && filter.expected_fpr() <= 1);
    for (const auto key : keys)
        if (filter.place(key) == InsertResult::yes) must(filter.contains(key));
    for (const auto key : keys) {
        const bool found = filter.contains(key);
        must(filter.erase(key) == found);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (auto loaded = load<GrowingCuckoo>(std::as_bytes(std::span(data, size))))
        use(std::move(*loaded));
    if (size == 0) return 0;
    // A saved filter, and three bytes for each change: where, in the header or anywhere, and to
    // what.
    Saved saved = saved_filters()[data[0] % saved_filters().size()];
    for (std::size_t i = 1; i + 3 <= size; i += 3) {
        const std::size_t at = data[i] * 256u + data[i + 1];
        saved.bytes[(at & 1) != 0 ? at / 2 % 64 : at % saved.bytes.size()] =
            static_cast<std::byte>(data[i + 2]);
    }
    sign(saved.bytes, saved.stash_bytes);
    auto loaded = load<GrowingCuckoo>(saved.bytes);
    if (loaded) use(std::move(*loaded));
    else must(!loaded.error().message.empty());
    return 0;
}
