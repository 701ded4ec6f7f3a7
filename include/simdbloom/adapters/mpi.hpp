// One filter of keys that lie on many machines. Link with simdbloom::mpi, and with MPI::MPI_CXX
// where simdbloom is installed.
#pragma once

#include <mpi.h>

#include <string_view>

#include "simdbloom/join.hpp"

namespace simdbloom {

/// On every rank of the communicator: the filter becomes the union of those of all ranks (an
/// all-reduce with bitwise OR). All must be of one spec, size, seed and, if keyed, key; and Bloom
/// filters. Throws std::invalid_argument on every rank otherwise, and std::runtime_error with MPI's
/// words where communication fails and the communicator returns errors; the filters are undefined
/// then.
void union_of_all_ranks(AnyFilter& filter, MPI_Comm communicator);

/// On every rank, with the rank's own build rows: the filter of all ranks' rows, made for that many
/// keys in all, the same on every rank. The probe side stays where it is. options.seed and the key
/// of keyed hashing must be given and the same: drawn ones differ between ranks.
JoinFilter build_on_all_ranks(std::string_view spec, std::size_t keys_of_all_ranks,
                              double bits_per_key, const JoinColumn& rows, MPI_Comm communicator,
                              Options options = {});

}  // namespace simdbloom
