#include <mutex>
#include <stdexcept>

#include "any/bloom_only.hpp"
#include "simdbloom/detail/errors.hpp"
#include "simdbloom/threads/build.hpp"
#include "threads/regions.hpp"

namespace simdbloom {

struct BuildTasks::State {
    enum Progress : std::uint8_t { waiting, running, done };

    State(AnyFilter to_fill, const Keys& keys, unsigned tasks)
        : filter(std::move(to_fill)),
          target(checked_target(filter)),
          layout(filter.layout()),
          hashes(detail::hashes_of(filter.base(), keys)),
          n_tasks(tasks),
          progress(std::make_unique<std::atomic<Progress>[]>(tasks)) {}

    static detail::Target checked_target(AnyFilter& filter) {
        FilterBase& bits = detail::checked_bloom(filter);
        bits.check_takes_keys();
        return bits.target();
    }
    /// The first key of task i.
    std::size_t first(unsigned i) const {
        return static_cast<std::size_t>(static_cast<unsigned __int128>(hashes.keys.size()) * i /
                                        n_tasks);
    }
    void insert(unsigned i) {
        if (!regions) {
            detail::insert_shared({target.bits, target.blocks, layout}, hashes, first(i),
                                  first(i + 1));
            return;
        }
        auto words = room();
        regions->insert(target, hashes, first(i), first(i + 1), words.data());
        const std::lock_guard lock(mutex);
        rooms.push_back(std::move(words));  // its capacity is reserved
    }
    /// The buffers of a task, with all counts 0, as a task leaves them.
    std::vector<std::uint64_t> room() {
        {
            const std::lock_guard lock(mutex);
            if (!rooms.empty()) {
                auto used = std::move(rooms.back());
                rooms.pop_back();
                return used;
            }
        }
        return std::vector<std::uint64_t>(regions->words_a_thread());
    }

    AnyFilter filter;
    const detail::Target target;
    const Layout layout;
    const detail::KeyHashes hashes;
    const unsigned n_tasks;
    const std::unique_ptr<std::atomic<Progress>[]> progress;  // of each task
    std::optional<detail::Regions> regions;  // unless a key has bits in all regions
    std::mutex mutex;
    std::vector<std::vector<std::uint64_t>> rooms;  // not in use by a task
};

BuildTasks::BuildTasks(AnyFilter filter, const Keys& keys, unsigned n_tasks) {
    if (n_tasks == 0) throw detail::argument_error("a build of 0 tasks");
    state_ = std::make_unique<State>(std::move(filter), keys, n_tasks);
    // More regions than threads, so that these seldom meet. The buffers of 256 regions take 1 MiB.
    if (!state_->layout.traits().anywhere) {
        state_->regions.emplace(std::size_t{8} * std::min(n_tasks, 32u), state_->target.blocks);
        state_->rooms.reserve(n_tasks);
    }
}

BuildTasks::~BuildTasks() = default;

unsigned BuildTasks::size() const noexcept { return state_->n_tasks; }

void BuildTasks::run(unsigned i) {
    State& s = *state_;
    const auto refused = [&](const char* why) {
        return detail::to_text("simdbloom: task ", i, " of ", s.n_tasks, why);
    };
    if (i >= s.n_tasks) throw std::out_of_range(refused(" does not exist"));
    auto expected = State::waiting;
    if (!s.progress[i].compare_exchange_strong(expected, State::running))
        throw std::invalid_argument(refused(" has been run already"));
    try {
        s.insert(i);
    } catch (...) {
        s.progress[i].store(State::waiting);
        throw;
    }
    s.progress[i].store(State::done, std::memory_order_release);
}

unsigned BuildTasks::unfinished() const noexcept {
    return static_cast<unsigned>(std::count_if(
        state_->progress.get(), state_->progress.get() + state_->n_tasks,
        [](const auto& task) { return task.load(std::memory_order_acquire) != State::done; }));
}

AnyFilter BuildTasks::finish() && {
    if (const unsigned left = unfinished(); left != 0)
        throw detail::argument_error(left, " of ", size(), " tasks of a build have not been run");
    detail::check_not_moved(state_->filter.base().blocks() == 0);
    return std::move(state_->filter);
}

}  // namespace simdbloom
