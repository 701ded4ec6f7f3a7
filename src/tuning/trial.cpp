#include "tuning/trial.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <vector>

#include "dispatch/kernels_of.hpp"
#include "simdbloom/detail/fuse.hpp"
#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/hash.hpp"

namespace simdbloom::detail {
namespace {

constexpr TrialSubject subjects[] = {
    {"classic:k=8", structure_of(LayoutKind::classic)},
    {"register32:k=4", structure_of(LayoutKind::register32)},
    {"register64:k=5", structure_of(LayoutKind::register64)},
    {"split256", structure_of(LayoutKind::split256)},
    {"sector512", structure_of(LayoutKind::sector512)},
    {"zoned512:z=2,k=8", structure_of(LayoutKind::zoned512)},
    {"blocked512:k=8", structure_of(LayoutKind::blocked512)},
    {"cuckoo8", structure_of(LayoutKind::cuckoo8)},
    {"cuckoo12", structure_of(LayoutKind::cuckoo12)},
    {"cuckoo16", structure_of(LayoutKind::cuckoo16)},
    {"counting:k=8", structure_of(LayoutKind::counting)},
    {"counting512:k=8", structure_of(LayoutKind::counting512)},
    {"dleft12", structure_of(LayoutKind::dleft12)},
    {"dleft14", structure_of(LayoutKind::dleft14)},
    {"dleft16", structure_of(LayoutKind::dleft16)},
    {"split512", structure_of(LayoutKind::split512)},
    {"fuse:f=8", Structure::fuse},
    {"growing16", Structure::growing},
};
static_assert([] {
    for (std::size_t i = 0; i < n_structures; ++i)
        if (subjects[i].structure != static_cast<Structure>(i)) return false;
    return std::size(subjects) == n_structures;
}());

}  // namespace

std::span<const TrialSubject> trial_subjects() noexcept { return subjects; }

TrialMemory::TrialMemory(std::size_t bytes) : bits_(bytes, true, nullptr) {
    for (std::size_t i = 0; i + 8 <= bytes; i += 8) store_le(bits_.data() + i, hash_key(i, 1));
}

Trial::Trial(const TrialSubject& subject, Isa isa, TrialMemory& memory, std::size_t bytes,
             bool prefetches) {
    target_.bits = memory.data();
    target_.seed = seed_offset;
    target_.prefetches = prefetches;
    if (subject.structure == Structure::fuse) {
        const FuseGraph graph = fuse_graph(bytes / 9 * 8, 3);  // at a load of 8/9
        target_.blocks = std::min<std::uint64_t>(graph.starts, bytes - 2 * graph.window());
        target_.fuse = {fuse_seed(1), static_cast<std::uint32_t>(graph.window()), 8, 0, 8};
        kernels_ = &table_of(isa).fuse3[static_cast<std::size_t>(SlotLoad::bytes32)].probe;
    } else if (subject.structure == Structure::growing) {
        target_.blocks = bytes / 8;
        kernels_ = &growing_kernels_of(isa, 16);
    } else {
        const Layout layout = Layout::parse(subject.spec);
        target_.blocks = bytes / (layout.block_bits() / 8);
        target_.k = layout.k;
        kernels_ = &kernels_of(isa, layout);
    }
}

double Trial::seconds_per_key(Operation operation, unsigned batches, std::size_t keys) const {
    using Clock = std::chrono::steady_clock;
    static std::atomic<std::uint64_t> next_key{0};
    std::vector<std::uint64_t> fresh(keys);
    std::uint64_t sum = 0;
    Clock::duration time{};
    for (unsigned i = 0; i < batches; ++i) {
        std::iota(fresh.begin(), fresh.end(), next_key.fetch_add(keys));
        const Batch batch{fresh.data(), fresh.size(), false};
        const auto start = Clock::now();
        sum += operation == Operation::lookup
                   ? kernels_->lookup(target_, batch, Output::count, nullptr)
               : operation == Operation::insert ? kernels_->insert(target_, batch)
                                                : kernels_->touch(target_, batch);
        time += Clock::now() - start;
    }
    asm volatile("" : : "r"(sum));
    return std::chrono::duration<double>(time).count() /
           (static_cast<double>(keys) * static_cast<double>(batches));
}

}  // namespace simdbloom::detail
