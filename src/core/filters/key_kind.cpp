#include "simdbloom/key_kind.hpp"

#include <iterator>

#include "simdbloom/detail/errors.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom {
namespace {

struct Names {
    const char* name;
    std::string_view in_words;
};
constexpr Names names[] = {{"unknown", "keys of an unknown kind"},
                           {"integers", "integers"},
                           {"bytes", "text or bytes"},
                           {"floats", "floats"},
                           {"days", "dates"},
                           {"seconds", "instants in seconds"},
                           {"milliseconds", "instants in milliseconds"},
                           {"microseconds", "instants in microseconds"},
                           {"nanoseconds", "instants in nanoseconds"},
                           {"durations", "durations"},
                           {"rows", "rows of several columns"},
                           {"other", "keys that only its own program can hash"}};
static_assert(std::size(names) == static_cast<std::size_t>(last_key_kind) + 1);

// Rows of two columns: 128 + the groups of both, 2 bits each; of three: 128 + 16 + theirs; of more:
// 128 + 80 + their fingerprint.
constexpr unsigned first_rows = 128, of_three = 16, of_more = 80, fingerprints = 48;
constexpr const char* groups[] = {"numbers", "text or bytes", "instants", "durations"};

std::string words_of(KeyKind kind) {
    const auto number = static_cast<unsigned>(kind);
    if (number < first_rows) return std::string(names[number].in_words);
    const unsigned rows = number - first_rows;
    if (rows >= of_more) return "rows of four or more columns";
    const std::string last_two = std::string(groups[rows >> 2 & 3]) + ", " + groups[rows & 3] + ")";
    if (rows < of_three) return "rows of (" + last_two;
    return "rows of (" + std::string(groups[(rows - of_three) >> 4]) + ", " + last_two;
}

[[noreturn]] void refuse_both(KeyKind a, KeyKind b) {
    throw detail::argument_error(words_of(a), " and ", words_of(b),
                                 " cannot be keys of one filter");
}

constexpr bool is_number(KeyKind kind) noexcept {
    return kind == KeyKind::integers || kind == KeyKind::floats;
}

/// One of the rows is of any columns.
constexpr bool are_rows(KeyKind a, KeyKind b) noexcept {
    return is_rows(a) && is_rows(b) && (a == KeyKind::rows || b == KeyKind::rows);
}

}  // namespace

std::string to_string(KeyKind kind) {
    return names[static_cast<std::size_t>(is_rows(kind) ? KeyKind::rows : kind)].name;
}

KeyKind kind_of_rows(std::span<const KeyKind> columns) noexcept {
    std::uint64_t rows = 0;
    for (const KeyKind column : columns) {
        if (!is_number(column) && column != KeyKind::bytes && column != KeyKind::durations &&
            !is_instant(column))
            return KeyKind::rows;
        const unsigned group = is_number(column) ? 0u : column == KeyKind::bytes ? 1u : 3u;
        rows = columns.size() > 3 ? hash_key(rows) : rows << 2;
        rows += is_instant(column) ? 2 : group;
    }
    const std::uint64_t begin = columns.size() == 2 ? 0 : columns.size() == 3 ? of_three : of_more;
    if (columns.size() > 3) rows = hash_key(rows) % fingerprints;
    return static_cast<KeyKind>(first_rows + begin + rows);
}

bool may_ask(KeyKind filter, KeyKind asked) noexcept {
    return filter == asked || filter == KeyKind::unknown || asked == KeyKind::unknown ||
           (is_number(filter) && is_number(asked)) || (is_instant(filter) && is_instant(asked)) ||
           are_rows(filter, asked);
}

void check_may_ask(KeyKind filter, KeyKind asked) {
    if (!may_ask(filter, asked))
        throw detail::argument_error("a filter of ", words_of(filter), " cannot be probed with ",
                                     words_of(asked));
}

KeyKind united(KeyKind a, KeyKind b) {
    if (a == b) return a;
    if (is_number(a) && is_number(b)) return KeyKind::floats;
    if (are_rows(a, b)) return KeyKind::rows;
    if (a != KeyKind::unknown && b != KeyKind::unknown && (is_instant(a) || is_instant(b)))
        refuse_both(a, b);
    return KeyKind::unknown;
}

KeyKind kind_after(KeyKind filter, KeyKind added) {
    if (added == KeyKind::unknown || (is_instant(filter) && is_instant(added))) return filter;
    if (filter == KeyKind::unknown && is_instant(added)) refuse_both(filter, added);
    return united(filter, added);
}

}  // namespace simdbloom
