// A filter whose layout is chosen at run time.
#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <variant>

#include "simdbloom/cache_line.hpp"
#include "simdbloom/cardinality.hpp"
#include "simdbloom/classic.hpp"
#include "simdbloom/counting.hpp"
#include "simdbloom/cuckoo.hpp"
#include "simdbloom/dleft.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/fixed/bloomier.hpp"
#include "simdbloom/growing/growing_cuckoo.hpp"
#include "simdbloom/key_kind.hpp"
#include "simdbloom/register_blocked.hpp"
#include "simdbloom/series/scalable.hpp"
#include "simdbloom/split_block.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Any of the filters behind one type. A batch costs one indirect call; the type allocates nothing
/// of its own. What a structure cannot do throws std::invalid_argument that names its spec: insert
/// into a BloomierMap, erase from a Bloom filter. insert throws std::length_error when a filter is
/// full; try_insert into a filter that is never full inserts.
class AnyFilter : public Interface<AnyFilter, detail::NoBase> {
public:
    /// The types that it may hold.
    using Variant = std::variant<ClassicBloom, RegisterBlockedBloom, SplitBlockBloom,
                                 CacheLineBloom, CuckooFilter, CountingBloom, DLeftCounting,
                                 GrowingCuckoo, ScalableBloom, BloomierMap>;

    /// Holds the filter.
    template <class F>
    requires std::constructible_from<Variant, F> AnyFilter(F filter) : filter_(std::move(filter)) {}

    AnyFilter(const AnyFilter&);
    AnyFilter(AnyFilter&&) noexcept;
    AnyFilter& operator=(const AnyFilter&);
    AnyFilter& operator=(AnyFilter&&) noexcept;
    ~AnyFilter();

    /// make_filter() of options.spec, or of default_spec if that is empty.
    static AnyFilter with_bits_per_key(std::size_t n_keys, double bits_per_key,
                                       Options options = {});
    /// make_filter_for_fpr() of options.spec, or of default_spec if that is empty.
    static AnyFilter for_fpr(std::size_t n_keys, double fpr, Options options = {});

    /// The hash of a key, as the calls that take hashes want it.
    template <detail::Key K>
    std::uint64_t hash_of(const K& key) const {
        return key_hash().hash_of(key);
    }
    bool contains_hash(std::uint64_t hash) const;  ///< whether the key of a hash is found
    void insert_hash(std::uint64_t hash);  ///< inserts the key of a hash; throws as insert()
    /// Inserts the key of a hash. False: the filter is full, and nothing changes.
    bool try_insert_hash(std::uint64_t hash);
    /// Erases the key of a hash, as erase(key). Throws std::invalid_argument if it cannot erase.
    bool erase_hash(std::uint64_t hash);
    /// Removes all keys. Throws std::invalid_argument of a BloomierMap.
    void clear();

    std::size_t size_in_bytes() const noexcept;  ///< of the bits, slots or tables
    /// size_in_bytes() * 8 over n_keys(), or over the keys that are in a filter that grows.
    double bits_per_key() const noexcept;
    std::uint64_t n_keys() const noexcept;  ///< the number of keys that it was made for
    /// The filter as text, which make_filter() takes: "split256", "scalable:register64", ..
    std::string spec() const;
    /// Of a filter that has one. Throws std::invalid_argument for another structure.
    const Layout& layout() const { return base().layout(); }
    Isa isa() const noexcept;                                            ///< whose kernels answer
    std::uint64_t seed() const noexcept { return key_hash().seed(); }    ///< of its hash
    Hashing hashing() const noexcept { return key_hash().hashing(); }    ///< how keys are hashed
    KeyKind key_kind() const noexcept { return key_hash().key_kind(); }  ///< what the keys are
    /// Says what the keys are where that was not known before. Changes no bit.
    void set_key_kind(KeyKind kind) noexcept;
    /// The FPR by the model, with n_keys() keys; of a filter that grows with the keys it has.
    double expected_fpr() const;
    /// The chance that a random absent key is found, from the bits as they are now.
    double estimated_fpr() const;
    /// From now on the kernels of that instruction set answer, the same as before. Throws
    /// std::invalid_argument if this machine cannot run it.
    void use_isa(Isa isa);

