#include "simdbloom/adapters/mpi.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/mpi/calls.hpp"
#include "any/filter_format.hpp"
#include "simdbloom/join/saved_union.hpp"

namespace simdbloom {

void detail::check_mpi(int code, const char* what) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw std::runtime_error(
        to_text("simdbloom: ", what, ": ", std::string(text, static_cast<std::size_t>(length))));
}

std::unique_ptr<JoinBuilder> detail::filled(
    const std::function<std::unique_ptr<JoinBuilder>()>& make,
    const std::function<void(JoinBuilder&)>& fill) {
    std::unique_ptr<JoinBuilder> builder;
    try {
        builder = make();
    } catch (const std::bad_alloc&) {
        return nullptr;  // an error of this rank alone; other errors occur on every rank
    }
    try {
        fill(*builder);
    } catch (...) {
        return nullptr;
    }
    return builder->unsealed() == 0 ? std::move(builder) : nullptr;
}

namespace {

constexpr auto check = detail::check_mpi;

/// Whether all ranks have these bytes: then their AND equals their OR.
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

/// MPI counts in int.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

/// Calls use(data, n) for pieces of the bytes.
template <class Use>
void in_pieces(std::span<std::byte> bytes, const Use& use) {
    for (std::size_t first = 0; first < bytes.size(); first += most_at_once)
        use(bytes.data() + first, static_cast<int>(std::min(most_at_once, bytes.size() - first)));
}

}  // namespace

void union_of_all_ranks(AnyFilter& filter, MPI_Comm communicator) {
    // The header of a saved filter has all that must agree, and whether it is a Bloom filter.
    if (!same_everywhere(detail::FilterFormat::header(filter.base()), communicator))
        throw detail::argument_error(
            "the filters of the ranks differ in spec, size, number of keys, seed or key; here: ",
            filter.spec(), ", ", filter.base().blocks(), " blocks, ", filter.base().n_keys(),
            " keys, seed ", filter.seed());
    if (!filter.base().layout().is_bloom())
        throw detail::argument_error("filters of \"", filter.spec(), "\" cannot be united");
    auto& all = filter.base().parts().bits_;
    const std::span<std::byte> bits(all.data(), all.size());
    // MPI combines words faster than bytes, so whole words are sent as words.
    in_pieces(bits, [&](std::byte* data, int n) {
        const bool words = n % 8 == 0;
        check(MPI_Allreduce(MPI_IN_PLACE, data, words ? n / 8 : n, words ? MPI_UINT64_T : MPI_BYTE,
                            MPI_BOR, communicator),
              "uniting filters");
    });
}

