// One filter of keys that lie on many machines. Link with simdbloom::mpi, and with MPI::MPI_CXX
// where simdbloom is installed.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string_view>

#include "simdbloom/export.hpp"
#include "simdbloom/join.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Call it on every rank of the communicator. The filter becomes the union of the filters of all
/// ranks (an all-reduce with bitwise OR). All must be Bloom filters of one spec, size, seed and, if
/// keyed, secret; otherwise std::invalid_argument is thrown on every rank. Throws
/// std::runtime_error with MPI's words where communication fails and the communicator returns
/// errors; the filters are undefined then.
void union_of_all_ranks(AnyFilter& filter, MPI_Comm communicator);

/// Call it on every rank, with the rank's own build rows. Returns the filter of the rows of all
/// ranks, made for keys_of_all_ranks keys, the same on every rank. Probe rows stay where they are.
/// options.seed, or the secret of keyed hashing, must be given and be the same on every rank: drawn
/// ones differ between ranks.
JoinFilter build_on_all_ranks(std::string_view spec, std::size_t keys_of_all_ranks,
                              double bits_per_key, const JoinColumn& rows, MPI_Comm communicator,
                              Options options = {});

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
