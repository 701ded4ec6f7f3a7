// Joins of several tables in any order: left-deep, the first table streamed a vector at a time
// through the hash tables of the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "experiments/joins/unchained.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::bench {

inline constexpr std::size_t max_edges = 4;

/// A table with a column of keys for each edge that it has, and a number for each row that no row
/// of another table has.
struct JoinTable {
    std::array<std::vector<std::uint64_t>, max_edges> column;  ///< empty for other edges
    std::vector<std::uint64_t> row;
    std::size_t size() const { return row.size(); }
};

/// Edge e joins the tables ends[e][0] and ends[e][1]. The edges are a tree.
struct JoinGraph {
    std::vector<std::shared_ptr<const JoinTable>> tables;
    std::vector<std::array<std::size_t, 2>> ends;
    std::size_t other_end(std::size_t edge, std::size_t table) const {
        return ends[edge][0] == table ? ends[edge][1] : ends[edge][0];
    }
};

/// Rows of a result, and a sum over them that does not depend on their order.
struct JoinedRows {
    std::uint64_t rows = 0, sum = 0, most = 0;  ///< most: rows of the largest prefix
    friend bool operator==(const JoinedRows& a, const JoinedRows& b) {
        return a.rows == b.rows && a.sum == b.sum;
    }
};

/// The orders in which each table has an edge to one before it.
inline std::vector<std::vector<std::size_t>> join_orders(const JoinGraph& graph) {
    std::vector<std::vector<std::size_t>> orders, open{{}};
    while (!open.empty()) {
        const auto prefix = open.back();
        open.pop_back();
        if (prefix.size() == graph.tables.size()) orders.push_back(prefix);
        for (std::size_t t = 0; t < graph.tables.size(); ++t) {
            const auto has = [&](std::size_t x) { return std::ranges::count(prefix, x) != 0; };
            const bool joins =
                prefix.empty() || std::ranges::any_of(graph.ends, [&](auto ends) {
                    return (ends[0] == t && has(ends[1])) || (ends[1] == t && has(ends[0]));
                });
            if (has(t) || !joins) continue;
            open.push_back(prefix);
            open.back().push_back(t);
        }
    }
    return orders;
}

/// Runs one order. Hash tables of all tables but the first are built, which is part of the time.
class Pipeline {
public:
    Pipeline(const JoinGraph& graph, std::span<const std::size_t> order)
        : stream_(graph.tables[order[0]]) {
        std::vector<bool> in(graph.tables.size());
        in[order[0]] = true;
        for (const std::size_t t : order.subspan(1)) {
            Step step{graph.tables[t], 0, {}, {}, {}, {}};
            for (std::size_t e = 0; e < graph.ends.size(); ++e) {
                const auto [a, b] = graph.ends[e];
                if (a != t && b != t) {
                    if (in[a] != in[b]) step.passed.push_back(e);
                } else if (in[graph.other_end(e, t)]) {
                    step.edge = e;
                } else {
                    step.brought.push_back(e);
                }
            }
            in[t] = true;
            step.table.emplace(step.source->column[step.edge]);
            steps_.push_back(std::move(step));
        }
    }

    JoinedRows run() {
        JoinedRows joined;
        Chunk chunk;
        for (std::size_t at = 0; at < stream_->size(); at += Unchained::vector_rows) {
            chunk.size = std::min(Unchained::vector_rows, stream_->size() - at);
            for (std::size_t i = 0; i < chunk.size; ++i)
                chunk.sum[i] = hash_key(stream_->row[at + i]);
            for (std::size_t e = 0; e < max_edges; ++e)
                if (!stream_->column[e].empty())
                    std::copy_n(stream_->column[e].begin() + static_cast<std::ptrdiff_t>(at),
                                chunk.size, chunk.keys[e].begin());
            pass(0, chunk, joined);
        }
        for (const Step& step : steps_) joined.most = std::max(joined.most, step.rows);
        return joined;
    }

private:
    struct Chunk {
        std::array<std::array<std::uint64_t, Unchained::vector_rows>, max_edges> keys;
        std::array<std::uint64_t, Unchained::vector_rows> sum;
        std::size_t size = 0;
    };
    struct Step {
        std::shared_ptr<const JoinTable> source;
        std::size_t edge;  // that it is joined by
        std::vector<std::size_t> passed,
            brought;  // edges of later tables: of those before, its own
        std::optional<Unchained> table;
        std::unique_ptr<Chunk> out;
        std::uint64_t rows = 0;
    };

