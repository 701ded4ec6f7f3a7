// Where a hash goes in a table of whole hashes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simdbloom/detail/siphash.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

/// SipHash of the hash, under a key that is drawn for each table: an adversary who chooses the
/// hashes cannot choose where they go. A product with one odd number drawn at random is not
/// enough. With 4,096 hashes that are equally far apart, in 8,192 slots, a search looked at more
/// than 4 slots under one draw in twenty, and at 1,654 under the worst of 20,000 draws. Random
/// hashes take 1.5.
class Scatter {
public:
    /// Throws std::system_error if the operating system has no random bits.
    static Scatter random() {
        Scatter drawn;
        drawn.secret_ = Secret::random();
        return drawn;
    }
    /// log_slots: 1 to 63.
    std::size_t home(std::uint64_t hash, unsigned log_slots) const noexcept {
        return static_cast<std::size_t>(siphash_word(hash, secret_) >> (64 - log_slots));
    }

private:
    Secret secret_{};
};

}  // namespace simdbloom::detail