    /// The union (SetOperations). This and the next four are for Bloom filters: they throw
    /// std::invalid_argument for fingerprints and counters (see CountingBloom::operator+=), and
    /// the first two for filters of two kinds.
    AnyFilter& operator|=(const AnyFilter& other);
    AnyFilter& operator&=(const AnyFilter& other);  ///< the intersection (SetOperations)
    void accept_all();                              ///< makes it find every key
    AnyFilter folded(std::uint64_t parts) const;    ///< of a `parts`-th of the size (SetOperations)
    AnyFilter folded_to_fpr(double fpr) const;      ///< folded while the FPR allows it

    /// The part that all filters of a layout share. Throws std::invalid_argument for a filter of
    /// another structure.
    const FilterBase& base() const;
    /// The same.
    FilterBase& base() { return const_cast<FilterBase&>(std::as_const(*this).base()); }
    Variant& variant() noexcept { return filter_; }              ///< the filter, for std::visit
    const Variant& variant() const noexcept { return filter_; }  ///< the filter, for std::visit
    /// The filter itself if it is an F, else nullptr. FilterBase: if it has a layout.
    template <class F>
    const F* get_if() const noexcept {
        if constexpr (std::same_as<F, FilterBase>) return base_or_null();
        else return std::get_if<F>(&filter_);
    }
    /// The same.
    template <class F>
    F* get_if() noexcept {
        return const_cast<F*>(std::as_const(*this).template get_if<F>());
    }

    // For the library's own code.
    const detail::KeyHash& key_hash() const noexcept;
    /// As Interface asks for.
    std::size_t answer(const Keys& keys, detail::Output output, void* out) const;
    std::size_t take(const Keys& keys);
    std::string refusal(const Keys& key) const;

private:
    friend Interface;
    // One visit in place of two, of the hash and of the filter.
    bool contains_key(std::uint64_t key) const;
    bool contains_key(std::string_view key) const;
    bool contains_key(std::span<const std::byte> key) const;
    void insert_key(std::uint64_t key);
    void insert_key(std::string_view key);
    void insert_key(std::span<const std::byte> key);
    template <class Insert>
    void insert_by(const Insert& insert);
    const FilterBase* base_or_null() const noexcept;
    [[noreturn]] void throw_cannot(const char* what) const;

    Variant filter_;
};

/// The number of distinct keys in a filter of a layout. Throws std::invalid_argument for another
/// structure.
inline Cardinality estimated_keys(const AnyFilter& filter) { return estimated_keys(filter.base()); }
/// The number of keys in either. Throws std::invalid_argument as of two FilterBase.
inline Cardinality estimated_union(const AnyFilter& a, const AnyFilter& b) {
    return estimated_union(a.base(), b.base());
}
/// The number of keys in both. Throws std::invalid_argument as of two FilterBase.
inline Cardinality estimated_intersection(const AnyFilter& a, const AnyFilter& b) {
    return estimated_intersection(a.base(), b.base());
}

/// The filter of that spec, e.g. make_filter("split256", 1'000'000, 12). options.spec is not read.
/// Any spec that spec() of a filter gives is taken, but for those of a BloomierMap ("fuse:f=8"),
/// which needs all its keys at once (std::invalid_argument).
/// Throws std::invalid_argument that names the spec, or what with_bits_per_key of the filter's type
/// throws.
AnyFilter make_filter(std::string_view spec, std::size_t n_keys, double bits_per_key,
                      Options options = {});
/// The same, sized by the exact model for a false-positive rate.
AnyFilter make_filter_for_fpr(std::string_view spec, std::size_t n_keys, double fpr,
                              Options options = {});

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
