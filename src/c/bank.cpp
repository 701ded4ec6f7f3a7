// Banks for C.
#include <algorithm>
#include <utility>

#include "c/calls.hpp"
#include "simdbloom/bank/compact_bank.hpp"

using namespace simdbloom::detail::c;
using simdbloom::CompactBank;
using simdbloom::FilterBase;

struct simdbloom_bank {
    CompactBank bank;
};

namespace {

CompactBank& bank_of(simdbloom_bank* bank) { return pointee(bank, "simdbloom: bank is NULL").bank; }
const CompactBank& bank_of(const simdbloom_bank* bank) {
    return pointee(bank, "simdbloom: bank is NULL").bank;
}

/// The keys that a set is for, which C gives as 64 bits on every machine.
std::size_t size_of(std::uint64_t keys) {
    if (std::in_range<std::size_t>(keys)) return static_cast<std::size_t>(keys);
    throw std::length_error("simdbloom: a set of " + std::to_string(keys) +
                            " keys is more than this machine can address");
}

template <class Make>
simdbloom_status create_bank(simdbloom_bank** to, const Make& make) {
    return guarded([&] {
        (void)pointee(to, "simdbloom: there is no place for the bank");
        *to = new simdbloom_bank{make()};
    });
}
/// make(sizes of the sets, options) makes the bank.
template <class Make>
simdbloom_status create_bank(const char* spec, const std::uint64_t* keys, std::size_t sets,
                             const simdbloom_options* given, simdbloom_bank** to,
                             const Make& make) {
    return create_bank(to, [&] {
        const auto all = keys_of(keys, sets);
        simdbloom::Options options = options_of(given);
        options.fold_levels = 0;
        if (spec != nullptr) options.spec = spec;
        std::vector<std::size_t> sizes(all.size());
        std::ranges::transform(all, sizes.begin(), size_of);
        return make(sizes, options);
    });
}

/// Writes the sets, for which there is room unless `to` is null.
void hand_over(const std::vector<std::uint32_t>& sets, std::uint32_t* to, std::size_t* found) {
    place_of(found) = sets.size();
    if (to != nullptr) std::ranges::copy(sets, to);
}

}  // namespace