    void pass(std::size_t number, const Chunk& in, JoinedRows& joined) {
        if (number == steps_.size()) {
            joined.rows += in.size;
            for (std::size_t i = 0; i < in.size; ++i) joined.sum += hash_key(in.sum[i]);
            return;
        }
        Step& step = steps_[number];
        if (!step.out) step.out = std::make_unique<Chunk>();
        Chunk& out = *step.out;
        step.table->probe(std::span(in.keys[step.edge]).first(in.size),
                          [&](std::uint32_t i, std::uint64_t row) {
                              out.sum[out.size] = in.sum[i] + hash_key(step.source->row[row]);
                              for (const std::size_t e : step.passed)
                                  out.keys[e][out.size] = in.keys[e][i];
                              for (const std::size_t e : step.brought)
                                  out.keys[e][out.size] = step.source->column[e][row];
                              if (++out.size == Unchained::vector_rows) flush(number, joined);
                          });
        flush(number, joined);
    }
    void flush(std::size_t number, JoinedRows& joined) {
        Step& step = steps_[number];
        step.rows += step.out->size;
        pass(number + 1, *step.out, joined);
        step.out->size = 0;
    }

    std::shared_ptr<const JoinTable> stream_;
    std::vector<Step> steps_;
};

/// The rows of the table whose key on that edge the filter finds.
inline JoinTable reduced(const JoinTable& table, std::size_t edge, const AnyFilter& filter) {
    std::vector<std::uint32_t> kept(table.size());
    kept.resize(filter.select(table.column[edge], kept));
    const auto only_kept = [&](const std::vector<std::uint64_t>& column) {
        std::vector<std::uint64_t> values;
        if (column.empty()) return values;
        values.reserve(kept.size());
        for (const std::uint32_t i : kept) values.push_back(column[i]);
        return values;
    };
    JoinTable left;
    for (std::size_t e = 0; e < max_edges; ++e) left.column[e] = only_kept(table.column[e]);
    left.row = only_kept(table.row);
    return left;
}

/// Predicate transfer (Yang et al. 2024): filters go along the tree of joins, from the leaves to
/// the largest table and back, and each table keeps the rows that a neighbour's filter finds.
inline JoinGraph transferred(JoinGraph graph) {
    const auto size = [](const auto& table) { return table->size(); };
    // Each table behind the one that it is reached from.
    std::vector<std::size_t> reached{static_cast<std::size_t>(
        std::ranges::max_element(graph.tables, {}, size) - graph.tables.begin())};
    struct Way {
        std::size_t edge, nearer, farther;
    };
    std::vector<Way> ways;
    for (std::size_t i = 0; i < reached.size(); ++i)
        for (std::size_t e = 0; e < graph.ends.size(); ++e) {
            if (std::ranges::count(graph.ends[e], reached[i]) == 0) continue;
            const std::size_t other = graph.other_end(e, reached[i]);
            if (std::ranges::count(reached, other) != 0) continue;
            ways.push_back({e, reached[i], other});
            reached.push_back(other);
        }
    const auto transfer = [&](std::size_t edge, std::size_t from, std::size_t to) {
        const auto& keys = graph.tables[from]->column[edge];
        AnyFilter filter = make_filter("split256", std::max<std::size_t>(keys.size(), 1), 12);
        filter.insert(keys);
        graph.tables[to] =
            std::make_shared<const JoinTable>(reduced(*graph.tables[to], edge, filter));
    };
    for (std::size_t i = ways.size(); i-- > 0;)
        transfer(ways[i].edge, ways[i].farther, ways[i].nearer);
    for (const Way& way : ways) transfer(way.edge, way.nearer, way.farther);
    return graph;
}

}  // namespace simdbloom::bench
