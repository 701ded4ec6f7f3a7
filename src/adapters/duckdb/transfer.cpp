// bloom_transfer(tables, joins, select [, tail [, backward]]).
//
//            fact          forward: leaves first, each table sends a filter of its keys towards
//           /    \                  the first table
//        order   part      backward, if that is asked for: the first table, reduced by all of them
//          |                         and read once more, sends filters back
//       customer
#include "adapters/duckdb/transfer.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "adapters/duckdb/functions.hpp"
#include "adapters/duckdb/keys.hpp"

DUCKDB_EXTENSION_EXTERN

namespace simdbloom::duckdb {
namespace {

std::string trimmed(const std::string& text) {
    const auto space = [](unsigned char c) { return std::isspace(c) != 0; };
    const auto begin = std::find_if_not(text.begin(), text.end(), space);
    const auto end = std::find_if_not(text.rbegin(), text.rend(), space).base();
    return begin < end ? std::string(begin, end) : std::string();
}

/// The parts of a text between `word`, in any case, outside of quotes and parentheses. A word of
/// letters stands between spaces.
std::vector<std::string> split(const std::string& text, const std::string& word, bool once) {
    const auto lower = [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    };
    std::vector<std::string> parts;
    std::size_t from = 0;
    int depth = 0;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0) {
            if (c == quote) quote = 0;
            continue;
        }
        if (c == '\'' || c == '"') quote = c;
        if (c == '(') ++depth;
        if (c == ')') --depth;
        const bool here =
            depth == 0 && text.size() - i >= word.size() &&
            std::equal(word.begin(), word.end(), text.begin() + static_cast<std::ptrdiff_t>(i),
                       [&](char a, char b) { return a == lower(b) || (a == ' ' && b == '\n'); });
        if (!here || (once && !parts.empty())) continue;
        parts.push_back(trimmed(text.substr(from, i - from)));
        from = i + word.size();
        i = from - 1;
    }
    parts.push_back(trimmed(text.substr(from)));
    return parts;
}

struct Table {
    std::string text, source, alias, predicate;
    std::size_t parent = 0;
    std::vector<std::size_t> children;
    std::string columns, parents_columns;  ///< of the join with the parent
    std::string condition;
    std::size_t predicates = 0;          ///< in it and below it
    std::size_t sent = 0, received = 0;  ///< the numbers of its filters, or 0
};

Table table_of(const std::string& text) {
    Table table;
    table.text = text;
    const auto parts = split(text, " where ", true);
    if (parts.size() > 1) table.predicate = parts[1];
    const auto words = split(parts[0], " ", false);
    std::vector<std::string> names;
    std::ranges::copy_if(words, std::back_inserter(names),
                         [](const std::string& word) { return !word.empty(); });
    const bool has_as = names.size() == 3 && (names[1] == "AS" || names[1] == "as");
    if (names.empty() || (names.size() != (has_as ? 3 : 2) && names.size() != 1) ||
        (parts.size() > 1 && table.predicate.empty()))
        throw std::invalid_argument("\"" + text +
                                    "\" is no table: NAME ALIAS or NAME ALIAS WHERE predicate");
    table.source = names.front();
    table.alias = names.back();
    table.predicates = table.predicate.empty() ? 0 : 1;
    return table;
}

/// A join of two tables by columns.
struct Edge {
    std::string text;
    std::string alias[2], columns[2];
    bool used = false;
};

Edge edge_of(const std::string& text) {
    const auto refuse = [&]() {
        throw std::invalid_argument("\"" + text + "\" is no join: a.x = b.y [AND a.u = b.v]");
    };
    Edge edge;
    edge.text = text;
    for (const std::string& equation : split(text, " and ", false)) {
        const auto sides = split(equation, "=", false);
        if (sides.size() != 2) refuse();
        std::string alias[2], column[2];
        for (const int side : {0, 1}) {
            const std::size_t dot = sides[static_cast<std::size_t>(side)].find('.');
            if (dot == std::string::npos) refuse();
            alias[side] = trimmed(sides[static_cast<std::size_t>(side)].substr(0, dot));
            column[side] = trimmed(sides[static_cast<std::size_t>(side)].substr(dot + 1));
            if (alias[side].empty() || column[side].empty()) refuse();
        }
        if (edge.alias[0].empty()) {
            edge.alias[0] = alias[0];
            edge.alias[1] = alias[1];
        } else if (alias[0] == edge.alias[1] && alias[1] == edge.alias[0]) {
            std::swap(column[0], column[1]);
        } else if (alias[0] != edge.alias[0] || alias[1] != edge.alias[1]) {
            refuse();
        }
        for (const int side : {0, 1})
            edge.columns[side] += (edge.columns[side].empty() ? "" : ", ") + column[side];
    }
    return edge;
}

