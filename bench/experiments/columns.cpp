// ns a row that a filter is asked for, by the type of the columns, against 64-bit keys that lie in
// one span.
#include <chrono>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::size_t n = 1 << 20, vector_rows = 2048, n_words = 1000;
constexpr int rounds = 15;

/// The columns of n rows: numbers below 2 * keys, and what is made of them.
struct Columns {
    std::vector<std::uint64_t> u64;
    std::vector<std::int32_t> i32, other;
    std::vector<std::int8_t> i8;
    std::vector<double> f64;
    std::vector<std::int16_t> codes;
    std::vector<std::string> word_texts;
    std::vector<std::string_view> words;
    std::string bytes;
    std::vector<std::int32_t> offsets{0};
    std::vector<std::uint8_t> valid = std::vector<std::uint8_t>(n / 8, 0x7F);

    explicit Columns(std::size_t keys) {
        for (std::size_t row = 0; row < n; ++row) {
            const std::uint64_t random = KeyHasher{}(row), number = random % (2 * keys);
            u64.push_back(number);
            i32.push_back(static_cast<std::int32_t>(number));
            i8.push_back(static_cast<std::int8_t>(number));
            f64.push_back(static_cast<double>(number));
            other.push_back(static_cast<std::int32_t>(random >> 50));
            codes.push_back(static_cast<std::int16_t>(random % n_words));
            bytes += "user" + std::to_string(number);
            offsets.push_back(static_cast<std::int32_t>(bytes.size()));
        }
        for (std::size_t word = 0; word < n_words; ++word)
            word_texts.push_back("a city named " + std::to_string(word));
        words.assign(word_texts.begin(), word_texts.end());
    }
};

/// A vector of rows from `first` on.
using RowsOf = std::function<JoinRows(std::size_t first, std::size_t rows)>;

struct Way {
    std::string name;
    std::function<std::size_t(std::uint32_t* out, std::size_t first)> select;
    std::function<void(std::uint64_t* out, std::size_t first)> hash = nullptr;
    std::vector<double> select_times = {}, hash_times = {};
};

/// A filter of the rows whose number is even, and of strangers up to `keys` keys.
JoinFilter filter_of(const Columns& columns, const RowsOf& rows_of, std::size_t keys) {
    std::vector<std::uint32_t> even;
    for (std::uint32_t row = 0; row < n; ++row)
        if (columns.u64[row] % 2 == 0) even.push_back(row);
    JoinBuilder builder("split256", keys, 12);
    rows_of(0, n).insert_into(builder, even);
    std::vector<std::uint64_t> strangers(keys - std::min(keys, even.size()));
    std::iota(strangers.begin(), strangers.end(), std::uint64_t{1} << 40);
    for (std::uint64_t& hash : strangers) hash = KeyHasher{}(hash, 1);
    builder.insert({strangers, true});
    return std::move(builder).finish();
}

double ns_a_row(const std::function<void(std::size_t first)>& run) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t first = 0; first < n; first += vector_rows) run(first);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    return time.count() / static_cast<double>(n);
}

