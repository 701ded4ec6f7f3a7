// A Bloom filter for as many keys as come.
#pragma once

#include <string>
#include <vector>

#include "simdbloom/detail/file_name.hpp"
#include "simdbloom/detail/layouts/blocked.hpp"
#include "simdbloom/detail/moved.hpp"
#include "simdbloom/export.hpp"
#include "simdbloom/filter.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

class AnyFilter;

/// How a ScalableBloom grows.
struct Scaling {
    std::size_t first_capacity = 1'000'000;  ///< keys the first filter is made for, at least 1
    double fpr = 0.01;                       ///< bound on the expected FPR of the series, in (0, 1)
    /// Each filter is made for that many times the keys of the one before. From 1.25 to 16.
    double growth = 2;
    double tightening = 0.5;  ///< each filter's FPR over that of the one before, inside (0, 1)
};

/// A series of Bloom filters, each for more keys and with a lower FPR than the one before.
///
/// Filter i is for first_capacity * growth^i keys, or as many as the largest filter of its layout
/// takes (2^32 - 1 blocks, 137 GB of split256 and 275 GB of default_spec), and may have the FPR t =
/// fpr * (1 - tightening) * tightening^i, so that the sum of all stays below `fpr` (Almeida et al.
/// 2007, section 3). A key is counted when it is found to be new, so no filter gets more keys than
/// it was made for. But a filter has none of the keys that it found before they came, and so more
/// bits than as many random keys set. That makes its FPR up to 1 / (1 - f) times the FPR f it is
/// sized for; f therefore is t / (1 + t).
///
/// The end. A series ends where its next filter would need an FPR below fpr::least, or more than 4
/// KiB and more than max_bits_per_key bits for each of its keys. insert then throws
/// std::length_error, which says how far the series came, and the key is not in. With the default
/// scaling that is at 1.3e8 keys of register32, at 2e9 of register64, and at 1e11 or more of other
/// layouts. A larger growth or tightening goes further.
///
/// Options. The spec of the filters (default_spec unless given), isa, seed, hashing, secret,
/// huge_pages and allocator are read. max_bytes bounds the whole series: a filter that would exceed
/// it is not made, and insert throws std::length_error with the key not in.
///
/// Threads: any number of threads may call const members at the same time. No other member may run
/// at the same time as any other call.
class ScalableBloom : public Interface<ScalableBloom, detail::KeyHash> {
public:
    /// Twice the bits that it takes to keep 64-bit hashes as they are.
    static constexpr double max_bits_per_key = 128;

    /// Throws std::invalid_argument naming what is out of range.
    explicit ScalableBloom(const Scaling& scaling = {}, Options options = {});
    /// A series that begins with a filter for n_keys keys of that many bits a key.
    static ScalableBloom with_bits_per_key(std::size_t n_keys, double bits_per_key,
                                           Options options = {});
    /// A series that begins with a filter for n_keys keys, with `fpr` as the bound of the whole.
    static ScalableBloom for_fpr(std::size_t n_keys, double fpr, Options options = {});
    ScalableBloom(const ScalableBloom&);
    ScalableBloom(ScalableBloom&&) noexcept;
    ~ScalableBloom();
    /// Leaves the series as it was if it throws. detail/moved.hpp says what a move leaves behind.
    ScalableBloom& operator=(const ScalableBloom& other) { return *this = ScalableBloom(other); }
    ScalableBloom& operator=(ScalableBloom&&) noexcept;

    /// Inserts the key of a hash where it is new, and returns whether it was.
    bool insert_hash_if_new(std::uint64_t hash) { return insert_hash_if_new(hash, 0); }
    void insert_hash(std::uint64_t hash) { insert_hash_if_new(hash); }  ///< where it is new
    bool contains_hash(std::uint64_t hash) const noexcept;  ///< whether the key of a hash is found
    /// Removes all keys, and all filters but the first.
    void clear() noexcept;

    std::span<const AnyFilter> filters() const noexcept;          ///< the first one first
    const Scaling& scaling() const noexcept { return scaling_; }  ///< how it grows
    /// The number of keys that the series was made for.
    std::uint64_t n_keys() const noexcept { return stored_.empty() ? 0 : scaling_.first_capacity; }
    std::uint64_t stored() const noexcept;       ///< number of keys that were found to be new
    std::uint64_t capacity() const noexcept;     ///< keys that the present filters are made for
    std::size_t size_in_bytes() const noexcept;  ///< bytes of the bits of all filters
    double bits_per_key() const noexcept;        ///< size_in_bytes() * 8 / stored()
    /// The bound on expected_fpr(). The bits of one series vary: those of a first filter of 1,000
    /// keys give it an FPR that is 7 % (one standard deviation) above or below its model.
    double fpr_bound() const noexcept { return scaling_.fpr; }
    /// The chance that one of the filters finds an absent key, by the model. The
    /// model takes the bits of a filter for those of so many random keys that as many of them were
    /// new. That leaves a relative error of the order of the square of the FPR.
    double expected_fpr() const;
    double estimated_fpr() const;  ///< the same from the bits as they are now
    /// "scalable:" and the spec of the filters. After a move these are "" and scalar:
    /// there is no filter to ask.
    std::string spec() const { return options_.spec.empty() ? "" : "scalable:" + options_.spec; }
    Isa isa() const noexcept;  ///< whose kernels answer
    /// From now on the kernels of that instruction set answer, the same as before. Throws
    /// std::invalid_argument if this machine cannot run it.
    void use_isa(Isa isa);
    void set_key_kind(KeyKind kind) noexcept;  ///< says what the keys are; changes no bit

    /// The number of keys that went into filter i.
    std::uint64_t stored_in(std::size_t i) const { return stored_.at(i); }

    // For the library's own code.
    /// As Interface asks for.
    std::size_t answer(const Keys& keys, detail::Output output, void* out) const;
    std::size_t take(const Keys& keys);
    /// The filters that take no more keys.
    std::size_t full_filters() const noexcept;
    /// The same of a key that the first filters, so many, are known not to have.
    bool insert_hash_if_new(std::uint64_t hash, std::size_t without);

    /// A series of such filters, with the numbers of the keys that went into them. For the
    /// library's own code.
    ScalableBloom(const Scaling& scaling, Options options, std::vector<AnyFilter> filters,
                  std::vector<std::uint64_t> stored);

private:
    AnyFilter next_filter() const;
    /// Into the last filter, or a new one if that is full.
    void insert_new(std::uint64_t hash);

    Scaling scaling_;
    detail::ZeroedByMove<Options> options_;
    detail::ZeroedByMove<std::vector<AnyFilter>> filters_;
    detail::ZeroedByMove<std::vector<std::uint64_t>> stored_;
};

/// The bytes of a series, which are those of its file.
std::size_t saved_size(const ScalableBloom& series) noexcept;
/// Throws std::length_error unless `out` has exactly saved_size(series) bytes.
void save(const ScalableBloom& series, std::span<std::byte> out);
/// The series as saved_size(series) bytes.
std::vector<std::byte> save(const ScalableBloom& series);
/// Writes a series to a file, whole or not at all, as save_file does for one filter. Throws
/// std::system_error with the path.
void save_file(const ScalableBloom& series, const FileName& name);

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END

namespace simdbloom::detail {
/// Throws std::invalid_argument naming what is out of range.
void check_scaling(const Scaling& scaling);
}  // namespace simdbloom::detail

#include "simdbloom/any/any_filter.hpp"  // of filters(), and complete only behind ScalableBloom
