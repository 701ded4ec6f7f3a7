// The exports of the WebAssembly module: functions of numbers and addresses, which api.js calls.
//
// Text is UTF-8 with a length. A function that fails returns 0, -1 or NaN, as noted there, and
// simdbloom_wasm_error() has the message. Structured results are JSON, valid until the next call
// that returns text.
#include <emscripten.h>
#include <sys/random.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/wasm/json.hpp"
#include "adapters/wasm/utf16.hpp"
#include "simdbloom/advice/advice.hpp"
#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/any/serialize.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/fpr.hpp"
#include "simdbloom/version.hpp"

namespace simdbloom::wasm {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double most_keys = 0xFFFFFFFFp0;

std::string error, text;

/// work(), or `failed` and the message of its exception.
template <class R, class Work>
R guarded(R failed, const Work& work) noexcept {
    try {
        return work();
    } catch (const std::exception& e) {
        error = e.what();
    } catch (...) {
        error = "simdbloom: unknown failure";
    }
    return failed;
}

const char* given(Json made) {
    text = std::move(made.text);
    return text.c_str();
}

std::size_t keys_of(double n) {
    if (!(n >= 0 && n <= most_keys && n == std::floor(n)))
        throw std::invalid_argument("simdbloom: n_keys=" + std::to_string(n) +
                                    " is not a whole number from 0 to 2^32 - 1");
    return static_cast<std::size_t>(n);
}

Options options_of(std::uint64_t seed, std::string_view isa) {
    Options options;
    options.seed = seed;
    if (!isa.empty()) options.isa = parse_isa(isa);
    return options;
}

/// The filter behind an object in JavaScript.
struct Held {
    AnyFilter filter;
    bool is_new = false;  ///< no keys yet: the first ones decide the kind

