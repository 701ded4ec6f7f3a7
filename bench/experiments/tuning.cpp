// How close the choice of batches (core/dispatch/tuner.hpp) comes to the faster of the fixed ways,
// and whether a structure is slower than one of twice its size.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include "core/os/memory.hpp"
#include "experiments/experiment.hpp"
#include "experiments/ways.hpp"
#include "join/key_sets.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
using detail::BatchWay;
using Words = std::span<const std::uint64_t>;

constexpr std::size_t mib = 1 << 20, pass_keys = 1 << 20, pool_keys = 16 << 20, largest = 512 * mib;
constexpr unsigned rounds = 9;
constexpr std::size_t sizes_of_settings[] = {1, 4, 16, 64, 256};  ///< in 512 KiB

/// Memory that is used again and again, in pages of 2 MiB. What a process frees, a virtual machine
/// may give back to its host, and that takes milliseconds from the passes of the next seconds.
class Arena : public std::pmr::memory_resource {
public:
    explicit Arena(std::size_t bytes) : bytes_(bytes) {
        constexpr std::size_t page = 2 * mib;
        void* const p =
            mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) throw std::bad_alloc();
        begin_ = static_cast<std::byte*>(p) + (page - reinterpret_cast<std::uintptr_t>(p) % page);
        madvise(begin_, bytes, MADV_HUGEPAGE);
        std::memset(begin_, 0, bytes);
    }
    template <class T>
    std::span<T> array(std::size_t n) {
        return {static_cast<T*>(allocate(n * sizeof(T))), n};
    }
    std::size_t used() const { return used_; }
    void reuse_from(std::size_t used) { used_ = used; }

private:
    void* do_allocate(std::size_t bytes, std::size_t) override {
        std::byte* const at = begin_ + used_;
        used_ += (bytes + 4095) & ~std::size_t{4095};
        if (used_ > bytes_) throw std::bad_alloc();
        return at;
    }
    void do_deallocate(void*, std::size_t, std::size_t) override {}
    bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }
    std::size_t bytes_, used_ = 0;
    std::byte* begin_ = nullptr;
};