/// The tables as a tree below the first one, parents before their children.
std::vector<std::size_t> connect(std::vector<Table>& tables, std::vector<Edge>& edges) {
    for (const Edge& edge : edges)
        for (const std::string& alias : edge.alias)
            if (std::ranges::count(tables, alias, &Table::alias) != 1)
                throw std::invalid_argument("\"" + edge.text + "\" joins " + alias +
                                            ", which is not one of the tables");
    std::vector<std::size_t> order{0};
    for (std::size_t i = 0; i < order.size(); ++i)
        for (Edge& edge : edges) {
            if (edge.used) continue;
            const std::size_t parent = order[i];
            const int side = edge.alias[0] == tables[parent].alias   ? 0
                             : edge.alias[1] == tables[parent].alias ? 1
                                                                     : 2;
            if (side == 2) continue;
            const auto other = std::ranges::find(tables, edge.alias[1 - side], &Table::alias);
            const auto child = static_cast<std::size_t>(other - tables.begin());
            if (std::ranges::count(order, child) != 0)
                throw std::invalid_argument("\"" + edge.text + "\" closes a circle of joins");
            edge.used = true;
            other->parent = parent;
            other->columns = edge.columns[1 - side];
            other->parents_columns = edge.columns[side];
            other->condition = edge.text;
            tables[parent].children.push_back(child);
            order.push_back(child);
        }
    for (std::size_t i = 0; i < tables.size(); ++i)
        if (std::ranges::count(order, i) == 0)
            throw std::invalid_argument("no join leads to \"" + tables[i].text + "\"");
    return order;
}

class Writer {
public:
    Writer(std::vector<Table> tables, std::vector<std::size_t> order, bool backward)
        : tables_(std::move(tables)), order_(std::move(order)) {
        for (std::size_t i = order_.size(); i-- > 1;) {
            Table& table = tables_[order_[i]];
            tables_[table.parent].predicates += table.predicates;
            if (table.predicates > 0) table.sent = add(table, table.columns);
        }
        if (!backward) return;
        // A filter of what the receiver knows itself tells it nothing.
        for (std::size_t i = 1; i < order_.size(); ++i) {
            Table& table = tables_[order_[i]];
            if (tables_[0].predicates > table.predicates)
                table.received = add(tables_[table.parent], table.parents_columns);
        }
    }

    std::string query(const std::string& select, const std::string& tail) const {
        std::string text = filters_.empty() ? "" : "WITH " + filters_ + "\n";
        text += "SELECT " + select + "\nFROM " + reduced(tables_[0]);
        for (std::size_t i = 1; i < order_.size(); ++i) {
            const Table& table = tables_[order_[i]];
            text += "\nJOIN " + reduced(table) + " ON " + table.condition;
        }
        return tail.empty() ? text : text + "\n" + tail;
    }

private:
    std::size_t add(const Table& table, const std::string& columns) {
        const bool several = split(columns, ",", false).size() > 1;
        filters_ += std::string(filters_.empty() ? "" : ",\n     ") + "bloom_" +
                    std::to_string(++added_) + " AS MATERIALIZED (SELECT bloom_filter(" +
                    (several ? "(" + columns + ")" : columns) + ") AS f FROM " + rows(table) + ")";
        return added_;
    }
    std::string rows(const Table& table) const {
        std::string text = table.source + " AS " + table.alias, sep = " WHERE ";
        const auto also = [&](const std::string& condition) {
            text += sep + condition;
            sep = " AND ";
        };
        const auto passes = [&](std::size_t filter, const std::string& columns) {
            if (filter == 0) return;
            also("bloom_contains((SELECT bloom_ref(f) FROM bloom_" + std::to_string(filter) +
                 "), " + columns + ")");
        };
        if (!table.predicate.empty()) also("(" + table.predicate + ")");
        for (const std::size_t child : table.children)
            passes(tables_[child].sent, tables_[child].parents_columns);
        passes(table.received, table.columns);
        return text;
    }
    std::string reduced(const Table& table) const {
        return "(SELECT * FROM " + rows(table) + ") AS " + table.alias;
    }

