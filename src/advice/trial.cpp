#include "advice/trial.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <vector>

#include "core/dispatch/kernels_of.hpp"
#include "core/os/caches.hpp"
#include "simdbloom/detail/fuse.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::detail {
TrialMemory::TrialMemory(std::size_t bytes, Content content) : bits_(bytes, true, nullptr) {
    for (std::size_t i = 0; i + 8 <= bytes; i += 8)
        store_le(bits_.data() + i, content == Content::ones ? ~std::uint64_t{0} : hash_key(i, 1));
}

std::byte* TrialMemory::next(std::size_t bytes) noexcept {
    at_ = at_ + 2 * bytes <= bits_.size() ? at_ + bytes : 0;
    return bits_.data() + at_;
}

Trial::Trial(const TunedSpec& of, Isa isa, TrialMemory& memory, std::size_t bytes, bool prefetches)
    : bytes_(bytes) {
    target_.bits = memory.data();
    target_.seed = seed_offset;
    target_.prefetches = prefetches;
    if (of.tuned == Tuned::fuse) {
        const FuseGraph graph = fuse_graph(bytes / 9 * 8, 3);  // at a load of 8/9
        target_.blocks = std::min<std::uint64_t>(graph.starts, bytes - 2 * graph.window());
        target_.fuse = {fuse_seed(1), static_cast<std::uint32_t>(graph.window()), 8, 0, 8};
        kernels_ = &table_of(isa).fuse3[static_cast<std::size_t>(SlotLoad::bytes32)].probe;
    } else if (of.tuned == Tuned::growing) {
        target_.blocks = bytes / 8;
        kernels_ = &growing_kernels_of(isa, 16);
    } else {
        const Layout layout = Layout::parse(of.spec);
        target_.blocks = bytes / (layout.block_bits() / 8);
        target_.k = layout.k;
        kernels_ = &kernels_of(isa, layout);
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
            sum += operation == Operation::lookup
                       ? kernels_->lookup(target_, batch, Output::select, positions.data())
                       : kernels_->insert(target_, batch);
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

void Trial::warm_up(Operation operation, TrialMemory& memory, unsigned keys_per_line) {
    if (bytes_ < caches().l2 / 2 || bytes_ > caches().l3) return;
    target_.bits = memory.next(bytes_);
    (void)seconds_while(
        operation, [&](double, std::uint64_t keys) { return keys < bytes_ / 64 * keys_per_line; });
}

double Trial::seconds_per_cold_key(Operation operation, TrialMemory& memory) {
    target_.bits = memory.next(bytes_);
    return seconds_while(operation,
                         [&](double, std::uint64_t keys) { return keys < bytes_ / 64 * 2; });
}

double Trial::seconds_per_call(std::size_t n, bool key_by_key) const {
    constexpr std::size_t calls = 256;
    std::vector<std::uint64_t> fresh(calls * n);
    std::iota(fresh.begin(), fresh.end(), next_key.fetch_add(fresh.size()));
    std::uint64_t sum = 0;
    const auto start = Clock::now();
    for (const std::uint64_t* keys = fresh.data(); keys != fresh.data() + fresh.size(); keys += n)
        sum += key_by_key ? kernels_->few(target_, keys, n, false)
                          : kernels_->lookup(target_, {keys, n, false}, Output::count, nullptr);
    const auto end = Clock::now();
    asm volatile("" : : "r"(sum));
    return seconds_in(end - start) / calls;
}

}  // namespace simdbloom::detail
