// What every filter has: its layout, its bits, its kernels, and its calls.
#pragma once

#include "simdbloom/detail/key_hash.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/interface.hpp"
#include "simdbloom/layout.hpp"

namespace simdbloom::detail {

struct Geometry;
struct Target;
template <class T>
struct KernelsFor;

/// What a filter of a layout consists of.
struct FilterParts {
    Storage bits_;
    const KernelsFor<Target>* kernels_ = nullptr;
    const KernelsFor<Target>* halves_ = nullptr;         ///< of AVX2, which may insert faster
    const KernelsFor<Target>* lookup_halves_ = nullptr;  ///< of AVX2, which may look up faster
    std::uint64_t blocks_ = 0;
    std::uint64_t factor_ = 0;  ///< blocks_ << 32, see block_of_key
    std::uint64_t n_keys_ = 0;
    Layout layout_;
    std::uint32_t block_bytes_ = 0;
    std::uint32_t few_inserts_below_ = 0;
    Isa isa_ = Isa::scalar;
    std::uint64_t stored_ = 0;  ///< fingerprints in a cuckoo table
};

SIMDBLOOM_API [[noreturn, gnu::cold]] void throw_moved_from();

}  // namespace simdbloom::detail

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

struct Cardinality;

/// The part of a filter that does not depend on its layout at compile time. Any number of threads
/// may call const members at the same time; no other member may run beside another call. An
/// assignment that throws leaves the filter as it was. detail/moved.hpp says what a move leaves.
class FilterBase : public detail::KeyHash, protected detail::FilterParts {
public:
    /// Bytes of the bits. The memory held is at most one page more.
    std::size_t size_in_bytes() const noexcept { return bits_.size(); }
    double bits_per_key() const noexcept;                      ///< size_in_bytes() * 8 / n_keys()
    std::string spec() const { return layout_.spec(); }        ///< the layout as text
    const Layout& layout() const noexcept { return layout_; }  ///< with the k that is used
    Isa isa() const noexcept { return isa_; }                  ///< whose kernels answer
    /// Words of `classic` and the register layouts, lines, or buckets.
    std::uint64_t blocks() const noexcept { return blocks_; }
    std::uint64_t n_keys() const noexcept { return n_keys_; }  ///< for which it was made
    /// The raw bits, size_in_bytes() long.
    std::span<const std::byte> bytes() const noexcept { return {bits_.data(), bits_.size()}; }

    /// fpr::expected with n_keys() distinct keys. Exact; of cuckoo tables to 16 / (buckets 2^f).
    double expected_fpr() const;
    /// The exact chance that a random absent key is found, from the bits or load as they are now.
    virtual double estimated_fpr() const;
    /// What estimated_keys(filter) returns (cardinality.hpp).
    virtual Cardinality estimate_keys() const;

    void clear() noexcept;  ///< removes all keys

    /// From now on the kernels of that instruction set give the answers, which stay the same.
    /// Throws std::invalid_argument if this machine cannot run it.
    void use_isa(Isa isa);

    // For the library's own code.
    /// As Interface asks for.
    std::size_t answer(const Keys& keys, detail::Output output, void* out) const;
    std::size_t take(const Keys& keys);
    /// Whether so few keys, at most eight, take less time one by one than as a batch.
    static constexpr bool one_by_one(std::size_t) noexcept { return true; }
    void prefetch(std::uint64_t hash) const noexcept;
    /// A filter over `bits`, or, if there are none, over zeroed bits of its own.
    FilterBase(const detail::Geometry& geometry, const Options& options, detail::Storage bits = {});
    detail::FilterParts& parts() noexcept { return *this; }
    const detail::FilterParts& parts() const noexcept { return *this; }
    detail::Target target() const noexcept;
    /// Throws std::invalid_argument if this filter was moved from.
    [[gnu::always_inline]] void check_takes_keys() const {
        if (blocks_ == 0) [[unlikely]]
            detail::throw_moved_from();
    }

protected:
    FilterBase(const FilterBase&);
    FilterBase(FilterBase&&) noexcept;
    FilterBase& operator=(const FilterBase&);
    FilterBase& operator=(FilterBase&&) noexcept;
    ~FilterBase();

    // Of a table with so many fingerprints: its load, and what to say when it is full.
    double load_of(std::uint64_t fingerprints) const noexcept;
    std::string full_with(std::uint64_t fingerprints) const;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