/// Reads and writes these lines on the other core, so that L3 has another user.
class Neighbour {
public:
    explicit Neighbour(std::span<std::uint64_t> memory)
        : thread_([this, memory] {
              pin(false);
              while (!stop_)
                  for (std::size_t i = 0; i < memory.size() && !stop_; i += 8) memory[i] += i;
          }) {}
    ~Neighbour() {
        stop_ = true;
        thread_.join();
    }

private:
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

/// A structure and its probe keys.
struct Subject {
    Words keys;
    std::function<void(Words, std::span<std::uint8_t>)> look_up{};
    std::function<void(Words)> insert{};  ///< empty where it would fill up
    FilterBase* filter = nullptr;         ///< null of a structure that is none
};

constexpr const char *bitmap_name = "bitmap of a join", *fuse_name = "fuse:f=8";

/// The structure with that name and about so many bytes, with its planned keys, four million at
/// most. Nothing if it would take too long to build.
Subject subject_of(const std::string& name, std::size_t bytes, Words pool, Arena& arena) {
    simdbloom::Options options;
    options.allocator = &arena;
    if (name == bitmap_name) {
        detail::Storage bits(bytes, options);
        std::memcpy(bits.data(), pool.data(), std::min(bytes, pool.size_bytes()));
        const auto places = arena.array<std::uint64_t>(pool.size());
        for (std::size_t i = 0; i < pool.size(); ++i) places[i] = pool[i] % (8 * bytes);
        const auto bitmap = std::make_shared<detail::KeySet>(
            detail::Places{0, 8 * bytes - 1, 0}, 0u, std::move(bits), 4 * bytes, std::nullopt);
        return {places, [bitmap](Words batch, std::span<std::uint8_t> out) {
                    (void)bitmap->answer(batch, detail::Output::bitmap, out.data());
                }};
    }
    const auto use = [&](auto filter) {
        const auto it = std::make_shared<decltype(filter)>(std::move(filter));
        Subject subject{pool, [it](Words batch, std::span<std::uint8_t> out) {
                            (void)it->contains(batch, out);
                        }};
        if constexpr (std::same_as<decltype(filter), AnyFilter>) {
            subject.filter = it->template get_if<FilterBase>();
            if (subject.filter != nullptr && !it->layout().is_table())
                subject.insert = [it](Words batch) { it->insert(batch); };
        }
        return subject;
    };
    const bool fuse = name == fuse_name, growing = name.starts_with("growing");
    if (bytes > (fuse ? 16 * mib : growing ? 32 * mib : largest)) return {};
    if (fuse) return use(BloomierMap::build_filter(pool.last(bytes * 8 / 9), 8, options));
    const double bits_per_key = growing ? 13
                                : !Layout::parse(name).is_table()
                                    ? 16
                                    : 1.01 * Layout::parse(name).least_bits_per_key();
    const auto n = static_cast<std::size_t>(8 * static_cast<double>(bytes) / bits_per_key);
    AnyFilter filter = make_filter(name, n, bits_per_key, options);
    (void)filter.insert(pool.last(std::min<std::size_t>(n * 9 / 10, 4 << 20)));
    return use(std::move(filter));
}

struct Cell {
    std::string name{};
    std::size_t bytes = 0, batch = 0;
    bool inserts = false;
    unsigned threads = 1;
    bool hot_beside = false;  ///< takes turns with a structure whose few lines are hot
};

/// Passes over the 12 million probe keys, again and again.
class Work {
public:
    Work(const Cell& cell, const Subject& subject, const Subject& hot, std::size_t first)
        : cell_(cell), subject_(subject), hot_(hot), at_(first), bitmap_(cell.batch / 8 + 8) {}
    void operator()() {
        const Words keys = subject_.keys.first(pool_keys - (4 << 20));
        for (std::size_t done = 0; done < pass_keys; done += cell_.batch) {
            at_ = at_ + cell_.batch > keys.size() ? 0 : at_;
            const Words batch = keys.subspan(at_, cell_.batch);
            at_ += cell_.batch;
            if (cell_.inserts) subject_.insert(batch);
            else subject_.look_up(batch, bitmap_);
            if (cell_.hot_beside) hot_.look_up(hot_.keys.first(1024), bitmap_);
        }
    }

private:
    const Cell& cell_;
    const Subject &subject_, &hot_;
    std::size_t at_;
    std::vector<std::uint8_t> bitmap_;
};

/// ns a key of batches of each fixed way and, last, of those that choose: one a round.
using Times = std::vector<std::vector<double>>;

/// How much longer `ns` took than the best fixed way. Of ways that differ by noise alone the best
/// is faster by chance: so the other half of the rounds says which it is.
double loss_of(const Times& times, const std::vector<double>& ns) {
    double sum = 0;
    for (const std::size_t half : {0u, 1u}) {
        std::vector<double> ratios;
        std::pair<double, std::size_t> best{INFINITY, 0};
        for (std::size_t way = 0; way + 1 < times.size(); ++way) {
            std::vector<double> others;
            for (std::size_t i = 1 - half; i < ns.size(); i += 2) others.push_back(times[way][i]);
            best = std::min(best, {median(others), way});
        }
        for (std::size_t i = half; i < ns.size(); i += 2)
            ratios.push_back(ns[i] / times[best.second][i]);
        sum += median(ratios);
    }
    return sum / 2 - 1;
}

/// Runs n rounds, and appends the ns a key of each. In a round every contestant runs one pass; the
/// order is random.
void take_turns(std::vector<Contestant>& all, unsigned n, Times& times) {
    static std::mt19937_64 random(1);
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), 0);
    for (unsigned round = 0; round < n; ++round) {
        std::ranges::shuffle(order, random);
        for (const std::size_t i : order) {
            double seconds;
            const auto keys = static_cast<double>(all[i].pass(&seconds));
            times[i].push_back(1e9 * seconds / keys);
        }
    }
}

