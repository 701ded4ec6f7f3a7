#include "simdbloom/adapters/mpi.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "persist/saved.hpp"

namespace simdbloom {
namespace {

void check(int code, const char* what) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw std::runtime_error("simdbloom: " + std::string(what) + ": " +
                             std::string(text, static_cast<std::size_t>(length)));
}

/// Whether all ranks have these bytes: then their AND is their OR.
template <std::size_t n>
bool same_everywhere(const std::array<std::byte, n>& mine, MPI_Comm communicator) {
    std::array<std::byte, n> all, any;
    check(MPI_Allreduce(mine.data(), all.data(), static_cast<int>(n), MPI_BYTE, MPI_BAND,
                        communicator),
          "comparing filters");
    check(MPI_Allreduce(mine.data(), any.data(), static_cast<int>(n), MPI_BYTE, MPI_BOR,
                        communicator),
          "comparing filters");
    return all == any;
}

}  // namespace

void union_of_all_ranks(AnyFilter& filter, MPI_Comm communicator) {
    // The header of a saved filter has everything that must agree, and says whether it is a Bloom
    // filter.
    if (!same_everywhere(detail::LoadAccess::header(filter.base()), communicator))
        throw std::invalid_argument(
            "simdbloom: the filters of the ranks differ in spec, size, number of keys, seed or "
            "key; here: " +
            filter.spec() + ", " + std::to_string(filter.base().blocks()) + " blocks, " +
            std::to_string(filter.base().n_keys()) + " keys, seed " +
            std::to_string(filter.seed()));
    if (!filter.base().layout().is_bloom())
        throw std::invalid_argument("simdbloom: filters of \"" + filter.spec() +
                                    "\" cannot be united");
    const auto bits = detail::LoadAccess::bits(filter);
    // MPI combines words faster than bytes, so words are taken where the bytes are whole words. An
    // int counts them.
    constexpr std::size_t piece = std::size_t{1} << 30;
    for (std::size_t first = 0; first < bits.size(); first += piece) {
        const std::size_t n = std::min(piece, bits.size() - first);
        const bool words = n % 8 == 0;
        check(MPI_Allreduce(MPI_IN_PLACE, bits.data() + first, static_cast<int>(words ? n / 8 : n),
                            words ? MPI_UINT64_T : MPI_BYTE, MPI_BOR, communicator),
              "uniting filters");
    }
}

JoinFilter build_on_all_ranks(std::string_view spec, std::size_t keys_of_all_ranks,
                              double bits_per_key, const JoinColumn& rows, MPI_Comm communicator,
                              Options options) {
    JoinBuilder builder(spec, keys_of_all_ranks, bits_per_key, std::move(options));
    builder.insert(rows, 1);
    std::uint64_t inserted = builder.rows();
    check(MPI_Allreduce(MPI_IN_PLACE, &inserted, 1, MPI_UINT64_T, MPI_SUM, communicator),
          "counting rows");
    AnyFilter filter = std::move(builder).filter();
    union_of_all_ranks(filter, communicator);
    return inserted == 0 ? JoinFilter::accept_none() : JoinFilter(std::move(filter));
}

}  // namespace simdbloom