void print_times(std::size_t keys) {
    const Columns c(keys);
    const auto part = [](const auto& values) {
        return [&values](std::size_t first, std::size_t rows) {
            return KeyColumn(std::span(values).subspan(first, rows));
        };
    };
    const auto strings = [&](std::size_t first, std::size_t rows) {
        return KeyColumn::strings(c.bytes.data(), std::span(c.offsets).subspan(first, rows + 1));
    };
    std::vector<std::pair<std::string, RowsOf>> all;
    const auto add = [&](const char* name, const RowsOf& rows_of) {
        all.emplace_back(name, rows_of);
    };
    add("64 bits", [=, &c](auto f, auto r) { return JoinRows({part(c.u64)(f, r)}); });
    add("32 bits", [=, &c](auto f, auto r) { return JoinRows({part(c.i32)(f, r)}); });
    add("32 bits, 1 in 8 NULL", [=, &c](auto f, auto r) {
        return JoinRows({part(c.i32)(f, r).with_validity(c.valid.data(), f)});
    });
    add("8 bits", [=, &c](auto f, auto r) { return JoinRows({part(c.i8)(f, r)}); });
    add("double", [=, &c](auto f, auto r) { return JoinRows({part(c.f64)(f, r)}); });
    add("strings of 5 to 11 bytes", [=](auto f, auto r) { return JoinRows({strings(f, r)}); });
    add("two of 32 bits", [=, &c](auto f, auto r) {
        return JoinRows({part(c.i32)(f, r), part(c.other)(f, r)});
    });
    add("two of 32 bits, 1 in 8 NULL, IS NOT DISTINCT FROM", [=, &c](auto f, auto r) {
        return JoinRows({part(c.i32)(f, r).with_validity(c.valid.data(), f), part(c.other)(f, r)},
                        Nulls::equal);
    });
    add("string and 32 bits", [=, &c](auto f, auto r) {
        return JoinRows({strings(f, r), part(c.other)(f, r)});
    });
    const RowsOf coded = [=, &c](auto f, auto r) {
        return JoinRows({KeyColumn::dictionary(part(c.codes)(f, r), c.words)});
    };
    add("dictionary of 1,000 strings", coded);

    std::vector<Way> ways;
    const JoinFilter plain = filter_of(c, all[0].second, keys);
    ways.push_back({"a span, `JoinFilter`", [&](std::uint32_t* out, std::size_t first) {
                        return plain.select({std::span(c.u64).subspan(first, vector_rows)},
                                            {out, vector_rows});
                    }});
    for (const auto& [name, rows_of] : all) {
        const JoinFilter filter = filter_of(c, rows_of, keys);
        const RowsOf of = rows_of;
        // Both shapes of answer are those of rows one by one, as the tests compare; here the
        // counts.
        if (of(0, n).count(filter) != [&] {
                std::size_t found = 0;
                for (std::size_t row = 0; row < n; ++row) found += of(row, 1).count(filter);
                return found;
            }())
            throw std::runtime_error(name + ": another answer");
        ways.push_back({name,
                        [filter, of](std::uint32_t* out, std::size_t first) {
                            return of(first, vector_rows).select(filter, {out, vector_rows});
                        },
                        [of](std::uint64_t* out, std::size_t first) {
                            of(first, vector_rows).hashes({out, vector_rows});
                        }});
    }
    const JoinFilter codes = codes_that_pass(filter_of(c, coded, keys), c.words);
    ways.push_back(
        {"its codes, by `codes_that_pass`", [&](std::uint32_t* out, std::size_t first) {
             return JoinRows({part(c.codes)(first, vector_rows)}).select(codes, {out, vector_rows});
         }});

    std::vector<std::uint32_t> out(vector_rows);
    std::vector<std::uint64_t> hashes(vector_rows);
    std::size_t found = 0;
    for (int round = 0; round < rounds; ++round)
        for (Way& way : ways) {
            way.select_times.push_back(
                ns_a_row([&](std::size_t first) { found += way.select(out.data(), first); }));
            if (way.hash)
                way.hash_times.push_back(
                    ns_a_row([&](std::size_t first) { way.hash(hashes.data(), first); }));
        }
    if (found == 0) throw std::runtime_error("no row was found");
    const double span = median(ways[0].select_times);
    for (const Way& way : ways) {
        const double select = median(way.select_times);
        print_row({way.name, std::to_string(keys),
                   &way == ways.data() ? text("%.2f", select)
                                       : text("%.2f (%.1f)", select, select / span),
                   way.hash ? text("%.2f", median(way.hash_times)) : ""});
    }
}

}  // namespace

int main() {
    print_header({"column", "keys", "ns a row selected (times the span's)", "ns a row hashed"});
    for (const std::size_t keys : {50'000u, 4'000'000u}) print_times(keys);
    print_source("columns");
}
