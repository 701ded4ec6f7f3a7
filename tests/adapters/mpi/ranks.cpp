// A distributed build and semi-join, under mpirun with any number of ranks.
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "simdbloom/adapters/mpi.hpp"

using namespace simdbloom;

namespace {

int rank = 0, ranks = 0, failures = 0;

/// The most elements that a call of MPI_Allreduce added up since this was set to 0.
int most_summed = 0;

void check(bool holds, const std::string& what) {
    if (holds) return;
    std::printf("rank %d of %d: FAILED: %s\n", rank, ranks, what.c_str());
    ++failures;
}

std::uint64_t key(std::uint64_t i) { return i * 0x9E3779B97F4A7C15u; }

/// This rank's share of the keys 0 .. n.
std::vector<std::uint64_t> share(std::uint64_t n, std::uint64_t first = 0) {
    std::vector<std::uint64_t> keys;
    for (auto i = static_cast<std::uint64_t>(rank); i < n; i += static_cast<std::uint64_t>(ranks))
        keys.push_back(key(first + i));
    return keys;
}

std::uint64_t sum(std::uint64_t mine) {
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return mine;
}

void semi_join(const char* spec) {
    constexpr std::uint64_t build = 30'000,
                            probe = 200'000;  // of the probe rows the first `build` join
    const auto rows = share(build);
    const JoinFilter filter =
        build_on_all_ranks(spec, build, 12, {rows}, MPI_COMM_WORLD, {.seed = 7});
    auto serial = make_filter(spec, build, 12, {.seed = 7});
    for (std::uint64_t i = 0; i < build; ++i) serial.insert(key(i));
    check(std::ranges::equal(filter.filter()->base().bytes(), serial.base().bytes()),
          std::string(spec) + ": the bits are not those of one machine's filter");

    const auto mine = share(probe);
    std::vector<std::uint32_t> passing(mine.size());
    passing.resize(filter.select({mine}, passing));
    std::uint64_t joining = 0;
    for (const auto row : passing)
        joining +=
            static_cast<std::uint64_t>(rank) + row * static_cast<std::uint64_t>(ranks) < build;
    check(sum(joining) == build, std::string(spec) + ": rows that join were lost");
    const std::uint64_t all = sum(passing.size());
    check(all >= build && all < build + (probe - build) / 50,
          std::string(spec) + ": " + std::to_string(all) + " rows pass");
}

template <class Work>
void refused(const Work& work, const char* words) {
    try {
        work();
        check(false, std::string("accepted: ") + words);
    } catch (const std::invalid_argument& e) {
        check(std::string(e.what()).find(words) != std::string::npos, e.what());
    }
}

}  // namespace

// The calls of the library, before MPI has them: what lies behind a number is not to be sent.
extern "C" int MPI_Allreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op,
                             MPI_Comm communicator) {
    if (op == MPI_SUM) most_summed = std::max(most_summed, n);
    return PMPI_Allreduce(from, to, n, type, op, communicator);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (const char* spec : {"split256", "classic", "register32", "blocked512"}) semi_join(spec);

    check(build_on_all_ranks("split256", 100, 12, {}, MPI_COMM_WORLD).kind() ==
              JoinFilter::Kind::none,
          "nobody has rows, and yet some pass");
    check(most_summed == 1, std::to_string(most_summed) + " numbers of rows are added up");
    // One rank alone has a row.
    const std::uint64_t only[] = {5};
    const auto filter = build_on_all_ranks("split256", 100, 12,
                                           {rank == ranks - 1 ? std::span<const std::uint64_t>(only)
                                                              : std::span<const std::uint64_t>()},
                                           MPI_COMM_WORLD);
    check(filter.filter() != nullptr && filter.filter()->contains(std::uint64_t{5}),
          "a row of the last rank is lost");

    auto cuckoo = make_filter("cuckoo12", 100, 20);
    refused([&] { union_of_all_ranks(cuckoo, MPI_COMM_WORLD); }, "cuckoo12");
    if (ranks > 1) {
        auto seeded = make_filter("split256", 100, 12, {.seed = static_cast<std::uint64_t>(rank)});
        refused([&] { union_of_all_ranks(seeded, MPI_COMM_WORLD); }, "differ");
        auto sized = make_filter("split256", rank == 0 ? 100 : 200, 12);
        refused([&] { union_of_all_ranks(sized, MPI_COMM_WORLD); }, "differ");
    }
    failures = static_cast<int>(sum(static_cast<std::uint64_t>(failures)));
    MPI_Finalize();
    return failures != 0;
}
