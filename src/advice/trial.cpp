#include "advice/trial.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>

#include "advice/timetable.hpp"
#include "core/extension.hpp"
#include "fixed/kernel_table.hpp"
#include "growing/slots.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/fixed/detail/fuse.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::detail {

Storage trial_memory(std::size_t bytes, Content content) {
    Storage bits(bytes);
    for (std::size_t i = 0; i + 8 <= bytes; i += 8)
        store_le(bits.data() + i, content == Content::ones ? ~std::uint64_t{0} : hash_key(i, 1));
    return bits;
}

namespace {

template <class T>
auto runner(const KernelsFor<T>& kernels, const T& target) {
    return [&kernels, target](Operation operation, Batch batch, std::uint32_t* positions) {
        return operation == Operation::lookup
                   ? kernels.lookup(target, batch, Output::select, positions)
                   : kernels.insert(target, batch);
    };
}

}  // namespace

Trial::Trial(std::string_view spec, Isa isa, Storage& memory, std::size_t bytes) : bytes_(bytes) {
    std::byte* const bits = memory.data();
    const Prefetching prefetching{bytes > level2_bytes() ? Prefetch::ahead : Prefetch::none};
    const Timed what = TimedSpec::parse(spec).what;
    if (what == Timed::fuse) {
        const FuseGraph graph = fuse_graph(bytes / 9 * 8, 3);  // at a load of 8/9
        run_ = runner<FuseTarget>(
            fuse_kernels(isa).of3[static_cast<std::size_t>(SlotLoad::bytes32)].probe,
            {bits, std::min<std::uint64_t>(graph.starts, bytes - 2 * graph.window()), seed_offset,
             fuse_seed(1), static_cast<std::uint32_t>(graph.window()), 8, 0, 8, prefetching});
    } else if (what == Timed::growing) {
        run_ = runner<GrowingTarget>(growing_kernels(isa).of16,
                                     {bits, bytes / 8, seed_offset, 0, prefetching});
    } else {
        const Layout layout = Layout::parse(spec);
        run_ = runner<Target>(kernels_of(isa, layout), {bits, bytes / (layout.block_bits() / 8),
                                                        seed_offset, layout.k, prefetching});
    }
}

namespace {

using Clock = std::chrono::steady_clock;
std::atomic<std::uint64_t> next_key{0};

double seconds_in(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

template <class More>
double Trial::seconds_while(Operation operation, const More& more) const {
    constexpr std::size_t round_keys = 8 * batch_rows;
    std::vector<std::uint64_t> fresh(round_keys);
    std::vector<std::uint32_t> positions(batch_rows);
    std::uint64_t sum = 0, keys = 0;
    Clock::duration time{};
    do {
        std::iota(fresh.begin(), fresh.end(), next_key.fetch_add(round_keys));
        const auto start = Clock::now();
        for (std::size_t first = 0; first < round_keys; first += batch_rows) {
            const Batch batch{fresh.data() + first, batch_rows, false};
            sum += run_(operation, batch, positions.data());
        }
        time += Clock::now() - start;
        keys += round_keys;
    } while (more(seconds_in(time), keys));
    asm volatile("" : : "r"(sum));
    return seconds_in(time) / static_cast<double>(keys);
}

double Trial::seconds_per_key(Operation operation, double seconds) const {
    return seconds_while(operation, [=](double spent, std::uint64_t) { return spent < seconds; });
}

void Trial::warm_up() const {
    if (bytes_ > std::max(caches().l2, caches().l3)) return;
    (void)seconds_while(Operation::lookup,
                        [&](double, std::uint64_t keys) { return keys < bytes_ / 64 * 4; });
}

}  // namespace simdbloom::detail
