// A filter with a fault: what bench/replicate --power judges claims by. The library has no fault of
// these; this file puts one between the library and a probe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/keys.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::replication {

enum class Fault {
    none,
    half,   ///< keys use half of the bit positions, or of the fingerprints
    k,      ///< keys set one bit less
    lost,   ///< the best ISA does not find one key in 128
    mixer,  ///< the second product of the hash function is left out
    tail    ///< the best ISA does not find the last key of a batch of 4 n + 1 keys
};
/// Throws std::invalid_argument naming what is no fault.
Fault fault_called(const std::string& name);

/// A filter that keys are inserted into and looked up in; a fault that it cannot have throws
/// Lacking. Without a fault it is the library's. With Fault::half or Fault::k its bits are set and
/// tested here, one key at a time, at the positions of the layout's scalar definition.
class Faulty {
public:
    Faulty(AnyFilter filter, Fault fault);

    const AnyFilter& filter() const noexcept { return filter_; }
    AnyFilter& filter() noexcept { return filter_; }
    void insert(bench::Keys keys);
    /// An answer a key.
    std::vector<bool> contains(bench::Keys keys) const;
    std::uint64_t count(bench::Keys keys) const;
    /// All bits; those of this file if it sets them.
    std::vector<std::byte> bits() const;

private:
    std::vector<std::uint64_t> hashes_of(bench::Keys keys) const;
    /// visit(bit) for the bits of a key, until one returns false.
    template <class Visit>
    void each_bit(std::uint64_t hash, const Visit& visit) const;

    AnyFilter filter_;
    Fault fault_;
    std::vector<bool> bits_;  ///< empty unless they are set here
};

}  // namespace simdbloom::replication
