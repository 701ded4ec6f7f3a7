// A filter under measurement: one of ours, or a peer installed on the system.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/keys.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::bench {

/// A peer's filter, asked one key at a time (neither peer has a batch call).
class Peer {
public:
    virtual ~Peer() = default;
    virtual std::string name() const = 0;
    virtual std::uint64_t bytes() const = 0;
    /// Expected FPR of the peer's own scheme for its number of bits and k, and the standard
    /// deviation of a filter's true FPR around it.
    struct Model {
        double fpr, deviation;
    };
    virtual Model model() const = 0;
    virtual bool contains(std::string_view key) const = 0;
    /// Nullptr if the peer cannot insert singly (LevelDB builds a filter from all its keys at
    /// once).
    virtual bool can_insert() const = 0;
    virtual void insert(std::string_view key) = 0;
};

inline constexpr const char* peer_names[] = {"libbloom", "leveldb"};
bool is_peer(const std::string& name);

/// The largest filter a peer can be made for, in bytes: libbloom counts bits in an int, LevelDB's
/// 32-bit hash reaches no further than 2^32 bits and loses accuracy long before.
std::uint64_t peer_max_bytes(const std::string& name);

/// Builds the peer's filter for keys 0 .. n-1 of the source.
std::unique_ptr<Peer> make_peer(const std::string& name, const KeySource& keys,
                                std::uint64_t n_keys, double bits_per_key);

/// Inserts keys 0 .. n-1 of the source, in batches.
void fill(AnyFilter& filter, const KeySource& keys, std::uint64_t n_keys);

}  // namespace simdbloom::bench
