// What the tests of MPI share. Every function is called on every rank.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "simdbloom/adapters/mpi.hpp"

extern int rank, ranks;

void check(bool holds, const std::string& what);
std::uint64_t key(std::uint64_t i);
/// This rank's share of the keys 0 .. n.
std::vector<std::uint64_t> share(std::uint64_t n, std::uint64_t first = 0);
bool same_on_all(const simdbloom::JoinFilter& filter);

/// work() throws std::invalid_argument with these words.
template <class Work>
void refused(const Work& work, const char* words) {
    try {
        work();
        check(false, std::string("accepted: ") + words);
    } catch (const std::invalid_argument& e) {
        check(std::string(e.what()).find(words) != std::string::npos, e.what());
    }
}

/// The tests of messages.cpp.
void builds_by_messages();
