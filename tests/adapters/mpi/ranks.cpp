// A distributed build and semi-join, under mpirun with any number of ranks.
/// Promise of mpi_1, mpi_2, mpi_3: MPI ranks build one machine's bits and lose no row, though
///   ranks fail or come late.
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "simdbloom/adapters/mpi.hpp"

using namespace simdbloom;
using namespace std::chrono_literals;

namespace {

using Fill = std::function<void(JoinBuilder&)>;
using Kind = JoinFilter::Kind;
using Keys = std::vector<std::uint64_t>;

int rank = 0, ranks = 0, failures = 0;

/// The most elements that a call of MPI_Allreduce counted since this was set to 0.
int most_counted = 0;

void check(bool holds, const std::string& what) {
    if (holds) return;
    std::printf("rank %d of %d: FAILED: %s\n", rank, ranks, what.c_str());
    ++failures;
}

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

std::uint64_t key(std::uint64_t i) { return i * 0x9E3779B97F4A7C15u; }

/// This rank's share of the keys 0 .. n.
Keys share(std::uint64_t n) {
    Keys keys;
    for (auto i = static_cast<std::uint64_t>(rank); i < n; i += static_cast<std::uint64_t>(ranks))
        keys.push_back(key(i));
    return keys;
}

std::uint64_t all(std::uint64_t mine, MPI_Op op = MPI_SUM) {
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, op, MPI_COMM_WORLD);
    return mine;
}

bool same_on_all(const JoinFilter& filter) {
    const std::uint64_t hash = hash_bytes(save(filter));
    return all(hash, MPI_MIN) == all(hash, MPI_MAX);
}

JoinFilter reduced(const char* spec, std::size_t keys, const Fill& fill) {
    return build_on_all_ranks(spec, keys, 12, fill, MPI_COMM_WORLD, {.seed = 7});
}

/// Every call by messages has its own tags.
MessageSettings settings(std::chrono::milliseconds timeout = 60s, std::size_t max_bytes = 8 << 20) {
    static int tag = 100;
    return {timeout, max_bytes, tag += 2};
}

JoinFilter built(const char* spec, std::size_t keys, const MessageSettings& how, const Fill& fill) {
    return build_by_messages(spec, keys, 12, fill, MPI_COMM_WORLD, how, {.seed = 7});
}

Fill inserting(const JoinColumn& rows) {
    return [rows](JoinBuilder& builder) { builder.insert(rows); };
}

