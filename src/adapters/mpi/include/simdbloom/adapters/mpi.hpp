// One filter of keys on many machines. Link with simdbloom::mpi, and with MPI::MPI_CXX if simdbloom
// is installed.
#pragma once

#include <mpi.h>

#include <chrono>
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

/// How build_by_messages() waits and what it sends.
struct MessageSettings {
    static constexpr std::size_t most_bytes = std::size_t{1} << 30;  ///< the limit of max_bytes
    /// How long rank 0 waits for parts once it has made its own, and then for the ranks to take the
    /// filter. The others wait twice as long for the filter.
    std::chrono::milliseconds timeout{10'000};
    /// The most bytes of a saved part, and of the saved filter; at most 2^30.
    std::size_t max_bytes = std::size_t{64} << 20;
    /// The messages have this tag and the next. Each call on a communicator needs tags of its own:
    /// messages that come late stay behind.
    int tag = 0;
};

/// The same, without waiting for a rank longer than settings.timeout: rank 0 unites the parts one
/// after the other (FilterExchange) and sends the filter to each. The filters accept all rows if a
/// rank is late, throws, leaves a partition unsealed, or has a part of too many bytes; why() names
/// the rank and the reason. A rank that gets no answer in time accepts all rows by itself. "auto"
/// chooses no prefix bitmap. Call it from one thread at a time for each tag. Throws
/// std::invalid_argument for arguments that JoinBuilder or FilterExchange refuses, and
/// std::runtime_error if communication fails.
JoinFilter build_by_messages(std::string_view spec, std::size_t keys_of_all_ranks,
                             double bits_per_key, const std::function<void(JoinBuilder&)>& fill,
                             MPI_Comm communicator, const MessageSettings& settings = {},
                             Options options = {});

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