    std::vector<Table> tables_;
    std::vector<std::size_t> order_;
    std::string filters_;
    std::size_t added_ = 0;
};

/// The texts of a row of a LIST(VARCHAR).
std::vector<std::string> texts_of(duckdb_vector lists, std::size_t row) {
    const duckdb_list_entry entry =
        static_cast<duckdb_list_entry*>(duckdb_vector_get_data(lists))[row];
    const duckdb_vector members = duckdb_list_vector_get_child(lists);
    const std::uint64_t* const valid = duckdb_vector_get_validity(members);
    auto* const strings = static_cast<duckdb_string_t*>(duckdb_vector_get_data(members));
    std::vector<std::string> texts;
    for (idx_t i = entry.offset; i < entry.offset + entry.length; ++i) {
        if (valid != nullptr && (valid[i / 64] >> (i % 64) & 1) == 0)
            throw std::invalid_argument("a table or a join is NULL");
        texts.emplace_back(text_of(strings[i]));
    }
    return texts;
}

void write_transfer(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    try {
        const idx_t given = duckdb_data_chunk_get_column_count(input);
        const auto argument = [&](idx_t i) { return duckdb_data_chunk_get_vector(input, i); };
        const auto text = [&](idx_t i, std::size_t row) {
            return std::string(
                text_of(static_cast<duckdb_string_t*>(duckdb_vector_get_data(argument(i)))[row]));
        };
        for (std::size_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
            for (idx_t i = 0; i < given; ++i) {
                std::uint64_t* const valid = duckdb_vector_get_validity(argument(i));
                if (valid != nullptr && !duckdb_validity_row_is_valid(valid, row))
                    throw std::invalid_argument("argument " + std::to_string(i + 1) + " is NULL");
            }
            const bool backward =
                given == 5 && static_cast<bool*>(duckdb_vector_get_data(argument(4)))[row];
            const std::string sql =
                transfer_sql(texts_of(argument(0), row), texts_of(argument(1), row), text(2, row),
                             given < 4 ? "" : text(3, row), backward);
            duckdb_vector_assign_string_element_len(output, row, sql.data(), sql.size());
        }
    } catch (const std::exception& e) {
        duckdb_scalar_function_set_error(info,
                                         (std::string("bloom_transfer: ") + e.what()).c_str());
    }
}

}  // namespace

std::string transfer_sql(std::span<const std::string> tables, std::span<const std::string> joins,
                         const std::string& select, const std::string& tail, bool backward) {
    if (tables.empty()) throw std::invalid_argument("no tables");
    std::vector<Table> all;
    std::vector<Edge> edges;
    for (const std::string& table : tables) all.push_back(table_of(table));
    for (const std::string& join : joins) edges.push_back(edge_of(join));
    const auto order = connect(all, edges);
    return Writer(std::move(all), order, backward).query(select, tail);
}

bool register_transfer(duckdb_connection connection) {
    const auto describe = [](duckdb_scalar_function function, std::size_t parameters) {
        with_type(DUCKDB_TYPE_VARCHAR, [&](duckdb_logical_type text) {
            duckdb_logical_type texts = duckdb_create_list_type(text);
            for (std::size_t i = 0; i < std::min<std::size_t>(parameters, 4); ++i)
                duckdb_scalar_function_add_parameter(function, i < 2 ? texts : text);
            duckdb_destroy_logical_type(&texts);
            duckdb_scalar_function_set_return_type(function, text);
        });
        if (parameters == 5)
            with_type(DUCKDB_TYPE_BOOLEAN, [&](duckdb_logical_type t) {
                duckdb_scalar_function_add_parameter(function, t);
            });
    };
    return register_overloads(connection, "bloom_transfer", std::array<std::size_t, 3>{3, 4, 5},
                              write_transfer, describe);
}

}  // namespace simdbloom::duckdb