/// The time of a lookup in the first structure over that in the second, measured in turn.
double slowdown(const Subject (&of)[2]) {
    const Cell lookups{.batch = 4096};
    std::vector<Contestant> both;
    for (const Subject& subject : of)
        both.push_back(contestant("", pass_keys, Work(lookups, subject, subject, 0)));
    Times times(2);
    take_turns(both, 2, times);
    for (auto& ns : times) ns.clear();
    take_turns(both, 3 * rounds, times);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < times[0].size(); ++i) ratios.push_back(times[0][i] / times[1][i]);
    return median(ratios);
}

Times measure(const Cell& cell, const Subject& subject, const Subject& hot) {
    Work work(cell, subject, hot, 0);
    const bool chooses = cell.bytes >= detail::level2_bytes() / 2;
    const bool may_halve =
        chooses && subject.filter != nullptr && halves_of(*subject.filter, cell.inserts) != nullptr;
    std::vector<Contestant> ways;
    for (unsigned way = 0; way <= (may_halve ? 3u : 2u); ++way)
        ways.push_back(contestant("", pass_keys, [&, way] {
            std::optional<Fixed> fixed, beside;
            if (way + 1 < ways.size()) {
                fixed.emplace(BatchWay{static_cast<std::uint8_t>(way)}, subject.filter,
                              cell.inserts);
                if (cell.hot_beside)
                    beside.emplace(BatchWay{static_cast<std::uint8_t>(way)}, hot.filter, false);
            }
            if (cell.threads == 1) return work();
            std::thread other([&] {
                pin(false);
                Work(cell, subject, hot, 6 << 20)();
            });
            work();
            other.join();
        }));
    Times times(ways.size());
    take_turns(ways, 1, times);
    for (auto& ns : times) ns.clear();
    take_turns(ways, rounds, times);
    if (loss_of(times, times.back()) > 0.1) take_turns(ways, 3 * rounds, times);
    return times;
}

/// How far from the best fixed way.
struct Losses {
    std::vector<double> of[detail::n_ways + 1];  ///< by fixed way, and last of batches that choose
    unsigned longer = 0;                         ///< cells that were measured for longer
    std::string worst_at;
    void add(const Cell& cell, const Times& times) {
        const double loss = loss_of(times, times.back());
        if (times.back().size() > rounds) ++longer;
        if (of[detail::n_ways].empty() || loss > *std::ranges::max_element(of[detail::n_ways])) {
            worst_at = text("%s, %.3g MiB: ", cell.name.c_str(), in_mib(cell.bytes));
            for (const auto& ns : times)
                worst_at += (&ns == &times[0] ? "" : ", ") + text("%.2f", median(ns));
        }
        for (std::size_t way = 0; way + 1 < times.size(); ++way)
            of[way].push_back(loss_of(times, times[way]));
        of[detail::n_ways].push_back(loss);
    }
    std::string mean_and_worst(std::size_t way) const {
        if (of[way].empty()) return "-";
        double sum = 0;
        for (const double l : of[way]) sum += l;
        return text("%.1f %%, %.0f %%", 100 * sum / static_cast<double>(of[way].size()),
                    100 * *std::ranges::max_element(of[way]));
    }
};

}  // namespace

