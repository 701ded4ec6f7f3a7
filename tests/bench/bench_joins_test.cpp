// The hash table and the pipelines of the experiments with joins.
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "experiments/joins/pipeline.hpp"
#include "support.hpp"

namespace simdbloom::bench {
namespace {

using Matches = std::multimap<std::uint32_t, std::uint64_t>;

template <bool tags>
Matches matches_of(const Unchained& table, const std::vector<std::uint64_t>& probe) {
    Matches all;
    table.probe<tags>(probe, [&](std::uint32_t i, std::uint64_t value) { all.emplace(i, value); });
    return all;
}

TEST(Unchained, HasEveryRowOfAKeyAndNoOther) {
    for (const std::size_t rows : {0u, 1u, 2u, 3u, 1000u, 1025u}) {
        std::mt19937_64 random(rows);
        std::vector<std::uint64_t> keys(rows), probe(Unchained::vector_rows);
        for (auto& key : keys) key = random() % (rows + 1);
        for (auto& key : probe) key = random() % (2 * rows + 2);
        Matches right;
        for (std::uint32_t i = 0; i < probe.size(); ++i)
            for (std::size_t r = 0; r < rows; ++r)
                if (keys[r] == probe[i]) right.emplace(i, r);
        const auto sorted = [](const Matches& m) {
            return std::multiset<std::pair<std::uint32_t, std::uint64_t>>(m.begin(), m.end());
        };
        const Unchained table(keys);
        EXPECT_EQ(sorted(matches_of<true>(table, probe)), sorted(right)) << rows;
        EXPECT_EQ(sorted(matches_of<false>(table, probe)), sorted(right)) << rows;

        const std::vector<std::uint32_t> numbers{5, 2, 2000};
        Matches some;
        table.probe(probe.data(), numbers,
                    [&](std::uint32_t i, std::uint64_t value) { some.emplace(i, value); });
        std::size_t expected = 0;
        for (const auto i : numbers) expected += right.count(i);
        EXPECT_EQ(some.size(), expected) << rows;
    }
}

/// A chain of three tables, and a fourth beside the middle one.
JoinGraph small_graph(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    JoinGraph graph;
    graph.ends = {{0, 1}, {1, 2}, {1, 3}};
    for (std::size_t t = 0; t < 4; ++t) {
        JoinTable table;
        for (std::uint64_t i = 0; i < 20 + 5 * t; ++i) table.row.push_back(t << 40 | i);
        for (std::size_t e = 0; e < graph.ends.size(); ++e)
            if (graph.ends[e][0] == t || graph.ends[e][1] == t)
                for (std::size_t i = 0; i < table.size(); ++i)
                    table.column[e].push_back(random() % 30);
        graph.tables.push_back(std::make_shared<const JoinTable>(std::move(table)));
    }
    return graph;
}
JoinedRows by_nested_loops(const JoinGraph& g) {
    JoinedRows joined;
    const auto& [a, b, c, d] = std::tie(*g.tables[0], *g.tables[1], *g.tables[2], *g.tables[3]);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j)
            for (std::size_t k = 0; k < c.size(); ++k)
                for (std::size_t l = 0; l < d.size(); ++l)
                    if (a.column[0][i] == b.column[0][j] && b.column[1][j] == c.column[1][k] &&
                        b.column[2][j] == d.column[2][l]) {
                        ++joined.rows;
                        joined.sum += hash_key(hash_key(a.row[i]) + hash_key(b.row[j]) +
                                               hash_key(c.row[k]) + hash_key(d.row[l]));
                    }
    return joined;
}

TEST(Pipeline, EveryOrderGivesTheRowsOfNestedLoopsWithAndWithoutTransfer) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const JoinGraph graph = small_graph(seed);
        const JoinedRows right = by_nested_loops(graph);
        const JoinGraph reduced = transferred(graph);
        const auto orders = join_orders(graph);
        EXPECT_EQ(orders.size(), 3u * 2 + 6) << "a leaf first, or the middle";
        for (const auto& order : orders) {
            EXPECT_EQ(Pipeline(graph, order).run(), right) << seed;
            EXPECT_EQ(Pipeline(reduced, order).run(), right) << seed;
        }
        for (std::size_t t = 0; t < 4; ++t)
            EXPECT_LT(reduced.tables[t]->size(), graph.tables[t]->size()) << t;
    }
}
TEST(Pipeline, AnEmptyTableJoinsNothing) {
    JoinGraph graph = small_graph(1);
    graph.tables[2] = std::make_shared<const JoinTable>();
    for (const auto& order : join_orders(graph)) {
        EXPECT_EQ(Pipeline(graph, order).run().rows, 0u);
        EXPECT_EQ(Pipeline(transferred(graph), order).run().rows, 0u);
    }
}

}  // namespace
}  // namespace simdbloom::bench