void expect_all(const JoinFilter& filter, const std::string& says) {
    check(filter.kind() == Kind::all, "rows are rejected: " + filter.why());
    check(filter.why().find(says) != std::string::npos, filter.why() + "; not: " + says);
    check(filter.count({share(1'000)}) == share(1'000).size(), "rows are lost: " + filter.why());
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
    const auto joining = std::ranges::count_if(passing, [](std::uint64_t row) {
        return static_cast<std::uint64_t>(rank) + row * static_cast<std::uint64_t>(ranks) < build;
    });
    check(all(static_cast<std::uint64_t>(joining)) == build,
          std::string(spec) + ": rows that join were lost");
    const std::uint64_t pass = all(passing.size());
    check(pass >= build && pass < build + (probe - build) / 50,
          std::string(spec) + ": " + std::to_string(pass) + " rows pass");
}

/// The rank's rows, of which rank 0 may have other ones; what kind they lead to.
void chosen(const std::string& what, const Keys& rows, std::size_t keys_of_all, Kind kind,
            bool hashed = false) {
    const JoinFilter filter = reduced("auto:split256", keys_of_all, inserting({rows, hashed}));
    check(filter.kind() == kind, what + ": " + filter.why());
    check(same_on_all(filter), what + ": other ranks have another filter");
    // Everybody asks about everybody's rows.
    for (int of = 0; of < ranks; ++of) {
        auto n = static_cast<std::uint64_t>(rows.size());
        MPI_Bcast(&n, 1, MPI_UINT64_T, of, MPI_COMM_WORLD);
        Keys asked = rows;
        asked.resize(n);
        MPI_Bcast(asked.data(), static_cast<int>(n), MPI_UINT64_T, of, MPI_COMM_WORLD);
        check(filter.count({asked, hashed}) == n, what + ": rows of a rank were lost");
    }
}

void every_kind() {
    const auto mine = static_cast<std::uint64_t>(rank);
    Keys dense, far;
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
    chosen("one rank alone", rank == ranks - 1 ? dense : Keys(), 15'000, Kind::bitmap);
}

/// A rank that fails, and one that leaves a partition unsealed: all accept all, by both calls.
void missing_ranks() {
    const auto rows = share(1'000);
    const std::string one_of = "1 of " + std::to_string(ranks);
    for (const char* spec : {"split256", "auto:split256"}) {
        const auto expect = [&](const std::string& says, const Fill& fill) {
            expect_all(reduced(spec, 1'000, fill), ranks == 1 ? "" : says);
        };
        for (const int fails : {0, ranks - 1}) {
            const std::string which = std::to_string(fails);
            const Fill throws = [&](JoinBuilder& builder) {
                builder.insert({rows});
                if (rank == fails) throw std::runtime_error("the disk is full");
            };
            const Fill leaves_one_unsealed = [&](JoinBuilder& builder) {
                builder.announce(2);
                builder.insert({rows});
                builder.seal(0);
                if (rank != fails) builder.seal(1);
            };
            for (const Fill& fill : {throws, leaves_one_unsealed}) {
                expect(one_of + " parts of the build side are missing: " + which, fill);
                expect_all(built(spec, 1'000, settings(), fill),
                           one_of + " senders were missing: " + which + " (failed)");
            }
        }
        expect("all", [](JoinBuilder&) { throw 1; });
        expect("all", [&](JoinBuilder& builder) {
            builder.insert({rows});
            if (rank == 0) builder.unite(JoinFilter::accept_all());
        });
        // All there: the same call gives a filter.
        const auto filter = reduced(spec, 1'000, [&](JoinBuilder& builder) {
            const auto first = builder.announce(1);
            builder.insert({rows});
            builder.seal(first);
        });
        check(filter.kind() == Kind::filter && filter.count({rows}) == rows.size(), filter.why());
    }
}

void misuse() {
    const auto build = [](const char* spec, std::size_t keys) {
        return build_on_all_ranks(spec, keys, 20, JoinColumn{}, MPI_COMM_WORLD);
    };
    refused([&] { build("auto", 0); }, "keys_of_all_ranks=0");
    refused([&] { build("cuckoo12", 9); }, "cuckoo12");
    check(build("split256", 100).kind() == Kind::none, "nobody has rows, and yet some pass");
    check(most_counted == 1, std::to_string(most_counted) + " numbers of rows are added up");
    const auto filter = reduced("split256", 100, inserting({rank == ranks - 1 ? Keys{5} : Keys()}));
    check(filter.filter() != nullptr && filter.filter()->contains(std::uint64_t{5}),
          "a row of the last rank is lost");

    auto cuckoo = make_filter("cuckoo12", 100, 20);
    refused([&] { union_of_all_ranks(cuckoo, MPI_COMM_WORLD); }, "cuckoo12");
    if (ranks == 1) return;
    auto seeded = make_filter("split256", 100, 12, {.seed = static_cast<std::uint64_t>(rank)});
    refused([&] { union_of_all_ranks(seeded, MPI_COMM_WORLD); }, "differ");
    auto sized = make_filter("split256", rank == 0 ? 100 : 200, 12);
    refused([&] { union_of_all_ranks(sized, MPI_COMM_WORLD); }, "differ");
}

// build_by_messages: ranks that are late or have too much.

/// The bits of the all-reduce, in parts that are sent at once and in others.
void all_there() {
    for (const std::size_t n : {1'000u, 400'000u}) {
        const auto rows = share(n);
        const auto filter = built("split256", n, settings(), inserting({rows}));
        check(
            filter.filter() != nullptr &&
                save(*filter.filter()) == save(*reduced("split256", n, inserting({rows})).filter()),
            "not the bits of the all-reduce: " + filter.why());
    }
    const Keys mine{key(static_cast<std::uint64_t>(rank))};
    const auto list = built("auto", 1'000, settings(), inserting({mine}));
    check(list.kind() == Kind::list && same_on_all(list), list.why());
    for (int of = 0; of < ranks; ++of)
        check(list.count({Keys{key(static_cast<std::uint64_t>(of))}}) == 1,
              "a row of a rank is lost: " + list.why());
    check(built("auto", 10, settings(), [](JoinBuilder&) {}).kind() == Kind::none, "no rows");
}

void example() {
    const auto rows = share(1'000);
    const int tag = settings().tag;
    /// Example of MessageSettings.
    //! [MessageSettings]
    MessageSettings how{.timeout = std::chrono::seconds(60)};
    how.tag = tag;  // every call has its own
    const JoinFilter filter =
        build_by_messages("auto", 1'000, 12, [&](JoinBuilder& builder) { builder.insert({rows}); },
                          MPI_COMM_WORLD, how, {.seed = 7});
    //! [MessageSettings]
    check(filter.count({rows}) == rows.size(), "rows are lost: " + filter.why());
}

void one_is_too_large() {
    for (const int large : {0, ranks - 1})
        expect_all(built("auto", 20'000, settings(60s, 1'000),
                         [&](JoinBuilder& builder) {
                             Keys rows;
                             for (std::uint64_t i = 0; i < (rank == large ? 9'000u : 3u); ++i)
                                 rows.push_back(key(i));
                             builder.insert({rows});
                         }),
                   "sender " + std::to_string(large) + " is more than max_bytes=1000");
}

/// Nobody waits for a rank that is late, first or last: it goes on only when the others are done.
void one_is_late() {
    const auto token = [](bool sends, int to_or_from) {
        char byte = 0;
        if (sends) MPI_Send(&byte, 1, MPI_CHAR, to_or_from, 50, MPI_COMM_WORLD);
        else MPI_Recv(&byte, 1, MPI_CHAR, to_or_from, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    for (const int late : {0, ranks - 1}) {
        if (ranks == 1) break;
        const auto rows = share(300'000);
        const auto filter = built("split256", 300'000, settings(200ms), [&](JoinBuilder& builder) {
            builder.insert({rows});
            for (int other = 0; rank == late && other < ranks; ++other)
                if (other != late) token(false, other);
        });
        if (rank != late) token(true, late);
        const bool asked_in_vain = rank != 0 && (late == 0 || rank == late);
        expect_all(filter, asked_in_vain ? "no filter came from rank 0 in 400 ms"
                           : rank == 0   ? "closed when "
                                         : "all: ");
    }
}

void builds_by_messages() {
    all_there();
    example();
    one_is_too_large();
    one_is_late();
    all_there();  // what came late stays behind
    const auto build = [](const char* spec, std::size_t keys, std::size_t max_bytes = 8 << 20) {
        built(spec, keys, settings(1s, max_bytes), [](JoinBuilder&) {});
    };
    refused([&] { build("auto", 0); }, "n_keys=0");
    refused([&] { build("cuckoo12", 9); }, "cuckoo12");
    refused([&] { build("auto", 9, 0); }, "max_bytes=0");
    refused([&] { build("auto", 9, (std::size_t{1} << 30) + 1); }, "max_bytes=1073741825");
}

}  // namespace

// The calls of the library, before MPI has them: what lies behind a number is not to be sent.
extern "C" int MPI_Allreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op,
                             MPI_Comm communicator) {
    if (op != MPI_BOR) most_counted = std::max(most_counted, n);
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
    misuse();
    failures = static_cast<int>(all(static_cast<std::uint64_t>(failures)));
    MPI_Finalize();
    return failures != 0;
}
