// Where a hash goes in a table of whole hashes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

/// Multiplication by an odd number that is drawn for each table, so that an adversary who chooses
/// the hashes cannot choose hashes that collide. Two given hashes share one of 2^log_slots slots
/// with a chance of at most 2 / 2^log_slots (Dietzfelbinger et al. 1997).
class Scatter {
public:
    /// Throws std::system_error if the operating system has no random bits.
    static Scatter random() {
        Scatter drawn;
        drawn.factor_ = HashKey::random().low | 1;
        return drawn;
    }
    /// log_slots: 1 to 63.
    std::size_t home(std::uint64_t hash, unsigned log_slots) const noexcept {
        return static_cast<std::size_t>(hash * factor_ >> (64 - log_slots));
    }

private:
    std::uint64_t factor_ = 1;
};

}  // namespace simdbloom::detail
