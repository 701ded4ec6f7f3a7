// The structures of the family that are no AnyFilter: how each is made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "subjects/member.hpp"

namespace simdbloom::bench {

struct NamedMember {
    const char* name;             ///< in plans
    double bits_per_key;          ///< asked for
    MakeMember make;              ///< nullptr: it is a spec that make_filter knows
    std::uint64_t max_bytes = 0;  ///< larger ones are not made; 0: no limit
};
std::span<const NamedMember> all_members();

std::unique_ptr<Member> make_fuse3(const KeySource& keys, std::uint64_t n_keys,
                                   double bits_per_key);
std::unique_ptr<Member> make_fuse4(const KeySource& keys, std::uint64_t n_keys,
                                   double bits_per_key);
/// r = 8, f = 8, whatever the bits per key.
std::unique_ptr<Member> make_bloomier(const KeySource& keys, std::uint64_t n_keys,
                                      double bits_per_key);
std::unique_ptr<Member> make_growing_cuckoo(const KeySource& keys, std::uint64_t n_keys,
                                            double bits_per_key);
std::unique_ptr<Member> make_codes(const KeySource& keys, std::uint64_t n_keys,
                                   double bits_per_key);
std::unique_ptr<Member> make_scheme(const KeySource& keys, std::uint64_t n_keys,
                                    double bits_per_key);
/// With an FPR of at most 1 %, whatever the bits per key.
std::unique_ptr<Member> make_series(const KeySource& keys, std::uint64_t n_keys,
                                    double bits_per_key);
std::unique_ptr<Member> make_leveldb(const KeySource& keys, std::uint64_t n_keys,
                                     double bits_per_key);

}  // namespace simdbloom::bench
