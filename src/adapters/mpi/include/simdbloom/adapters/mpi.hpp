// One filter of keys on many machines. Link with simdbloom::mpi, and with MPI::MPI_CXX if simdbloom
// is installed.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <string_view>

#include "simdbloom/export.hpp"
#include "simdbloom/join/join.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// Call it on every rank of the communicator. The filter becomes the union of the filters of all
/// ranks (an all-reduce with bitwise OR). All must be Bloom filters of one spec, size, seed and, if
/// keyed, secret; otherwise std::invalid_argument is thrown on every rank. Throws
/// std::runtime_error with MPI's message if communication fails and the communicator returns
/// errors; the filters are undefined then.
void union_of_all_ranks(AnyFilter& filter, MPI_Comm communicator);

/// Call it on every rank, with the rank's own build rows. Returns the filter of the rows of all
/// ranks, made for keys_of_all_ranks keys, the same on every rank. Probe rows stay where they are.
/// options.seed, or the secret of keyed hashing, must be given and be the same on every rank:
/// random ones would differ.
///
/// With a spec an all-reduce unites the bits. With "auto" or "auto:SPEC" the ranks make parts
/// (JoinBuilder::part), which go up a binary tree as saved bytes; rank 0 chooses the filter and
/// sends it to all. keys_of_all_ranks must be given then.
JoinFilter build_on_all_ranks(std::string_view spec, std::size_t keys_of_all_ranks,
                              double bits_per_key, const JoinColumn& rows, MPI_Comm communicator,
                              Options options = {});
/// The same. `fill` inserts the rank's rows, in any number of pieces and threads, and may announce
/// and seal partitions. If it throws on a rank, or leaves a partition unsealed, the filters of all
/// ranks accept all rows, and why() says how many ranks are missing; the exception is not rethrown.
/// Invalid arguments throw as JoinBuilder's do, and must be invalid on every rank.
JoinFilter build_on_all_ranks(std::string_view spec, std::size_t keys_of_all_ranks,
                              double bits_per_key, const std::function<void(JoinBuilder&)>& fill,
                              MPI_Comm communicator, Options options = {});

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
