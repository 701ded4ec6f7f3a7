// Finds the states of the rows of an update.
//
// By DuckDB's C API, `update` gets an array with one state for each row. But for windows over a
// whole partition, and for ORDER BY inside the aggregate, DuckDB 1.5 passes an array of one state
// for all rows, without saying so. Behind that state lies unrelated memory; following it as a
// pointer would crash. We tell the two apart by the known addresses of states, and by how they
// began there.
//
//   hash tables    a state a row; states that are in no run (see States)
//   other windows  a state a row; states of one run
//   one for all    the state is in a run, if only a run of one. Behind it is anything, e.g. the
//                  arrays of other such states, or what is left of them
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>

#include "adapters/duckdb/states.hpp"

namespace simdbloom::duckdb {
namespace {

/// So many states of one run are not adjacent by chance.
constexpr std::size_t enough = 8;

/// A copy of n words; null where they cannot be read. The memory may end after the first word, at
/// the end of a page.
std::vector<const void*> readable(void* const* array, std::size_t n) {
    constexpr std::uintptr_t page = 4096;
    std::vector<const void*> words(n);
    const auto from = reinterpret_cast<std::uintptr_t>(array);
    const std::uintptr_t end = from + n * sizeof *array;
    std::uintptr_t at = std::min(end, (from / page + 1) * page);
    std::copy_n(array, (at - from) / sizeof *array, words.begin());
    while (at < end) {
        const std::uintptr_t next = std::min(end, at + page);
        iovec to{&words[(at - from) / sizeof *array], next - at};
        iovec of{reinterpret_cast<void*>(at), next - at};
        if (process_vm_readv(getpid(), &to, 1, &of, 1, 0) < 0 && errno != EFAULT)
            throw std::runtime_error("windows need the system call process_vm_readv");
        at = next;
    }
    return words;
}

/// This thread's last array of one state for all rows.
thread_local struct {
    const void* array;
    std::uint64_t run;
} single;

/// This thread's last arrays of a state a row.
thread_local struct {
    std::array<const void*, 16> arrays;
    std::size_t next;

    bool have(const void* array) const { return std::ranges::find(arrays, array) != arrays.end(); }
    void add(const void* array) {
        if (!have(array)) arrays[next++ % arrays.size()] = array;
    }
} many;

States::Rows one_for_all(void* const* states, State state) {
    single = {states, state.slot->run};
    state.slot->fixed = true;
    return {{state}};
}

}  // namespace

States::Rows States::of_rows(void* const* states, std::size_t rows) {
    const State first = at(states[0]);
    if (rows == 1) return {{first}};
    const std::uint64_t run = first.slot->run;
    const bool in_table = run == 0;
    if (!in_table && single.array == states && single.run == run) return one_for_all(states, first);

    const auto array =
        in_table ? std::vector<const void*>(states, states + rows) : readable(states, rows);
    Rows result;
    result.states.assign(rows, first);
    bool table = in_table, same_run = false, other = false, foreign = false;
    std::size_t found = 0;
    for (std::size_t row = 1; row < rows && !foreign; ++row) {
        State here = result.states[row - 1];
        if (array[row] != array[row - 1]) {
            const bool sure = table && found >= enough;
            here = sure ? at(array[row]) : find(array[row]);
            ++found;
        }
        result.states[row] = here;
        if (here == first) continue;
        other = true;
        if (here.slot == nullptr) foreign = true;
        else if (here.slot->run == 0) table = true;
        else if (here.slot->fixed && here.slot->run != run) foreign = true;
        else if (here.slot->fixed) same_run = true;
    }
    if (foreign && table) throw std::runtime_error("DuckDB passes unknown states");
    if (foreign) return one_for_all(states, first);
    if (!other) return {{first}};
    if (table || (same_run && (rows >= enough || many.have(states)))) {
        many.add(states);
        result.in_table = table;
        return result;
    }
    result.also = first;
    return result;
}

}  // namespace simdbloom::duckdb
