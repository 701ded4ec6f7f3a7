#include "simdbloom.h"

#include <new>
#include <system_error>

#include "simdbloom/bank/compact_bank.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/join/join.hpp"
#include "simdbloom/version.hpp"

using simdbloom::AnyFilter;
using simdbloom::CompactBank;
using simdbloom::JoinColumn;
using simdbloom::JoinFilter;

struct simdbloom_filter {
    AnyFilter filter;
    std::string spec;
};
struct simdbloom_bank {
    CompactBank bank;
};

namespace {

// Not a std::string: an error message must not need memory.
thread_local char last_error[256] = "";

simdbloom_status failed(simdbloom_status status, std::string_view message) noexcept {
    last_error[message.copy(last_error, sizeof last_error - 1)] = '\0';
    return status;
}

/// Runs work that may throw, and returns the status.
template <class Work>
simdbloom_status guarded(const Work& work) noexcept {
    try {
        work();
        return SIMDBLOOM_OK;
    } catch (const std::length_error& e) {
        return failed(SIMDBLOOM_LENGTH, e.what());
    } catch (const std::out_of_range& e) {
        return failed(SIMDBLOOM_LENGTH, e.what());
    } catch (const std::bad_alloc& e) {
        return failed(SIMDBLOOM_MEMORY, e.what());
    } catch (const std::invalid_argument& e) {
        return failed(SIMDBLOOM_INVALID, e.what());
    } catch (const std::system_error& e) {
        return failed(SIMDBLOOM_SYSTEM, e.what());
    } catch (const std::runtime_error& e) {
        return failed(SIMDBLOOM_DATA, e.what());
    } catch (const std::exception& e) {
        return failed(SIMDBLOOM_INVALID, e.what());
    }
}

/// The object behind a pointer; `what` is the error if it is null.
template <class T>
T& pointee(T* pointer, const char* what) {
    if (pointer == nullptr) throw std::invalid_argument(what);
    return *pointer;
}

AnyFilter& filter_of(simdbloom_filter* filter) {
    return pointee(filter, "simdbloom: filter is NULL").filter;
}
const AnyFilter& filter_of(const simdbloom_filter* filter) {
    return pointee(filter, "simdbloom: filter is NULL").filter;
}

CompactBank& bank_of(simdbloom_bank* bank) { return pointee(bank, "simdbloom: bank is NULL").bank; }
const CompactBank& bank_of(const simdbloom_bank* bank) {
    return pointee(bank, "simdbloom: bank is NULL").bank;
}

/// n elements at `pointer`, which may be null for n = 0.
template <class T>
std::span<T> span_of(T* pointer, std::size_t n, const char* name) {
    if (n != 0) (void)pointee(pointer, name);
    return {pointer, n};
}
std::span<const std::uint64_t> keys_of(const std::uint64_t* keys, std::size_t n) {
    return span_of(keys, n, "simdbloom: keys is NULL");
}
std::span<const std::byte> bytes_of(const void* bytes, std::size_t n) {
    return span_of(static_cast<const std::byte*>(bytes), n, "simdbloom: bytes is NULL");
}

/// A number whose computation may throw: NaN then, with the message in simdbloom_error().
template <class Compute>
double number(const Compute& compute) noexcept {
    double result = std::numeric_limits<double>::quiet_NaN();
    (void)guarded([&] { result = compute(); });
    return result;
}

class NoMemory : public std::bad_alloc {
public:
    explicit NoMemory(std::string_view text) noexcept {
        text_[text.copy(text_, sizeof text_ - 1)] = '\0';
    }
    const char* what() const noexcept override { return text_; }

private:
    char text_[256];
};

/// What was loaded, or throws the fault.
template <class F>
F loaded(simdbloom::Loaded<F> filter) {
    if (!filter && filter.error().fault == simdbloom::LoadFault::memory)
        throw NoMemory(filter.error().message);
    return std::move(filter).value();
}

simdbloom::Options options_of(const simdbloom_options* given) {
    simdbloom::Options options;
    if (given == nullptr) return options;
    options.seed = given->seed;
    if (given->isa != nullptr) options.isa = simdbloom::parse_isa(given->isa);
    options.max_bytes = given->max_bytes;
    options.fold_levels = given->fold_levels;
    if (given->secret != nullptr) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(given->secret);
        options.hashing = simdbloom::Hashing::keyed;
        options.secret = simdbloom::Secret{simdbloom::detail::load_le<std::uint64_t>(bytes),
                                           simdbloom::detail::load_le<std::uint64_t>(bytes + 8)};
    }
    return options;
}