int main() {
    pin(true);
    // The neighbour's memory is as large as L3.
    const std::size_t l3 = std::max<std::size_t>(detail::caches().l3, 64 * mib),
                      others = std::min<std::uint64_t>(l3, detail::available_memory() / 4);
    Arena arena(2 * largest + 3 * pool_keys * 8 + others);
    const auto pool = arena.array<std::uint64_t>(pool_keys);
    KeySource::generated(1).fill(0, pool.data(), pool.size());
    const auto neighbour_memory = arena.array<std::uint64_t>(others / 8);
    const std::size_t used = arena.used();
    std::vector<std::string> names;
    for (const auto& traits : detail::layout_traits) names.emplace_back(traits.name);
    for (const char* more : {"growing12", fuse_name, bitmap_name}) names.emplace_back(more);

    std::map<std::string, Losses> by_setting;
    std::map<std::string, std::vector<double>> by_size;
    for (const auto& name : names)
        for (std::size_t bytes = mib / 8; bytes <= largest; bytes *= 2) {
            arena.reuse_from(used);
            const Subject subject = subject_of(name, bytes, pool, arena);
            if (!subject.look_up) break;
            const auto run = [&](const char* setting, const Cell& cell, const Subject& hot) {
                const Times times = measure(cell, subject, hot);
                by_setting[setting].add(cell, times);
                return median(times.back());
            };
            // Below half of the level-2 cache the choice is no prefetching: what differs there is
            // the noise of the machine.
            const bool chooses = bytes >= detail::level2_bytes() / 2;
            const double tuned = run(
                chooses ? "1 lookups, batches of 4,096" : "0 noise: structures too small to choose",
                {name, bytes, 4096}, subject);
            if (bytes >= mib / 4 && bytes <= 64 * mib) by_size[name].push_back(tuned);
            if (chooses && std::ranges::count(sizes_of_settings, bytes / (mib / 2)) != 0) {
                run("3 batches of 1,024", {name, bytes, 1024}, subject);
                run("4 batches of 1,048,576", {name, bytes, 1 << 20}, subject);
                run("5 two threads", {name, bytes, 4096, false, 2}, subject);
                const Subject hot = subject_of(name, bytes, pool, arena);
                run("6 in turn with a structure whose lines are hot",
                    {name, bytes, 4096, false, 1, true}, hot);
                const Neighbour busy(neighbour_memory);
                run("7 beside a core that fills L3", {name, bytes, 4096}, subject);
            }
            // Last: the structure is full then.
            if (chooses && subject.insert)
                run("2 inserts, batches of 4,096", {name, bytes, 4096, true}, subject);
        }
    print_header({"setting", "cells, in second look", "tuned: mean, worst loss", "never", "always",
                  "always, halved", "worst cell"});
    for (const auto& [setting, losses] : by_setting) {
        const std::size_t cells = losses.of[detail::n_ways].size();
        std::vector<std::string> row{setting.substr(2), text("%zu, %u", cells, losses.longer)};
        for (const std::size_t way : {3u, 0u, 1u, 2u}) row.push_back(losses.mean_and_worst(way));
        row.push_back(losses.worst_at);
        print_row(row);
    }
    // Sizes were measured minutes apart, and the clock of a core changes: what looks more than 10 %
    // slower is measured again, both sizes in turn.
    double slowest = 1;
    std::string where = "none";
    unsigned again = 0;
    for (const auto& [name, times] : by_size)
        for (std::size_t i = 0; i + 1 < times.size(); ++i) {
            const std::size_t bytes[2] = {mib / 4 << i, mib / 2 << i};
            double slower = times[i] / times[i + 1];
            if (slower > 1.1) {
                arena.reuse_from(used);
                slower = slowdown({subject_of(name, bytes[0], pool, arena),
                                   subject_of(name, bytes[1], pool, arena)});
                ++again;
            }
            if (slower <= slowest) continue;
            slowest = slower;
            where = text("%s, %g MiB", name.c_str(), in_mib(bytes[0]));
        }
    std::printf(
        "\nslower than one of twice its size, from 256 KiB to 64 MiB: at most %.0f %% "
        "(%s; %u sizes measured again, in turn)\n",
        100 * (slowest - 1), where.c_str(), again);
    print_source("tuning");
}