    void expect(KeyKind keys) {
        filter.set_key_kind(is_new ? keys : kind_after(filter.key_kind(), keys));
        is_new = false;
    }
};

KeyKind kind_of(const void* ends) { return ends != nullptr ? KeyKind::bytes : KeyKind::integers; }

/// n integers of 8, 4 or -4 (signed) bytes; or, where `offsets` is not null, strings: string i is
/// the bytes from offsets[i] to offsets[i + 1].
Keys keys_at(const void* keys, const std::int32_t* offsets, std::size_t n, int width) {
    if (offsets != nullptr) return Keys::strings({offsets, n + 1}, static_cast<const char*>(keys));
    if (width == 4) return std::span(static_cast<const std::uint32_t*>(keys), n);
    if (width == -4) return std::span(static_cast<const std::int32_t*>(keys), n);
    return std::span(static_cast<const std::uint64_t*>(keys), n);
}

enum class Call : int { insert, erase, contains, count, bitmap, select };

/// One key, without a batch around it. 1: found, inserted, or erased; 0: not found.
template <class Key>
int one(Held& held, Call call, const Key& key, KeyKind kind) {
    if (call == Call::insert) {
        held.expect(kind);
        held.filter.insert(key);
        return 1;
    }
    check_may_ask(held.filter.key_kind(), kind);
    return static_cast<int>(call == Call::erase ? held.filter.erase(key)
                                                : held.filter.contains(key));
}

Json describe(const AnyFilter& filter) {
    const auto facts =
        members("spec", filter.spec(), "keys", filter.n_keys(), "bytes",
                std::uint64_t{filter.size_in_bytes()}, "bitsPerKey", filter.bits_per_key(),
                "expectedFpr", filter.expected_fpr(), "estimatedFpr", filter.estimated_fpr(), "isa",
                to_string(filter.isa()), "seed", std::to_string(filter.seed()), "keyKind",
                to_string(filter.key_kind()));
    const auto* const base = filter.get_if<FilterBase>();
    return object_of(facts + (base != nullptr ? members("blocks", base->blocks()) : ""));
}

Json describe(const Layout& layout) {
    const detail::LayoutTraits& t = layout.traits();
    std::string facts =
        members("spec", layout.spec(), "name", t.name, "blockBits", layout.block_bits(), "k",
                layout.k, "cellBits", t.cell_bits(), "anywhere", t.anywhere, "fingerprintBits",
                layout.fingerprint_bits(), "cells", layout.cells_per_block());
    if (!layout.is_table()) {
        const Layout::Pattern p = layout.pattern();
        facts +=
            members("zones", p.zones, "wordsPerZone", p.words_per_zone, "wordBits", t.word_bits);
    }
    return object_of(facts);
}

/// `settings`: keys, work, probes (0: inserts do not count), hits, most bits a key, most bytes,
/// bytes of the table, then erase, grow, merge, all at once.
Workload workload_of(const double* settings) {
    Workload w;
    w.n_keys = keys_of(settings[0]);
    w.work_ns = settings[1];
    if (settings[2] != 0) w.probes = settings[2];
    w.hits = settings[3];
    w.max_bits_per_key = settings[4];
    w.max_bytes = static_cast<std::uint64_t>(settings[5]);
    w.table_bytes = static_cast<std::uint64_t>(settings[6]);
    w.erase = settings[7] != 0;
    w.grow = settings[8] != 0;
    w.merge = settings[9] != 0;
    w.all_at_once = settings[10] != 0;
    return w;
}

/// The blocks and bits of a hash, and whether each bit, or the counter there, is set:
/// [[block, bit, 0 or 1], ..]. For a table: [[bucket, fingerprint], ..].
Json touched(const FilterBase& filter, std::uint64_t hash) {
    const Layout& layout = filter.layout();
    const std::uint64_t blocks = filter.blocks();
    const auto x = static_cast<std::uint32_t>(hash);
    std::vector<Json> all;
    const auto block = [&](std::uint64_t number, std::uint64_t bit) {
        std::vector place{number, bit};
        if (!layout.is_table()) {
            const auto byte =
                static_cast<unsigned>(filter.bytes()[(number * layout.block_bits() + bit) / 8]);
            const unsigned mask = layout.is_counting() ? 15U << (bit & 4) : 1U << (bit & 7);
            place.push_back((byte & mask) != 0 ? 1 : 0);
        }
        all.push_back(list(place));
    };
    const std::uint64_t first = detail::block_index(hash, blocks);
    if (layout.is_cuckoo()) {
        const std::uint32_t tag = detail::fingerprint_of(x, layout.fingerprint_bits());
        block(first, tag);
        block(detail::cuckoo_alternate(first, tag, blocks), tag);
    } else if (layout.is_dleft()) {
        const std::uint32_t tag = detail::fingerprint_of(x, layout.fingerprint_bits());
        const std::uint64_t stride = detail::dleft_stride(tag, blocks);
        std::uint64_t at = first;
        for (unsigned s = 0; s < 4; ++s, at = detail::dleft_next(at, stride, blocks))
            block(at, tag);
    } else if (layout.traits().anywhere) {
        std::uint64_t g = hash;
        for (unsigned i = 0; i < layout.k; ++i, g = detail::classic_next(g))
            block(detail::block_index(g, blocks),
                  layout.is_counting() ? detail::counting_bit(g) : g % 64);
    } else {
        detail::with_kind(layout.kind, [&]<LayoutKind kind>() {
            if constexpr (!detail::traits_of(kind).is_table() && !detail::traits_of(kind).anywhere)
                for (unsigned i = 0; i < layout.k; ++i)
                    block(first, detail::bit_position<kind>(x, i, layout.k, layout.zones));
        });
    }
    return list(all);
}

Json describe(const Advice& advice) {
    std::vector<Json> ranking;
    for (const Advice::Choice& c : advice.ranking)
        ranking.push_back(object_of(
            members("spec", c.spec, "bitsPerKey", c.bits_per_key, "bytes", c.bytes, "fpr", c.fpr,
                    "isa", c.is_none() ? std::string_view() : to_string(c.isa), "insertNs",
                    c.insert_ns, "lookupNs", c.lookup_ns, "totalNs", c.total_ns)));
    return object_of(members("why", advice.why(), "noise", advice.noise, "asGood",
                             std::uint64_t{advice.as_good().size()}, "ranking", list(ranking)));
}

}  // namespace

