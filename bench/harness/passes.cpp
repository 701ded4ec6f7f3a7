#include "harness/passes.hpp"

#include <random>

#include "subjects/subject.hpp"

namespace simdbloom::bench {

std::vector<std::uint64_t> probe_numbers(const KeySource& source, std::uint64_t n_keys,
                                         std::uint64_t bytes, double hit_ratio) {
    std::uint64_t n = std::clamp<std::uint64_t>(bytes / 64 * 2, 1 << 16, 1 << 23);
    const std::uint64_t strangers =
        std::min<std::uint64_t>(source.size() - n_keys, std::uint64_t{1} << 40);
    if (source.from_file())
        n = std::min<std::uint64_t>(n, std::max<std::uint64_t>(strangers, standard_batch));
    n -= n % standard_batch;
    std::mt19937_64 random(n_keys + static_cast<std::uint64_t>(hit_ratio * 10));
    std::vector<std::uint64_t> numbers(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        const bool hit = static_cast<double>(random() >> 11) * 0x1p-53 < hit_ratio;
        numbers[i] = hit ? random() % n_keys : n_keys + (strangers > n ? i : random() % strangers);
    }
    return numbers;
}

std::shared_ptr<Rotation> rotation(const KeySource& source, std::uint64_t n_keys,
                                   std::uint64_t bytes, double hit_ratio) {
    auto numbers = probe_numbers(source, n_keys, bytes, hit_ratio);
    for (auto& x : numbers) x = source.key(x);
    return std::make_shared<Rotation>(std::move(numbers));
}

std::size_t Group::add(Row row, std::function<std::uint64_t(double*)> pass,
                       std::ptrdiff_t touch_of) {
    timed_.push_back(
        {row.filter + '/' + row.isa + '/' + row.op + '/' + row.output +
             "/batch:" + std::to_string(row.batch) +
             "/hits:" + (row.hit_ratio ? std::to_string(*row.hit_ratio).substr(0, 3) : "-") +
             "/threads:" + std::to_string(row.threads) + "/keys:" + std::to_string(row.n_keys),
         std::move(pass)});
    rows_.push_back(std::move(row));
    touch_of_.push_back(touch_of);
    return timed_.size() - 1;
}
std::vector<Row> Group::run(Timer& timer) {
    timer.run(timed_);
    std::vector<Row> rows;
    for (std::size_t i = 0; i < timed_.size(); ++i) {
        if (rows_[i].op == "touch") continue;
        const auto s = summarise(timed_[i].ns_per_key);
        Row row = rows_[i];
        row.ns_per_key = s.median, row.ns_low = s.low, row.ns_high = s.high;
        row.repetitions = timer.repetitions();
        if (touch_of_[i] >= 0)
            row.touch_ns =
                summarise(timed_[static_cast<std::size_t>(touch_of_[i])].ns_per_key).median;
        rows.push_back(row);
    }
    return rows;
}

std::ptrdiff_t add_classic_touch(Group& group, const KeySource& source) {
    Row row = group.common();
    const auto touched =
        std::make_shared<AnyFilter>(make_filter("classic", row.n_keys, row.bits_per_key));
    fill(*touched, source, std::min<std::uint64_t>(row.n_keys, 1 << 20));
    row.op = "touch";
    row.batch = standard_batch;
    row.hit_ratio = 0;
    const bool hashed = source.hashed();
    return static_cast<std::ptrdiff_t>(group.add(
        row,
        batches(rotation(source, row.n_keys, row.filter_bytes, 0), standard_batch, [=](auto keys) {
            keep(hashed ? touched->base().touch_hashes(keys) : touched->base().touch(keys));
        })));
}

}  // namespace simdbloom::bench
