// A distributed build and semi-join, under mpirun with any number of ranks.
/// Promise of mpi_1, mpi_2, mpi_3: MPI ranks build one machine's bits and lose no row, though
///   ranks fail or come late.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ranks.hpp"

using namespace simdbloom;

int rank = 0, ranks = 0;

namespace {

int failures = 0;

/// The most elements that a call of MPI_Allreduce added up since this was set to 0.
int most_summed = 0;

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

/// The rank's rows, of which rank 0 may have other ones; what kind they lead to.
void chosen(const std::string& what, const std::vector<std::uint64_t>& rows,
            std::size_t keys_of_all, JoinFilter::Kind kind, bool hashed = false) {
    const JoinFilter filter = build_on_all_ranks("auto:split256", keys_of_all, 12, {rows, hashed},
                                                 MPI_COMM_WORLD, {.seed = 7});
    check(filter.kind() == kind, what + ": " + filter.why());
    check(same_on_all(filter), what + ": other ranks have another filter");
    // Everybody asks about everybody's rows.
    for (int of = 0; of < ranks; ++of) {
        auto n = static_cast<std::uint64_t>(rows.size());
        MPI_Bcast(&n, 1, MPI_UINT64_T, of, MPI_COMM_WORLD);
        std::vector<std::uint64_t> asked = rows;
        asked.resize(n);
        MPI_Bcast(asked.data(), static_cast<int>(n), MPI_UINT64_T, of, MPI_COMM_WORLD);
        check(filter.count({asked, hashed}) == n, what + ": rows of a rank were lost");
    }
}

void every_kind() {
    using Kind = JoinFilter::Kind;
    const auto mine = static_cast<std::uint64_t>(rank);
    std::vector<std::uint64_t> dense, far;
    for (std::uint64_t i = 0; i < 5'000; ++i) dense.push_back(10'000 * mine + 2 * i);
    for (std::uint64_t i = 0; i < 20; ++i) far.push_back(key(20 * mine + i));
    chosen("nothing", {}, 100, Kind::none);
    chosen("a list", {key(mine), key(77)}, 100, Kind::list);
    chosen("hashes", {key(mine), key(77)}, 100, Kind::list, true);
    chosen("a bitmap", dense, 15'000, Kind::bitmap);
    chosen("a filter", share(30'000), 30'000, Kind::filter);
    chosen("a filter of few", far, 100, ranks * 20 <= 64 ? Kind::list : Kind::filter);
    // Parts of other kinds: one rank's keys lie far from the bitmaps of the others.
    chosen("a bitmap and a list", rank == 0 ? far : dense, 15'000,
           ranks == 1 ? Kind::list : Kind::filter);
    chosen("one rank alone", rank == ranks - 1 ? dense : std::vector<std::uint64_t>(), 15'000,
           Kind::bitmap);
}

/// A rank that fails, and one that leaves a partition unsealed: all accept all.
void missing_ranks() {
    const auto rows = share(1'000);
    const auto expect = [&](const char* spec, const std::string& says,
                            const std::function<void(JoinBuilder&)>& fill) {
        const JoinFilter filter =
            build_on_all_ranks(spec, 1'000, 12, fill, MPI_COMM_WORLD, {.seed = 7});
        check(filter.kind() == JoinFilter::Kind::all, std::string(spec) + ": " + filter.why());
        check(ranks == 1 || filter.why().find(says) != std::string::npos, filter.why());
    };
    const std::string one_of = "1 of " + std::to_string(ranks) + " parts";
    for (const char* spec : {"split256", "auto:split256"}) {
        for (const int fails : {0, ranks - 1})
            expect(spec, one_of + " of the build side are missing: " + std::to_string(fails),
                   [&](JoinBuilder& builder) {
                       builder.insert({rows});
                       if (rank == fails) throw std::runtime_error("the disk is full");
                   });
        expect(spec, one_of, [&](JoinBuilder& builder) {
            builder.announce(2);
            builder.insert({rows});
            builder.seal(0);
            if (rank != ranks - 1) builder.seal(1);
        });
        expect(spec, "all", [](JoinBuilder&) { throw 1; });
        expect(spec, "all", [&](JoinBuilder& builder) {
            builder.insert({rows});
            if (rank == 0) builder.unite(JoinFilter::accept_all());
        });
        // All there: the same call gives a filter.
        const auto fill = [&](JoinBuilder& builder) {
            const auto first = builder.announce(1);
            builder.insert({rows});
            builder.seal(first);
        };
        const auto filter = build_on_all_ranks(spec, 1'000, 12, fill, MPI_COMM_WORLD, {.seed = 7});
        check(filter.kind() == JoinFilter::Kind::filter && filter.count({rows}) == rows.size(),
              filter.why());
    }
}

}  // namespace

void check(bool holds, const std::string& what) {
    if (holds) return;
    std::printf("rank %d of %d: FAILED: %s\n", rank, ranks, what.c_str());
    ++failures;
}

std::uint64_t key(std::uint64_t i) { return i * 0x9E3779B97F4A7C15u; }

std::vector<std::uint64_t> share(std::uint64_t n, std::uint64_t first) {
    std::vector<std::uint64_t> keys;
    for (auto i = static_cast<std::uint64_t>(rank); i < n; i += static_cast<std::uint64_t>(ranks))
        keys.push_back(key(first + i));
    return keys;
}

bool same_on_all(const JoinFilter& filter) {
    std::uint64_t least = hash_bytes(save(filter)), most = least;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return least == most;
}

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

    every_kind();
    missing_ranks();
    builds_by_messages();
    refused([] { build_on_all_ranks("auto", 0, 12, JoinColumn{}, MPI_COMM_WORLD); },
            "keys_of_all_ranks=0");
    refused([] { build_on_all_ranks("cuckoo12", 9, 20, JoinColumn{}, MPI_COMM_WORLD); },
            "cuckoo12");

    check(build_on_all_ranks("split256", 100, 12, JoinColumn{}, MPI_COMM_WORLD).kind() ==
              JoinFilter::Kind::none,
          "nobody has rows, and yet some pass");
    check(most_summed == 1, std::to_string(most_summed) + " numbers of rows are added up");
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