extern "C" {

simdbloom_status simdbloom_bank_create(const char* spec, const uint64_t* keys, size_t sets,
                                       double bits_per_key, const simdbloom_options* options,
                                       simdbloom_bank** bank) {
    return create_bank(spec, keys, sets, options, bank, [&](const auto& sizes, const auto& chosen) {
        return CompactBank::with_bits_per_key(sizes, bits_per_key, chosen);
    });
}
simdbloom_status simdbloom_bank_create_for_fpr(const char* spec, const uint64_t* keys, size_t sets,
                                               double fpr, const simdbloom_options* options,
                                               simdbloom_bank** bank) {
    return create_bank(spec, keys, sets, options, bank, [&](const auto& sizes, const auto& chosen) {
        return CompactBank::for_fpr(sizes, fpr, chosen);
    });
}
simdbloom_status simdbloom_bank_of(const simdbloom_filter* const* filters, size_t n,
                                   const simdbloom_options* options, simdbloom_bank** bank) {
    return create_bank(bank, [&] {
        std::vector<const FilterBase*> all;
        for (const auto* filter : span_of(filters, n, "simdbloom: filters is NULL"))
            all.push_back(&pointee(filter, "simdbloom: a filter is NULL").filter.base());
        const simdbloom::Options chosen = options_of(options);
        return CompactBank::of_one_size(simdbloom::FilterBank::of(all, chosen), chosen);
    });
}
simdbloom_status simdbloom_bank_copy(const simdbloom_bank* from, simdbloom_bank** bank) {
    return create_bank(bank, [&] { return bank_of(from); });
}
void simdbloom_bank_free(simdbloom_bank* bank) { delete bank; }

simdbloom_status simdbloom_bank_insert(simdbloom_bank* bank, size_t set, const uint64_t* keys,
                                       size_t n, int hashed) {
    return guarded([&] { bank_of(bank).insert(set, keys_of(keys, n, hashed)); });
}
simdbloom_status simdbloom_bank_insert_bytes(simdbloom_bank* bank, size_t set, const void* key,
                                             size_t length) {
    return guarded([&] { bank_of(bank).insert(set, bytes_of(key, length)); });
}
simdbloom_status simdbloom_bank_add_set(simdbloom_bank* bank, uint64_t keys, size_t* set) {
    return guarded([&] {
        CompactBank& b = bank_of(bank);
        size_t& out = pointee(set, "simdbloom: set is NULL");  // before there is a set
        out = b.add_set(size_of(keys));
    });
}
simdbloom_status simdbloom_bank_resize(simdbloom_bank* bank, size_t sets, uint64_t keys) {
    return guarded([&] { bank_of(bank).resize(sets, size_of(keys)); });
}
simdbloom_status simdbloom_bank_clear_set(simdbloom_bank* bank, size_t set) {
    return guarded([&] { bank_of(bank).clear_set(set); });
}
simdbloom_status simdbloom_bank_clear(simdbloom_bank* bank) {
    return guarded([&] { bank_of(bank).clear(); });
}

simdbloom_status simdbloom_bank_contains(const simdbloom_bank* bank, const uint64_t* keys, size_t n,
                                         int hashed, uint8_t* bitmaps) {
    return guarded([&] {
        const CompactBank& b = bank_of(bank);
        const auto all = keys_of(keys, n, hashed);
        b.contains(all, span_of(bitmaps, n * b.bitmap_bytes(), "simdbloom: bitmaps is NULL"));
    });
}
simdbloom_status simdbloom_bank_contains_bytes(const simdbloom_bank* bank, const void* key,
                                               size_t length, uint8_t* bitmap) {
    return guarded([&] {
        const CompactBank& b = bank_of(bank);
        b.contains(bytes_of(key, length),
                   span_of(bitmap, b.bitmap_bytes(), "simdbloom: bitmap is NULL"));
    });
}
simdbloom_status simdbloom_bank_select(const simdbloom_bank* bank, uint64_t key, uint32_t* sets,
                                       size_t* found) {
    return guarded([&] { hand_over(bank_of(bank).select(key), sets, found); });
}
simdbloom_status simdbloom_bank_select_sets(const simdbloom_bank* bank, const uint64_t* keys,
                                            size_t n, int hashed, size_t least, uint32_t* sets,
                                            size_t* found) {
    return guarded([&] {
        hand_over(bank_of(bank).select_sets(keys_of(keys, n, hashed), least), sets, found);
    });
}
simdbloom_status simdbloom_bank_count_per_set(const simdbloom_bank* bank, const uint64_t* keys,
                                              size_t n, int hashed, uint64_t* counts) {
    return guarded([&] {
        const CompactBank& b = bank_of(bank);
        b.count_per_set(keys_of(keys, n, hashed),
                        span_of(counts, b.sets(), "simdbloom: counts is NULL"));
    });
}

size_t simdbloom_bank_saved_size(const simdbloom_bank* bank) {
    return bank == nullptr ? 0 : saved_size(bank->bank);
}
simdbloom_status simdbloom_bank_save(const simdbloom_bank* bank, void* bytes, size_t size) {
    return guarded([&] { save(bank_of(bank), room_of(bytes, size)); });
}
simdbloom_status simdbloom_bank_load(const void* bytes, size_t size,
                                     const simdbloom_options* options, simdbloom_bank** bank) {
    return create_bank(bank, [&] {
        return loaded(simdbloom::load<CompactBank>(bytes_of(bytes, size), options_of(options)));
    });
}
simdbloom_status simdbloom_bank_save_file(const simdbloom_bank* bank, const char* path) {
    return guarded([&] { save_file(bank_of(bank), path_of(path)); });
}
simdbloom_status simdbloom_bank_load_file(const char* path, const simdbloom_options* options,
                                          simdbloom_bank** bank) {
    return create_bank(bank, [&] {
        return loaded(simdbloom::load_file<CompactBank>(path_of(path), options_of(options)));
    });
}
simdbloom_status simdbloom_bank_map_file(const char* path, const simdbloom_options* options,
                                         simdbloom_bank** bank) {
    return create_bank(bank, [&] {
        return loaded(simdbloom::map_file<CompactBank>(path_of(path), options_of(options)));
    });
}

size_t simdbloom_bank_sets(const simdbloom_bank* bank) {
    return bank == nullptr ? 0 : bank->bank.sets();
}
size_t simdbloom_bank_bitmap_bytes(const simdbloom_bank* bank) {
    return bank == nullptr ? 0 : bank->bank.bitmap_bytes();
}
size_t simdbloom_bank_size_in_bytes(const simdbloom_bank* bank) {
    return bank == nullptr ? 0 : bank->bank.size_in_bytes();
}
double simdbloom_bank_expected_fpr(const simdbloom_bank* bank, size_t set) {
    return bank == nullptr ? 0 : number([&] { return bank->bank.expected_fpr(set); });
}

}  // extern "C"