extern "C" {

#define EXPORTED EMSCRIPTEN_KEEPALIVE

EXPORTED const char* simdbloom_wasm_error() { return error.c_str(); }
EXPORTED const char* simdbloom_wasm_about() {
    std::vector<std::string_view> isas;
    for (const Isa isa : usable_isas()) isas.push_back(to_string(isa));
    return given(object_of(members("version", version, "isas", list(isas))));
}

/// 0: failed.
EXPORTED Held* simdbloom_wasm_make(const char* spec, std::size_t length, double n_keys, double size,
                                   int by_fpr, std::uint64_t seed, const char* isa,
                                   std::size_t isa_length) {
    return guarded<Held*>(nullptr, [&] {
        const std::string_view name(spec, length);
        if (name.starts_with("fuse") || name.starts_with("bloomier"))
            throw std::invalid_argument("simdbloom: " + std::string(name) +
                                        " needs all its keys at once: load a saved one");
        const Options options = options_of(seed, {isa, isa_length});
        const std::size_t n = keys_of(n_keys);
        return new Held{by_fpr != 0 ? make_filter_for_fpr(name, n, size, options)
                                    : make_filter(name, n, size, options),
                        true};
    });
}
EXPORTED Held* simdbloom_wasm_load(const std::byte* bytes, std::size_t n, const char* isa,
                                   std::size_t isa_length) {
    return guarded<Held*>(nullptr, [&] {
        return new Held{load(std::span(bytes, n), options_of(0, {isa, isa_length})).value()};
    });
}
EXPORTED void simdbloom_wasm_free(Held* held) { delete held; }
EXPORTED std::size_t simdbloom_wasm_saved_size(const Held* held) {
    return saved_size(held->filter);
}
/// 1, or 0: failed.
EXPORTED int simdbloom_wasm_save(const Held* held, std::byte* to, std::size_t n) {
    return guarded(0, [&] { return save(held->filter, std::span(to, n)), 1; });
}
/// 0: failed.
EXPORTED const char* simdbloom_wasm_describe(const Held* held) {
    return guarded<const char*>(nullptr, [&] { return given(describe(held->filter)); });
}

/// The number inserted, erased or found; -1: failed. `out` of a bitmap has a byte for 8 keys, of
/// select a number for each.
EXPORTED double simdbloom_wasm_batch(Held* held, const void* keys, const std::int32_t* offsets,
                                     std::size_t n, int width, Call call, void* out) {
    return guarded(-1.0, [&] {
        AnyFilter& filter = held->filter;
        if (n != 0 && call == Call::insert) held->expect(kind_of(offsets));
        else if (n != 0) check_may_ask(filter.key_kind(), kind_of(offsets));
        const Keys batch = keys_at(keys, offsets, n, width);
        const auto made = [&]() -> std::uint64_t {
            switch (call) {
                case Call::insert:
                    return filter.insert(batch), n;
                case Call::erase:
                    return filter.erase(batch);
                case Call::bitmap:
                    return filter.contains(batch, {static_cast<std::uint8_t*>(out), (n + 7) / 8});
                case Call::select:
                    return filter.select(batch, {static_cast<std::uint32_t*>(out), n});
                case Call::contains:
                case Call::count:
                    break;
            }
            return filter.count(batch);
        };
        return static_cast<double>(made());
    });
}
/// ends_in_bytes() of n strings.
EXPORTED int simdbloom_wasm_ends_in_bytes(const char* text, std::size_t bytes, std::uint32_t* ends,
                                          std::size_t n) {
    return static_cast<int>(ends_in_bytes({text, bytes}, {ends, n + 1}));
}
/// One number, as two halves: a BigInt would be allocated. As one(); -1: failed.
EXPORTED int simdbloom_wasm_number(Held* held, Call call, std::uint32_t low, std::uint32_t high) {
    return guarded(
        -1, [&] { return one(*held, call, std::uint64_t{high} << 32 | low, KeyKind::integers); });
}
/// One string. As one(); -1: failed.
EXPORTED int simdbloom_wasm_string(Held* held, Call call, const char* bytes, std::size_t n) {
    return guarded(-1,
                   [&] { return one(*held, call, std::string_view(bytes, n), KeyKind::bytes); });
}
/// 1, or 0: failed.
EXPORTED int simdbloom_wasm_clear(Held* held) {
    return guarded(0, [&] {
        held->filter.clear();
        held->filter.set_key_kind(KeyKind::unknown);
        held->is_new = true;
        return 1;
    });
}
/// A new filter with the keys of both; 0: failed.
EXPORTED Held* simdbloom_wasm_union(const Held* a, const Held* b) {
    return guarded<Held*>(nullptr, [&] {
        // An empty filter has no kind: the union takes the kind of the other.
        const Held &first = a->is_new ? *b : *a, &second = a->is_new ? *a : *b;
        auto both = std::make_unique<Held>(first);
        both->filter |= second.filter;
        if (second.is_new) both->filter.set_key_kind(first.filter.key_kind());
        return both.release();
    });
}
/// AnyFilter::expected_fpr() without making the filter; NaN: failed.
EXPORTED double simdbloom_wasm_expected_fpr(const char* spec, std::size_t length, double n_keys,
                                            double bits_per_key) {
    return guarded(nan, [&] {
        const std::size_t n = keys_of(n_keys);
        const auto g =
            detail::size_for_bits(Layout::parse({spec, length}), n, bits_per_key, Options{});
        return fpr::expected(g.layout, n, g.blocks);
    });
}
/// The bits a key of the smallest filter of that FPR; NaN: failed.
EXPORTED double simdbloom_wasm_bits_for_fpr(const char* spec, std::size_t length, double n_keys,
                                            double fpr) {
    return guarded(nan, [&] {
        const std::size_t n = keys_of(n_keys);
        const auto g = detail::size_for_fpr(Layout::parse({spec, length}), n, fpr, Options{});
        return static_cast<double>(g.blocks) * g.layout.block_bits() / static_cast<double>(n);
    });
}
/// The layout of a spec, with the best k for that size; 0: failed.
EXPORTED const char* simdbloom_wasm_layout(const char* spec, std::size_t length, double n_keys,
                                           double bits_per_key) {
    return guarded<const char*>(nullptr, [&] {
        return given(describe(detail::size_for_bits(Layout::parse({spec, length}), keys_of(n_keys),
                                                    bits_per_key, Options{})
                                  .layout));
    });
}
/// The places of a key in a filter with a layout; 0: failed. The key is a number if `bytes` is
/// null.
EXPORTED const char* simdbloom_wasm_touched(const Held* held, std::uint64_t number,
                                            const char* bytes, std::size_t n) {
    return guarded<const char*>(nullptr, [&] {
        const AnyFilter& filter = held->filter;
        const FilterBase& base = filter.base();
        check_may_ask(filter.key_kind(), kind_of(bytes));
        const std::uint64_t hash =
            bytes != nullptr ? filter.hash_of(std::string_view(bytes, n)) : filter.hash_of(number);
        return given(touched(base, hash));
    });
}

/// 0: failed.
EXPORTED FilterTimes* simdbloom_wasm_measure(const double* settings, double least_keys) {
    return guarded<FilterTimes*>(nullptr, [&] {
        return new FilterTimes(FilterTimes::measure(workload_of(settings), keys_of(least_keys)));
    });
}
EXPORTED void simdbloom_wasm_free_times(FilterTimes* times) { delete times; }
EXPORTED double simdbloom_wasm_noise(const FilterTimes* times) { return times->noise(); }
/// 0: failed.
EXPORTED const char* simdbloom_wasm_advise(const double* settings, const FilterTimes* times) {
    return guarded<const char*>(
        nullptr, [&] { return given(describe(advise(workload_of(settings), *times))); });
}

}  // extern "C"

}  // namespace simdbloom::wasm
