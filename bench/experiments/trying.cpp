// What batches lose by trying other ways (core/dispatch/tuner.hpp) once they have settled, and
// after how many keys they notice a change.
#include <cmath>
#include <optional>

#include "core/os/memory.hpp"
#include "experiments/experiment.hpp"
#include "experiments/ways.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;
using detail::BatchWay;
using Words = std::span<const std::uint64_t>;

constexpr std::size_t mib = 1 << 20, batch = 4096, pass_keys = 1 << 20, pool_keys = 16 << 20;
// Each of three contestants meets each of 11 million probe keys three times. With 12 million, each
// had keys of its own, and two contestants that did the same differed by 1 %.
constexpr unsigned rounds = 33;
constexpr std::size_t probe_keys = 11 << 20;

/// The way that batches of this call take now.
BatchWay way_of(const FilterBase& filter, bool inserts) {
    const auto lookup_call = static_cast<unsigned>(detail::Output::bitmap);
    const detail::Tuner tuner(
        filter.bytes().data(), inserts ? detail::insert_call : lookup_call, filter.parts().kernels_,
        detail::prefetching_of(filter.size_in_bytes()), halves_of(filter, inserts) != nullptr);
    return tuner.best();
}

/// Passes over the probe keys, again and again.
class Work {
public:
    Work(AnyFilter& filter, Words pool, bool inserts)
        : filter_(filter), pool_(pool), inserts_(inserts) {}
    /// Seconds of a pass whose batches choose, or go this way.
    double pass(std::optional<BatchWay> way = {}) {
        std::optional<Fixed> fixed;
        if (way) fixed.emplace(*way, &filter_.base(), inserts_);
        double seconds = 0;
        (void)contestant("", pass_keys, [&] {
            for (std::size_t done = 0; done < pass_keys; done += batch, at_ += batch) {
                const Words keys = pool_.subspan(at_ % pool_.size(), batch);
                if (inserts_) filter_.insert(keys);
                else (void)filter_.contains(keys, bitmap_);
            }
        }).pass(&seconds);
        return seconds;
    }
    BatchWay chosen() const { return way_of(filter_.base(), inserts_); }

private:
    AnyFilter& filter_;
    const Words pool_;
    const bool inserts_;
    std::size_t at_ = 0;
    std::vector<std::uint8_t> bitmap_ = std::vector<std::uint8_t>(batch / 8);
};

/// How much longer batches that try took than batches fixed to the way they chose; and such fixed
/// batches than others of the same kind, which is noise.
struct Costs {
    std::vector<double> trying, noise;
    void add(Work work) {
        for (unsigned i = 0; i < 4; ++i) work.pass();
        double tuned = 0, fixed[2] = {};
        for (unsigned i = 0; i < rounds; ++i) {
            tuned += work.pass();
            for (double& sum : fixed) sum += work.pass(work.chosen());
        }
        trying.push_back(2 * tuned / (fixed[0] + fixed[1]) - 1);
        noise.push_back(fixed[1] / fixed[0] - 1);
    }
    static std::string of(const std::vector<double>& costs) {
        const auto n = static_cast<double>(costs.size());
        double sum = 0, squares = 0;
        for (const double c : costs) sum += c;
        for (const double c : costs) squares += (c - sum / n) * (c - sum / n);
        return text("%.2f %% ± %.2f, %.1f %%", 100 * sum / n,
                    100 * std::sqrt(squares / (n * (n - 1))),
                    100 * *std::ranges::max_element(costs));
    }
};

/// Keys until the way changes after the batches of `first` became those of `then`.
std::string keys_until_changed(AnyFilter& filter, Words first, Words then) {
    std::vector<std::uint8_t> bitmap(batch / 8);
    const auto prefetches = [&](Words keys) {
        (void)filter.contains(keys, bitmap);
        return way_of(filter.base(), false) != BatchWay::none;
    };
    bool before = false;
    const auto piece = [](Words of, std::size_t i) {
        return of.subspan(i * batch % of.size(), batch);
    };
    for (std::size_t i = 0; i < 4096; ++i) before = prefetches(piece(first, i));
    for (std::size_t i = 0; i < pool_keys / batch; ++i)
        if (prefetches(piece(then, i)) != before) return std::to_string((i + 1) * batch);
    return text("never in %zu", pool_keys);
}

}  // namespace

int main() {
    pin(true);
    std::vector<std::uint64_t> pool(pool_keys);
    KeySource::generated(1).fill(0, pool.data(), pool.size());
    const Words keys = Words(pool).first(probe_keys);
    Costs lookups, inserts;
    for (const auto& traits : detail::layout_traits)
        for (std::size_t size = 2; size <= 128; size *= 4) {
            if (size * mib < detail::level2_bytes() / 2) continue;
            const Layout layout = Layout::parse(std::string(traits.name));
            const double bits = layout.is_table() ? 1.01 * layout.least_bits_per_key() : 16;
            const auto n = static_cast<std::size_t>(8 * static_cast<double>(size * mib) / bits);
            AnyFilter filter = make_filter(traits.name, n, bits);
            filter.insert(Words(pool).last(std::min<std::size_t>(n * 9 / 10, 4 << 20)));
            lookups.add(Work(filter, keys, false));
            if (!layout.is_table()) inserts.add(Work(filter, keys, true));
        }
    print_header({"batches of 4,096", "filters", "by trying: mean, most", "noise"});
    for (const auto& [name, costs] : {std::pair{"lookups", &lookups}, {"inserts", &inserts}})
        print_row({name, text("%zu", costs->trying.size()), Costs::of(costs->trying),
                   Costs::of(costs->noise)});

    AnyFilter filter = make_filter("split256", 64 * mib / 2, 16);
    filter.insert(Words(pool).last(4 << 20));
    std::vector<std::uint64_t> hot(batch);
    for (std::size_t i = 0; i < batch; ++i) hot[i] = pool[i % 128];
    std::string begin, end;
    for (unsigned i = 0; i < 5; ++i) {
        begin += (i == 0 ? " " : ", ") + keys_until_changed(filter, hot, keys);
        end += (i == 0 ? " " : ", ") + keys_until_changed(filter, keys, hot);
    }
    std::printf(
        "\nkeys until `split256` of 64 MiB prefetches when probes leave 128 lines, five times:%s; "
        "until it stops when they return:%s\n",
        begin.c_str(), end.c_str());
    print_source("trying");
}
