// Times of kernels on memory that is filled at random, without a filter around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/table.hpp"
#include "simdbloom/detail/storage.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/layout.hpp"
#include "tuning/tuning.hpp"

namespace simdbloom::detail {

enum class Operation : std::uint8_t { lookup, insert, touch };

/// One of the specs that stand for the structures of `Structure`, in that order.
struct TrialSubject {
    std::string_view spec;
    Structure structure;
};
std::span<const TrialSubject> trial_subjects() noexcept;

/// Random bits: about half of them are set, as in a Bloom filter that is as full as it should be,
/// and nearly every cell of a table is taken.
class TrialMemory {
public:
    explicit TrialMemory(std::size_t bytes);
    std::byte* data() noexcept { return bits_.data(); }
    std::size_t size() const noexcept { return bits_.size(); }

private:
    Storage bits_;
};

/// A filter of that spec in the first `bytes` bytes of the memory.
class Trial {
public:
    Trial(const TrialSubject& subject, Isa isa, TrialMemory& memory, std::size_t bytes,
          bool prefetches);

    /// Seconds a key in `batches` batches of `keys` keys, which no trial has asked for before: in
    /// large filters their lines are in no cache. `insert` is for layouts that are never full.
    double seconds_per_key(Operation operation, unsigned batches, std::size_t keys = 16'384) const;

private:
    const Kernels* kernels_;
    Target target_{};
};

}  // namespace simdbloom::detail
