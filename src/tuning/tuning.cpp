#include "tuning/tuning.hpp"

#include <algorithm>

namespace simdbloom::detail {
namespace {

// Of a machine that does not say how large its caches are: the usual level-2 cache of a server.
constexpr std::size_t safe_prefetch_above = std::size_t{1} << 20;

}  // namespace

// A filter that outgrows the level-2 cache is prefetched, although a level-3 cache may hold it: the
// neighbours of a shared machine fill that cache too. An insert into `classic` is the exception. It
// prefetches k lines, which costs a third of its time in a level-3 cache, and gains where the keys
// of a batch push each other's lines out of it (bench/pages/tried.md, "Memory").
Tuning Tuning::of_caches(const Caches& caches) noexcept {
    Tuning made;
    for (auto& of_isa : made.rules)
        for (std::size_t i = 0; i < n_structures; ++i) {
            std::size_t& above = of_isa[i].prefetch_above;
            above = caches.l2 != 0 ? caches.l2 : safe_prefetch_above;
            if (i < n_layouts && layout_traits[i].anywhere) above = std::max(above, caches.l3 / 4);
        }
    return made;
}

const Tuning& tuning() noexcept {
    static const Tuning of_this_machine = Tuning::of_caches(caches());
    return of_this_machine;
}

}  // namespace simdbloom::detail
