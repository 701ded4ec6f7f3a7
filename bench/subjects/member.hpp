// A structure of the family whose type is not one of AnyFilter's, as the report measures it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/keys.hpp"

namespace simdbloom::bench {

/// Built and filled with keys 0 .. n-1 of a source.
class Member {
public:
    virtual ~Member() = default;
    /// As it stands in the column `filter`, parameters included, e.g. "bloomier:r=8,f=8".
    virtual std::string name() const = 0;
    virtual std::uint64_t bytes() const = 0;
    /// Expected FPR, and the standard deviation of one filter's true FPR around it (0 if it is
    /// negligible).
    struct Model {
        double fpr, deviation;
    };
    virtual Model model() const = 0;
    /// How many are found. `hashed`: they are hashes already (KeySource::hashed()).
    virtual std::size_t count(std::span<const std::uint64_t> keys, bool hashed) const = 0;
    /// What else can be timed: op is "insert" (keys that are in already, where that changes
    /// nothing), "erase" (each pass puts the keys in again), or "build"; runs on all of `keys` and
    /// returns the seconds that the op alone took.
    struct Operation {
        std::string op;
        std::function<double(std::span<const std::uint64_t> keys, bool hashed)> run;
    };
    virtual std::vector<Operation> operations() { return {}; }
};

/// How one kind of member is made; `bits_per_key` is what was asked for, and a kind that has one
/// size only need not heed it.
using MakeMember = std::unique_ptr<Member> (*)(const KeySource& keys, std::uint64_t n_keys,
                                               double bits_per_key);

}  // namespace simdbloom::bench
