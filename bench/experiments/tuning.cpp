// How close the choice of batches (core/dispatch/tuner.hpp) comes to the faster of the fixed ways,
// and whether a structure is slower than one of twice its size.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <memory_resource>
#include <thread>

#include "core/dispatch/kernels_of.hpp"
#include "core/dispatch/tuner.hpp"
#include "core/os/memory.hpp"
#include "experiments/experiment.hpp"
#include "join/key_sets.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
using detail::Prefetch;
using Words = std::span<const std::uint64_t>;

constexpr std::size_t mib = 1 << 20, pass_keys = 1 << 20, pool_keys = 16 << 20, largest = 512 * mib;
constexpr unsigned rounds = 7;

struct Fixed {
    explicit Fixed(Prefetch way) { detail::fix_prefetch(way); }
    ~Fixed() { detail::fix_prefetch(Prefetch::tuned); }
};

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
        if constexpr (std::same_as<decltype(filter), AnyFilter>)
            if (it->template get_if<FilterBase>() != nullptr && !it->layout().is_table())
                subject.insert = [it](Words batch) { it->insert(batch); };
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
    std::string name;
    std::size_t bytes, batch;
    bool inserts = false;
    unsigned threads = 1;
    bool hot_beside = false;  ///< takes turns with a structure whose few lines are hot
};

/// ns a key.
struct Result {
    double none, ahead, tuned;
    double best() const { return std::min(none, ahead); }
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

Result measure(const Cell& cell, const Subject& subject, const Subject& hot) {
    Work work(cell, subject, hot, 0);
    const auto timed = [&](const char* name, Prefetch way) {
        return contestant(name, pass_keys, [&, way] {
            const Fixed fixed(way);
            if (cell.threads == 1) return work();
            std::thread other([&] {
                pin(false);
                Work(cell, subject, hot, 6 << 20)();
            });
            work();
            other.join();
        });
    };
    std::vector<Contestant> group{timed("none", Prefetch::none), timed("ahead", Prefetch::ahead),
                                  timed("tuned", Prefetch::tuned)};
    for (const auto& each : group) {
        double seconds;
        (void)each.pass(&seconds);
    }
    Timer(rounds).run(group);
    return {median(group[0].ns_per_key), median(group[1].ns_per_key), median(group[2].ns_per_key)};
}

/// How far from the better fixed way.
struct Losses {
    std::vector<double> tuned, none, ahead;
    double worst = -1;
    std::string worst_at;
    void add(const Cell& cell, const Result& r) {
        tuned.push_back(r.tuned / r.best() - 1);
        none.push_back(r.none / r.best() - 1);
        ahead.push_back(r.ahead / r.best() - 1);
        if (tuned.back() < worst) return;
        worst = tuned.back();
        worst_at = text("%s, %.3g MiB: %.2f, %.2f, %.2f", cell.name.c_str(),
                        static_cast<double>(cell.bytes) / mib, r.none, r.ahead, r.tuned);
    }
    static std::string of(const std::vector<double>& losses) {
        double sum = 0;
        for (const double l : losses) sum += l;
        return text("%.1f %%, %.0f %%", 100 * sum / static_cast<double>(losses.size()),
                    100 * *std::ranges::max_element(losses));
    }
};

}  // namespace

int main() {
    pin(true);
    Arena arena(2 * largest + 3 * pool_keys * 8);
    const auto pool = arena.array<std::uint64_t>(pool_keys);
    KeySource::generated(1).fill(0, pool.data(), pool.size());
    const auto neighbour_memory = arena.array<std::uint64_t>(64 * mib / 8);
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
                const Result result = measure(cell, subject, hot);
                by_setting[setting].add(cell, result);
                return result.tuned;
            };
            // Below half of the level-2 cache the choice is no prefetching: what differs there is
            // the noise of the machine.
            const bool chooses = bytes >= detail::level2_bytes() / 2;
            const double tuned = run(
                chooses ? "1 lookups, batches of 4,096" : "0 noise: structures too small to choose",
                {name, bytes, 4096}, subject);
            if (bytes >= mib / 4 && bytes <= 64 * mib) by_size[name].push_back(tuned);
            if (bytes == 2 * mib || bytes == 32 * mib) {
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
    print_header({"setting", "cells", "tuned: mean, worst loss", "never", "always", "worst cell"});
    for (const auto& [setting, losses] : by_setting)
        print_row({setting.substr(2), text("%zu", losses.tuned.size()), Losses::of(losses.tuned),
                   Losses::of(losses.none), Losses::of(losses.ahead), losses.worst_at});
    double slower = 0;
    std::string where = "none";
    for (const auto& [name, times] : by_size)
        for (std::size_t i = 0; i + 1 < times.size(); ++i)
            if (times[i] / times[i + 1] - 1 > slower) {
                slower = times[i] / times[i + 1] - 1;
                where = text("%s, %g MiB", name.c_str(), 0.25 * static_cast<double>(1 << i));
            }
    std::printf(
        "\nslower than one of twice its size, from 256 KiB to 64 MiB: at most %.0f %% (%s)\n",
        100 * slower, where.c_str());
    print_source("tuning");
}
