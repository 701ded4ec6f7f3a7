#include "simdbloom/fixed/detail/fuse.hpp"
#include "simdbloom/detail/errors.hpp"

#include <algorithm>
#include <iterator>

namespace simdbloom::detail {
namespace {

// Graph sizes come from measurements: the share of random graphs that can be peeled, for each
// number of keys, by slots and window.
//
// Up to the first number of keys below, a graph has 1.25 slots a key, and at least n + arity - 1.
// Of the 3-wise graphs, 1 in 12 can be peeled at 8 keys, 1 in 600 at 250 keys (the minimum), 1 in
// 100 at 1,000 and 9 in 10 at 10,000. Hundreds of attempts for hundreds of keys take about a
// millisecond.
//
// Beyond, the slots a key fall as below, linearly in between, so that 9 graphs in 10 can be peeled.
struct Load {
    std::uint64_t keys;
    std::uint64_t slots_per_10000;
};
constexpr Load loads3[] = {{10'000, 12'500},    {30'000, 12'150},    {100'000, 11'720},
                           {300'000, 11'480},   {1'000'000, 11'300}, {3'000'000, 11'240},
                           {10'000'000, 11'200}};
constexpr Load loads4[] = {{4'000, 12'500},     {10'000, 12'050},    {30'000, 11'520},
                           {100'000, 11'150},   {300'000, 10'920},   {1'000'000, 10'720},
                           {3'000'000, 10'640}, {10'000'000, 10'580}};

// windows[i] is the number of keys from which on the window has 2^i slots. If windows are too
// short, two keys may have all their slots in common (once in n^2 / (2 starts 4^i) 3-wise graphs).
// If they are too long, slots at both ends stay empty.
constexpr std::uint64_t windows3[] = {0,         3,          7,          15,         28,
                                      250,       700,        1'800,      4'500,      10'000,
                                      30'000,    90'000,     270'000,    900'000,    2'800'000,
                                      9'000'000, 28'000'000, 90'000'000, 280'000'000};
constexpr std::uint64_t windows4[] = {0,          4,          10,          20,         125,
                                      350,        1'200,      2'300,       5'500,      17'000,
                                      53'000,     160'000,    500'000,     1'200'000,  4'000'000,
                                      10'000'000, 33'000'000, 100'000'000, 320'000'000};
static_assert(std::size(windows3) == fuse_max_window_log + 1 &&
              std::size(windows4) == fuse_max_window_log + 1);

template <std::size_t n>
std::uint64_t slots_for(const Load (&loads)[n], std::uint64_t keys, unsigned arity) {
    const Load* const next = std::find_if(std::begin(loads), std::end(loads),
                                          [&](const Load& l) { return keys < l.keys; });
    if (next == std::begin(loads)) return std::max<std::uint64_t>(keys + arity - 1, keys * 5 / 4);
    const Load last = next[-1];
    std::uint64_t millionths = last.slots_per_10000 * 100;
    if (next != std::end(loads))
        millionths -= (last.slots_per_10000 - next->slots_per_10000) * 100 * (keys - last.keys) /
                      (next->keys - last.keys);
    return keys * millionths / 1'000'000;
}

}  // namespace

FuseGraph fuse_graph(std::uint64_t keys, unsigned arity) {
    // The first comparison keeps the products below 2^64.
    const std::uint64_t slots = keys >> 32 != 0 ? keys
                                : arity == 3    ? slots_for(loads3, keys, arity)
                                                : slots_for(loads4, keys, arity);
    if (slots > 0xFFFFFFFFu)
        throw length_error(keys,
                           " keys need more than the 2^32 - 1 slots that a fuse graph can have");
    const auto& windows = arity == 3 ? windows3 : windows4;
    const auto window_log =
        static_cast<unsigned>(std::upper_bound(std::begin(windows), std::end(windows), keys) -
                              std::begin(windows)) -
        1;
    const std::uint64_t behind = std::uint64_t{arity - 1} << window_log;
    // A graph of no keys has one start too.
    return {arity, window_log, std::max<std::uint64_t>(slots, behind + 1) - behind};
}

}  // namespace simdbloom::detail
