// build_by_messages: ranks that are late, throw or have too much.
#include <stdexcept>

#include "ranks.hpp"

using namespace simdbloom;
using namespace std::chrono_literals;

namespace {

using Fill = std::function<void(JoinBuilder&)>;
using Kind = JoinFilter::Kind;

/// Every call has its own tags.
MessageSettings settings(std::chrono::milliseconds timeout = 60s, std::size_t max_bytes = 8 << 20) {
    static int tag = 100;
    return {timeout, max_bytes, tag += 2};
}

JoinFilter built(const char* spec, std::size_t keys, const MessageSettings& how, const Fill& fill) {
    return build_by_messages(spec, keys, 12, fill, MPI_COMM_WORLD, how, {.seed = 7});
}

void expect_all(const JoinFilter& filter, const std::string& says) {
    check(filter.kind() == Kind::all, "rows are rejected: " + filter.why());
    check(filter.why().find(says) != std::string::npos, filter.why() + "; not: " + says);
    check(filter.count({share(1'000)}) == share(1'000).size(), "rows are lost: " + filter.why());
}

/// The bits of the all-reduce, in parts that are sent at once and in others.
void all_there() {
    for (const std::size_t n : {1'000u, 400'000u}) {
        const auto rows = share(n);
        const auto fill = [&](JoinBuilder& builder) { builder.insert({rows}); };
        const auto filter = built("split256", n, settings(), fill);
        const auto reduced =
            build_on_all_ranks("split256", n, 12, fill, MPI_COMM_WORLD, {.seed = 7});
        check(filter.filter() != nullptr && save(*filter.filter()) == save(*reduced.filter()),
              "not the bits of the all-reduce: " + filter.why());
    }
    const std::uint64_t mine = key(static_cast<std::uint64_t>(rank));
    const auto list = built("auto", 1'000, settings(), [&](JoinBuilder& builder) {
        builder.insert({{&mine, 1}});
    });
    check(list.kind() == Kind::list && same_on_all(list), list.why());
    for (int of = 0; of < ranks; ++of) {
        const std::uint64_t theirs = key(static_cast<std::uint64_t>(of));
        check(list.count({{&theirs, 1}}) == 1, "a row of a rank is lost: " + list.why());
    }
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

void one_fails() {
    const auto rows = share(1'000);
    for (const int fails : {0, ranks - 1})
        for (const char* spec : {"split256", "auto"}) {
            const std::string missing =
                "1 of " + std::to_string(ranks) + " senders were missing: " + std::to_string(fails);
            expect_all(built(spec, 1'000, settings(),
                             [&](JoinBuilder& builder) {
                                 builder.insert({rows});
                                 if (rank == fails) throw std::runtime_error("the disk is full");
                             }),
                       missing + " (failed)");
            expect_all(built(spec, 1'000, settings(),
                             [&](JoinBuilder& builder) {
                                 builder.announce(1);
                                 if (rank != fails) builder.seal(0);
                             }),
                       missing + " (failed)");
        }
}

void one_is_too_large() {
    for (const int large : {0, ranks - 1})
        expect_all(built("auto", 20'000, settings(60s, 1'000),
                         [&](JoinBuilder& builder) {
                             std::vector<std::uint64_t> rows;
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

}  // namespace

void builds_by_messages() {
    const auto nothing = [](JoinBuilder&) {};
    all_there();
    example();
    one_fails();
    one_is_too_large();
    one_is_late();
    all_there();  // what came late stays behind
    refused([&] { built("auto", 0, settings(), nothing); }, "n_keys=0");
    refused([&] { built("cuckoo12", 9, settings(), nothing); }, "cuckoo12");
    refused([&] { built("auto", 9, settings(1s, 0), nothing); }, "max_bytes=0");
    refused([&] { built("auto", 9, settings(1s, (std::size_t{1} << 30) + 1), nothing); },
            "max_bytes=1073741825");
}
