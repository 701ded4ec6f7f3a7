// What peer.cpp, which calls the shared object of a peer, and examination.cpp have in common.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "harness/passes.hpp"
#include "peers/simdbloom_peer.h"

namespace simdbloom::bench::peers {

using Calls = simdbloom_peer_calls;
struct Peer {
    const struct simdbloom_peer* of;
    const Calls* calls;
    std::string name;  ///< with what it takes
    std::string path;
};

/// Filled as ordered. Throws std::length_error if the peer refuses.
std::shared_ptr<void> make(const Peer& peer, const Order& order);
/// f: filled as ordered.
Subject subject(const Peer& peer, const Order& order, const std::shared_ptr<void>& f);

/// Stands while a peer works, for in_child(). What is destroyed after an exception changes nothing.
class Call {
public:
    explicit Call(const std::string& path);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

private:
    struct Watched* in_;
    double before_ = 0;
};

/// Why in_child() gives nothing.
struct Ended : std::runtime_error {
    Ended(const std::string& why, std::string peer = "")
        : std::runtime_error(why), path(std::move(peer)) {}
    std::string path;  ///< of the peer at fault, if one is
};

/// work() in a process of its own, which may crash, or hang in a Call. Returns what it returned;
/// throws Ended with what it threw or how it ended.
std::string in_child(const std::function<std::string()>& work);

/// Throws an exception that says what is wrong: keys can go in again, and the first million are
/// found. Bitmaps of every length up to 130 and of 1,000 keys agree with single keys, and nothing
/// is written behind them. With b bits a key no filter has an FPR below 2^-b. It takes the memory
/// that it says. Lookups go as they will be timed; between them, nothing works.
void examine(const Peer& peer, const Order& order);

/// The fewest bits a key, to a hundredth, that reach the FPR with so many generated keys; infinity
/// if 40 do not.
double bits_for(const Peer& peer, std::uint64_t n_keys, double fpr);
inline constexpr double no_bits = std::numeric_limits<double>::infinity();

}  // namespace simdbloom::bench::peers