namespace {

using Bytes = std::vector<std::byte>;

/// Calls pass(data, n, type) for the number of the bytes, and then for the bytes in pieces. The
/// number that is received sets the size.
template <class Pass>
void pass_bytes(Bytes& bytes, const char* what, const Pass& pass) {
    std::uint64_t size = bytes.size();
    check(pass(&size, 1, MPI_UINT64_T), what);
    bytes.resize(static_cast<std::size_t>(size));
    in_pieces(bytes, [&](std::byte* data, int n) { check(pass(data, n, MPI_BYTE), what); });
}

/// The bytes that work() returns; none if it throws.
template <class Work>
Bytes or_none(const Work& work) {
    try {
        return work();
    } catch (const std::exception&) {
        return {};
    }
}

/// Accepts all rows, and says which ranks are missing.
JoinFilter without(const std::vector<std::uint8_t>& is_there) {
    Bytes sum;
    for (std::size_t rank = 0; rank < is_there.size(); ++rank) {
        if (is_there[rank] == 0) continue;
        const Bytes part = save_part(JoinFilter::accept_all(), rank, is_there.size());
        if (sum.empty()) sum = part;
        else (void)unite_saved(sum, part).value();
    }
    if (sum.empty()) return JoinFilter::accept_all();
    return load<JoinFilter>(sum).value();
}

/// One filter of known size on every rank: its bits are ORed.
JoinFilter reduce(std::unique_ptr<JoinBuilder> builder, int ranks, MPI_Comm communicator) {
    const std::uint8_t here = builder != nullptr;
    std::vector<std::uint8_t> is_there(static_cast<std::size_t>(ranks));
    check(MPI_Allgather(&here, 1, MPI_UINT8_T, is_there.data(), 1, MPI_UINT8_T, communicator),
          "finding missing ranks");
    if (std::ranges::find(is_there, 0) != is_there.end()) return without(is_there);
    AnyFilter filter = std::move(*builder).filter();
    const auto all_are = [](const AnyFilter& of, std::byte value) {
        return std::ranges::all_of(of.base().bytes(), [&](std::byte b) { return b == value; });
    };
    std::uint64_t with_bits = all_are(filter, std::byte{0}) ? 0 : 1;
    check(MPI_Allreduce(MPI_IN_PLACE, &with_bits, 1, MPI_UINT64_T, MPI_SUM, communicator),
          "counting rows");
    if (with_bits == 0) return JoinFilter::accept_none();
    union_of_all_ranks(filter, communicator);
    if (all_are(filter, std::byte{0xFF})) return JoinFilter::accept_all();
    return JoinFilter(std::move(filter));
}

/// Unites all parts on rank 0, by a binary tree. `sum` is empty if all its parts are missing.
void gather(Bytes& sum, int rank, int ranks, MPI_Comm communicator,
            const std::function<std::unique_ptr<JoinBuilder>()>& make, const Options& options) {
    for (int step = 1; step < ranks; step *= 2) {
        if ((rank & step) != 0)
            return pass_bytes(sum, "sending a part", [&](auto... what) {
                return MPI_Send(what..., rank - step, 0, communicator);
            });
        if (rank + step >= ranks) continue;
        Bytes other;
        pass_bytes(other, "receiving a part", [&](auto... what) {
            return MPI_Recv(what..., rank + step, 0, communicator, MPI_STATUS_IGNORE);
        });
        if (sum.empty()) sum.swap(other);
        if (other.empty()) continue;
        sum = or_none([&] {
            const auto rather = make();
            (void)unite_saved(sum, other, *rather, options).value();
            return std::move(sum);
        });
    }
}

/// The filter that rank 0 chooses, on every rank.
JoinFilter choose(std::unique_ptr<JoinBuilder> builder, int rank, int ranks, MPI_Comm communicator,
                  const std::function<std::unique_ptr<JoinBuilder>()>& make,
                  const Options& options) {
    Bytes sum = or_none([&] {
        return builder ? save_part(std::move(*builder).part(), static_cast<std::size_t>(rank),
                                   static_cast<std::size_t>(ranks))
                       : Bytes();
    });
    builder.reset();
    gather(sum, rank, ranks, communicator, make, options);
    if (rank == 0 && !sum.empty() && missing_parts(sum).value().empty())
        sum = or_none([&] {
            const auto whole = make();
            whole->unite(load<JoinFilter>(sum, options).value());
            return save(std::move(*whole).finish());
        });
    pass_bytes(sum, "sending the filter",
               [&](auto... what) { return MPI_Bcast(what..., 0, communicator); });
    if (sum.empty()) return JoinFilter::accept_all();
    return load<JoinFilter>(sum, options).value();
}

}  // namespace

JoinFilter build_on_all_ranks(std::string_view spec, std::size_t keys_of_all_ranks,
                              double bits_per_key, const std::function<void(JoinBuilder&)>& fill,
                              MPI_Comm communicator, Options options) {
    const bool chooses = spec == "auto" || spec.starts_with("auto:");
    if (chooses && keys_of_all_ranks == 0)
        throw detail::argument_error("keys_of_all_ranks=0: parts of \"", spec,
                                     "\" have the size for the keys of all");
    int rank = 0, ranks = 0;
    check(MPI_Comm_rank(communicator, &rank), "counting ranks");
    check(MPI_Comm_size(communicator, &ranks), "counting ranks");
    const auto make = [&] {
        return std::make_unique<JoinBuilder>(spec, keys_of_all_ranks, bits_per_key, options);
    };
    auto builder = detail::filled(make, fill);
    return chooses ? choose(std::move(builder), rank, ranks, communicator, make, options)
                   : reduce(std::move(builder), ranks, communicator);
}

JoinFilter build_on_all_ranks(std::string_view spec, std::size_t keys_of_all_ranks,
                              double bits_per_key, const JoinColumn& rows, MPI_Comm communicator,
                              Options options) {
    return build_on_all_ranks(
        spec, keys_of_all_ranks, bits_per_key,
        [&](JoinBuilder& builder) { builder.insert(rows, 1); }, communicator, std::move(options));
}

}  // namespace simdbloom