void hand_over(AnyFilter filter, simdbloom_filter** to) {
    std::string spec = filter.spec();
    *to = new simdbloom_filter{std::move(filter), std::move(spec)};
}

template <class Make>
simdbloom_status create(const char* spec, simdbloom_filter** to, const Make& make) {
    return guarded([&] {
        (void)pointee(spec, "simdbloom: spec is NULL");
        (void)pointee(to, "simdbloom: there is no place for the filter");
        hand_over(make(), to);
    });
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
        return make(std::vector<std::size_t>(all.begin(), all.end()), options);
    });
}

/// Writes the sets, for which there is room unless `to` is null.
void hand_over(const std::vector<std::uint32_t>& sets, std::uint32_t* to, std::size_t* found) {
    pointee(found, "simdbloom: found is NULL") = sets.size();
    if (to != nullptr) std::ranges::copy(sets, to);
}

}  // namespace

extern "C" {

const char* simdbloom_error(void) { return last_error; }
const char* simdbloom_version(void) { return simdbloom::version.data(); }

simdbloom_status simdbloom_create(const char* spec, uint64_t n_keys, double bits_per_key,
                                  const simdbloom_options* options, simdbloom_filter** filter) {
    return create(spec, filter, [&] {
        return simdbloom::make_filter(spec, n_keys, bits_per_key, options_of(options));
    });
}
simdbloom_status simdbloom_create_for_fpr(const char* spec, uint64_t n_keys, double fpr,
                                          const simdbloom_options* options,
                                          simdbloom_filter** filter) {
    return create(spec, filter, [&] {
        return simdbloom::make_filter_for_fpr(spec, n_keys, fpr, options_of(options));
    });
}
simdbloom_status simdbloom_copy(const simdbloom_filter* from, simdbloom_filter** filter) {
    return create("", filter, [&] { return filter_of(from); });
}
void simdbloom_free(simdbloom_filter* filter) { delete filter; }

simdbloom_status simdbloom_insert(simdbloom_filter* filter, const uint64_t* keys, size_t n,
                                  int hashed, unsigned threads) {
    return guarded([&] {
        AnyFilter& f = filter_of(filter);
        const auto all = keys_of(keys, n);
        if (threads != 1) parallel_insert(f, {all, hashed != 0}, threads);
        else f.insert({all, hashed != 0});
    });
}
simdbloom_status simdbloom_insert_bytes(simdbloom_filter* filter, const void* key, size_t length) {
    return guarded([&] { filter_of(filter).insert(bytes_of(key, length)); });
}
simdbloom_status simdbloom_erase(simdbloom_filter* filter, const uint64_t* keys, size_t n,
                                 int hashed, size_t* erased) {
    return guarded([&] {
        AnyFilter& f = filter_of(filter);
        const auto all = keys_of(keys, n);
        size_t& out = pointee(erased, "simdbloom: erased is NULL");  // before a key goes
        out = f.erase({all, hashed != 0});
    });
}
simdbloom_status simdbloom_erase_bytes(simdbloom_filter* filter, const void* key, size_t length,
                                       size_t* erased) {
    return guarded([&] {
        AnyFilter& f = filter_of(filter);
        size_t& out = pointee(erased, "simdbloom: erased is NULL");  // before a key goes
        out = f.erase(bytes_of(key, length));
    });
}
simdbloom_status simdbloom_clear(simdbloom_filter* filter) {
    return guarded([&] { filter_of(filter).clear(); });
}

simdbloom_status simdbloom_contains(const simdbloom_filter* filter, uint64_t key, int* found) {
    return guarded(
        [&] { pointee(found, "simdbloom: found is NULL") = filter_of(filter).contains(key); });
}
simdbloom_status simdbloom_contains_bytes(const simdbloom_filter* filter, const void* key,
                                          size_t length, int* found) {
    return guarded([&] {
        pointee(found, "simdbloom: found is NULL") =
            filter_of(filter).contains(bytes_of(key, length));
    });
}
simdbloom_status simdbloom_count(const simdbloom_filter* filter, const uint64_t* keys, size_t n,
                                 int hashed, size_t* found) {
    return guarded([&] {
        const AnyFilter& f = filter_of(filter);
        const auto all = keys_of(keys, n);
        pointee(found, "simdbloom: found is NULL") = f.count({all, hashed != 0});
    });
}
simdbloom_status simdbloom_bitmap(const simdbloom_filter* filter, const uint64_t* keys, size_t n,
                                  int hashed, uint8_t* bitmap, size_t* found) {
    return guarded([&] {
        const AnyFilter& f = filter_of(filter);
        const auto all = keys_of(keys, n);
        const auto bits = span_of(bitmap, n / 8 + (n % 8 != 0), "simdbloom: bitmap is NULL");
        pointee(found, "simdbloom: found is NULL") = f.contains({all, hashed != 0}, bits);
    });
}
simdbloom_status simdbloom_select(const simdbloom_filter* filter, const uint64_t* keys, size_t n,
                                  int hashed, uint32_t* positions, size_t* found) {
    return guarded([&] {
        const AnyFilter& f = filter_of(filter);
        const auto all = keys_of(keys, n);
        const auto out = span_of(positions, n, "simdbloom: positions is NULL");
        pointee(found, "simdbloom: found is NULL") = f.select({all, hashed != 0}, out);
    });
}
simdbloom_status simdbloom_select_rows(const simdbloom_filter* filter, const uint64_t* keys,
                                       size_t n, int hashed, const uint8_t* valid,
                                       const uint32_t* rows, size_t n_rows, uint32_t* out,
                                       size_t* found) {
    return guarded([&] {
        // A JoinFilter that must not free the caller's filter.
        const JoinFilter f(simdbloom::FrozenFilter(
            std::shared_ptr<const AnyFilter>(std::shared_ptr<void>(), &filter_of(filter))));
        const JoinColumn column{keys_of(keys, n), hashed != 0, valid};
        pointee(found, "simdbloom: found is NULL") =
            f.select(column, span_of(rows, n_rows, "simdbloom: rows is NULL"),
                     span_of(out, n_rows, "simdbloom: out is NULL"));
    });
}

simdbloom_status simdbloom_unite(simdbloom_filter* into, const simdbloom_filter* from) {
    return guarded([&] { filter_of(into) |= filter_of(from); });
}

size_t simdbloom_saved_size(const simdbloom_filter* filter) {
    return filter == nullptr ? 0 : saved_size(filter->filter);
}
simdbloom_status simdbloom_save(const simdbloom_filter* filter, void* bytes, size_t size) {
    return guarded([&] {
        save(filter_of(filter),
             span_of(static_cast<std::byte*>(bytes), size, "simdbloom: bytes is NULL"));
    });
}
simdbloom_status simdbloom_load(const void* bytes, size_t size, const simdbloom_options* options,
                                simdbloom_filter** filter) {
    return create("", filter, [&] {
        return loaded(simdbloom::load(bytes_of(bytes, size), options_of(options)));
    });
}
simdbloom_status simdbloom_save_file(const simdbloom_filter* filter, const char* path) {
    return guarded(
        [&] { save_file(filter_of(filter), &pointee(path, "simdbloom: path is NULL")); });
}
simdbloom_status simdbloom_load_file(const char* path, const simdbloom_options* options,
                                     simdbloom_filter** filter) {
    return create(path, filter,
                  [&] { return loaded(simdbloom::load_file(path, options_of(options))); });
}

const char* simdbloom_spec(const simdbloom_filter* filter) {
    return filter == nullptr ? "" : filter->spec.c_str();
}
const char* simdbloom_isa(const simdbloom_filter* filter) {
    return filter == nullptr ? "" : simdbloom::to_string(filter->filter.isa()).data();
}
size_t simdbloom_size_in_bytes(const simdbloom_filter* filter) {
    return filter == nullptr ? 0 : filter->filter.size_in_bytes();
}
double simdbloom_expected_fpr(const simdbloom_filter* filter) {
    return filter == nullptr ? 0 : number([&] { return filter->filter.expected_fpr(); });
}
double simdbloom_estimated_fpr(const simdbloom_filter* filter) {
    return filter == nullptr ? 0 : number([&] { return filter->filter.estimated_fpr(); });
}

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
simdbloom_status simdbloom_bank_copy(const simdbloom_bank* from, simdbloom_bank** bank) {
    return create_bank(bank, [&] { return bank_of(from); });
}
void simdbloom_bank_free(simdbloom_bank* bank) { delete bank; }

simdbloom_status simdbloom_bank_insert(simdbloom_bank* bank, size_t set, const uint64_t* keys,
                                       size_t n, int hashed) {
    return guarded([&] {
        CompactBank& b = bank_of(bank);
        b.insert(set, {keys_of(keys, n), hashed != 0});
    });
}
simdbloom_status simdbloom_bank_insert_bytes(simdbloom_bank* bank, size_t set, const void* key,
                                             size_t length) {
    return guarded([&] { bank_of(bank).insert(set, bytes_of(key, length)); });
}
simdbloom_status simdbloom_bank_add_set(simdbloom_bank* bank, uint64_t keys, size_t* set) {
    return guarded([&] {
        CompactBank& b = bank_of(bank);
        size_t& out = pointee(set, "simdbloom: set is NULL");  // before there is a set
        out = b.add_set(keys);
    });
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
        const auto all = keys_of(keys, n);
        b.contains({all, hashed != 0},
                   span_of(bitmaps, n * b.bitmap_bytes(), "simdbloom: bitmaps is NULL"));
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
        const CompactBank& b = bank_of(bank);
        hand_over(b.select_sets({keys_of(keys, n), hashed != 0}, least), sets, found);
    });
}
simdbloom_status simdbloom_bank_count_per_set(const simdbloom_bank* bank, const uint64_t* keys,
                                              size_t n, int hashed, uint64_t* counts) {
    return guarded([&] {
        const CompactBank& b = bank_of(bank);
        b.count_per_set({keys_of(keys, n), hashed != 0},
                        span_of(counts, b.sets(), "simdbloom: counts is NULL"));
    });
}

size_t simdbloom_bank_saved_size(const simdbloom_bank* bank) {
    return bank == nullptr ? 0 : saved_size(bank->bank);
}
simdbloom_status simdbloom_bank_save(const simdbloom_bank* bank, void* bytes, size_t size) {
    return guarded([&] {
        save(bank_of(bank),
             span_of(static_cast<std::byte*>(bytes), size, "simdbloom: bytes is NULL"));
    });
}
simdbloom_status simdbloom_bank_load(const void* bytes, size_t size,
                                     const simdbloom_options* options, simdbloom_bank** bank) {
    return create_bank(bank, [&] {
        return loaded(simdbloom::load<CompactBank>(bytes_of(bytes, size), options_of(options)));
    });
}
simdbloom_status simdbloom_bank_save_file(const simdbloom_bank* bank, const char* path) {
    return guarded([&] { save_file(bank_of(bank), &pointee(path, "simdbloom: path is NULL")); });
}
simdbloom_status simdbloom_bank_load_file(const char* path, const simdbloom_options* options,
                                          simdbloom_bank** bank) {
    return create_bank(bank, [&] {
        return loaded(simdbloom::load_file<CompactBank>(&pointee(path, "simdbloom: path is NULL"),
                                                        options_of(options)));
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
