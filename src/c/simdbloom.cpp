// The filters for C.
#include "c/calls.hpp"
#include "simdbloom/join/join.hpp"
#include "simdbloom/version.hpp"

using namespace simdbloom::detail::c;
using simdbloom::AnyFilter;
using simdbloom::JoinColumn;
using simdbloom::JoinFilter;

namespace {

// Not a std::string: an error message must not need memory.
thread_local char last_error[256] = "";

AnyFilter& filter_of(simdbloom_filter* filter) {
    return pointee(filter, "simdbloom: filter is NULL").filter;
}
const AnyFilter& filter_of(const simdbloom_filter* filter) {
    return pointee(filter, "simdbloom: filter is NULL").filter;
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

}  // namespace

simdbloom_status simdbloom::detail::c::failed(simdbloom_status status,
                                              std::string_view message) noexcept {
    last_error[message.copy(last_error, sizeof last_error - 1)] = '\0';
    return status;
}

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
        const auto all = keys_of(keys, n, hashed);
        if (threads != 1) parallel_insert(f, all, threads);
        else f.insert(all);
    });
}
simdbloom_status simdbloom_insert_bytes(simdbloom_filter* filter, const void* key, size_t length) {
    return guarded([&] { filter_of(filter).insert(bytes_of(key, length)); });
}
simdbloom_status simdbloom_erase(simdbloom_filter* filter, const uint64_t* keys, size_t n,
                                 int hashed, size_t* erased) {
    return guarded([&] {
        AnyFilter& f = filter_of(filter);
        const auto all = keys_of(keys, n, hashed);
        size_t& out = pointee(erased, "simdbloom: erased is NULL");  // before a key goes
        out = f.erase(all);
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
    return guarded([&] { place_of(found) = filter_of(filter).contains(key); });
}
simdbloom_status simdbloom_contains_bytes(const simdbloom_filter* filter, const void* key,
                                          size_t length, int* found) {
    return guarded([&] { place_of(found) = filter_of(filter).contains(bytes_of(key, length)); });
}
simdbloom_status simdbloom_count(const simdbloom_filter* filter, const uint64_t* keys, size_t n,
                                 int hashed, size_t* found) {
    return guarded([&] { place_of(found) = filter_of(filter).count(keys_of(keys, n, hashed)); });
}
simdbloom_status simdbloom_bitmap(const simdbloom_filter* filter, const uint64_t* keys, size_t n,
                                  int hashed, uint8_t* bitmap, size_t* found) {
    return guarded([&] {
        const AnyFilter& f = filter_of(filter);
        const auto all = keys_of(keys, n, hashed);
        const auto bits = span_of(bitmap, n / 8 + (n % 8 != 0), "simdbloom: bitmap is NULL");
        place_of(found) = f.contains(all, bits);
    });
}
simdbloom_status simdbloom_select(const simdbloom_filter* filter, const uint64_t* keys, size_t n,
                                  int hashed, uint32_t* positions, size_t* found) {
    return guarded([&] {
        const AnyFilter& f = filter_of(filter);
        const auto all = keys_of(keys, n, hashed);
        const auto out = span_of(positions, n, "simdbloom: positions is NULL");
        place_of(found) = f.select(all, out);
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
        place_of(found) = f.select(column, span_of(rows, n_rows, "simdbloom: rows is NULL"),
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
    return guarded([&] { save(filter_of(filter), room_of(bytes, size)); });
}
simdbloom_status simdbloom_load(const void* bytes, size_t size, const simdbloom_options* options,
                                simdbloom_filter** filter) {
    return create("", filter, [&] {
        return loaded(simdbloom::load(bytes_of(bytes, size), options_of(options)));
    });
}
simdbloom_status simdbloom_save_file(const simdbloom_filter* filter, const char* path) {
    return guarded([&] { save_file(filter_of(filter), path_of(path)); });
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

}  // extern "C"
