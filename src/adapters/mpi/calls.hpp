// What both ways to build a filter on many ranks call.
#pragma once

#include <memory>

#include "simdbloom/adapters/mpi.hpp"

namespace simdbloom::detail {

/// Throws std::runtime_error with MPI's message unless `code` is MPI_SUCCESS.
void check_mpi(int code, const char* what);

/// The builder that this rank's `fill` filled; null if it threw or left partitions unsealed.
std::unique_ptr<JoinBuilder> filled(const std::function<std::unique_ptr<JoinBuilder>()>& make,
                                    const std::function<void(JoinBuilder&)>& fill);

}  // namespace simdbloom::detail
