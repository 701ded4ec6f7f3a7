// One filter of keys that lie on a thousand nodes: what each way to unite it would take, by a model
// of the network and by times measured here. The model stands in Network and in ways().
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "experiments/experiment.hpp"
#include "simdbloom/join.hpp"
#include "simdbloom/saved_union.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr double nodes = 1'000;
constexpr double bits_per_key = 12, row_bytes = 100, probe_rows = 1e11;
constexpr int passes = 3;

/// Assumptions: nothing of it is measured. Every node sends and receives at this rate at the same
/// time, whoever else does; a round of messages takes the latency, and each of its messages keeps a
/// node busy besides.
struct Network {
    const char* name;
    double bytes_per_second, latency, per_message;

    double round(double bytes, double messages) const {
        return latency + messages * per_message + bytes / bytes_per_second;
    }
};
constexpr Network networks[] = {{"10 Gbit/s", 1.25e9, 20e-6, 1e-6},
                                {"100 Gbit/s", 12.5e9, 10e-6, 1e-6}};

/// Seconds, measured here on one thread.
struct Costs {
    double keys, bytes;         // of all nodes; of the filter of all keys
    double build;               // a node's keys go into a new filter of all bytes
    double build_all;           // the keys of all nodes do
    double build_slice;         // a node's keys go into one of bytes / nodes
    double unite_saved;         // a byte: check, OR and sign saved bytes
    double unite;               // a byte: OR alone
    double probe, probe_slice;  // a row
    double scatter;             // a row: hash it and put the hash where its owner's are
    double fpr;
};

double seconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
/// Median of a few passes; prepare() is not timed.
double seconds(const std::function<void()>& prepare, const std::function<void()>& work) {
    std::vector<double> times;
    for (int pass = 0; pass < passes; ++pass) {
        prepare();
        times.push_back(seconds(work));
    }
    return median(times);
}

AnyFilter filter_of(double keys) {
    return make_filter("split256", static_cast<std::size_t>(std::max(keys, 1.0)), bits_per_key,
                       {.seed = 7});
}

double seconds_to_build(double keys_of_filter, const std::vector<std::uint64_t>& keys) {
    return seconds([] {}, [&] { filter_of(keys_of_filter).insert(keys); });
}

double seconds_a_probe(double keys_of_filter) {
    constexpr std::size_t rows = 4'000'000;
    static const auto probes = [] {
        std::vector<std::uint64_t> keys(rows);
        KeySource::generated(2).fill(std::uint64_t{1} << 40, keys.data(), rows);
        return keys;
    }();
    static std::vector<std::uint32_t> passing(rows);
    auto filter = filter_of(keys_of_filter);
    const auto source = KeySource::generated(1);
    std::vector<std::uint64_t> some(1 << 20);
    // Every line is in memory, and the filter is about as full as it was made for.
    for (double i = 0; i < keys_of_filter; i += static_cast<double>(some.size())) {
        const auto n = static_cast<std::size_t>(
            std::min(static_cast<double>(some.size()), keys_of_filter - i));
        source.fill(static_cast<std::uint64_t>(i), some.data(), n);
        filter.insert(std::span(some).first(n));
    }
    const JoinFilter join(std::move(filter));
    return seconds([&] { (void)join.count({probes}); },
                   [&] { (void)join.select({probes}, passing); }) /
           static_cast<double>(rows);
}

double seconds_to_scatter() {
    constexpr std::size_t rows = 4'000'000, room = 2 * rows / static_cast<std::size_t>(nodes);
    std::vector<std::uint64_t> keys(rows), out(room * static_cast<std::size_t>(nodes));
    KeySource::generated(2).fill(0, keys.data(), rows);
    std::vector<std::size_t> next(static_cast<std::size_t>(nodes));
    const double time = seconds([&] { std::ranges::fill(next, 0); },
                                [&] {
                                    for (const auto key : keys) {
                                        const std::uint64_t hash = hash_key(key, 7);
                                        const auto owner = static_cast<std::size_t>(
                                            (hash >> 32) * static_cast<std::uint64_t>(nodes) >> 32);
                                        out[owner * room + next[owner]++] = hash;
                                    }
                                });
    if (*std::ranges::max_element(next) >= room) throw std::runtime_error("a node has no room");
    return time / static_cast<double>(rows);
}

/// Of larger filters than `most`, in memory all of them, a byte costs as much as of that one.
Costs measure(double keys, double most, double scatter) {
    Costs c{};
    c.keys = keys;
    const auto source = KeySource::generated(1);
    std::vector<std::uint64_t> mine(static_cast<std::size_t>(keys / nodes));
    source.fill(0, mine.data(), mine.size());
    {
        auto a = filter_of(std::min(keys, most)), b = filter_of(std::min(keys, most));
        a.insert(std::span(mine).first(mine.size() / 2));
        b.insert(std::span(mine).subspan(mine.size() / 2));
        auto sum = save(a);
        const auto other = save(b);
        const auto size = static_cast<double>(a.size_in_bytes());
        c.unite_saved = seconds([] {},
                                [&] {
                                    if (!unite_saved(std::span(sum), other))
                                        throw std::runtime_error("not united");
                                }) /
                        size;
        a |= b;
        if (save(a) != sum) throw std::runtime_error("saved bytes are not the filter's");
        c.unite = seconds([] {}, [&] { a |= b; }) / size;
        c.bytes = std::round(size * keys / std::min(keys, most));
    }
    c.build = seconds_to_build(keys, mine);
    c.build_slice = seconds_to_build(keys / nodes, mine);
    std::vector<std::uint64_t> some(static_cast<std::size_t>(std::min(keys, 1e7)));
    source.fill(0, some.data(), some.size());
    c.build_all = seconds_to_build(keys, some) * keys / static_cast<double>(some.size());
    c.probe = seconds_a_probe(keys);
    c.probe_slice = seconds_a_probe(keys / nodes);
    c.scatter = scatter;
    c.fpr = filter_of(1e6).expected_fpr();
    return c;
}

/// What a way takes: until every node can ask, and for each of a node's probe rows; and the bytes
/// that the busiest node sends or receives, whichever is more.
struct Way {
    std::string name;
    double seconds, bytes;
    double row_seconds, row_bytes_more;
    double memory;  // bytes of filter on a node that is done
    bool joins;     // in the table of joins
};

std::vector<Way> ways(const Costs& c, const Network& net) {
    const double B = c.bytes, others = nodes - 1, mine = c.keys / nodes,
                 share = others / nodes;  // of what goes to all nodes alike
    std::vector<Way> result;
    const auto everywhere = [&](std::string name, double time, double bytes, bool joins = true) {
        result.push_back({std::move(name), time, bytes, c.probe, 0, B, joins});
    };
    // Each node receives all other filters, and ORs one while the next comes.
    everywhere("every filter to every node",
               c.build + net.latency + others * net.per_message +
                   others * B * std::max(1 / net.bytes_per_second, c.unite_saved) +
                   B * c.unite_saved,
               others * B, false);
    // Keys of 8 bytes in place of filters; each node inserts all of them.
    everywhere("every key to every node", net.round(8 * c.keys * share, others) + c.build_all,
               8 * c.keys * share);
    for (const double fan_in : {2.0, 4.0, 8.0, 32.0}) {
        const double levels = std::ceil(std::log(nodes) / std::log(fan_in) - 1e-9),
                     children = fan_in - 1;
        // Up: a filter is checked and ORed while the next comes, the last one alone. Down: copies.
        const double up = net.latency + children * net.per_message +
                          children * B * std::max(1 / net.bytes_per_second, c.unite_saved) +
                          B * c.unite_saved,
                     down = net.round(children * B, children);
        everywhere(text("tree of saved filters, fan-in %g", fan_in), c.build + levels * (up + down),
                   levels * children * B, fan_in == 2);
    }
    // Recursive halving and doubling: half of the bytes, a quarter, .. and back.
    const double rounds = std::ceil(std::log2(nodes));
    everywhere("reduce-scatter, all-gather",
               c.build + 2 * rounds * (net.latency + net.per_message) +
                   2 * B * share / net.bytes_per_second + B * share * c.unite,
               2 * B * share);
    // Each node owns a range of blocks, gets its keys' hashes, and sends its part of the filter.
    const double to_owners = mine * c.scatter + net.round(8 * mine * share, others) + c.build_slice;
    everywhere(
        "hashes to the owners of blocks, all-gather",
        to_owners + rounds * (net.latency + net.per_message) + B * share / net.bytes_per_second,
        8 * mine * share + B * share);
    // Nobody has the whole filter: hashes of rows go to the owners, and a bit comes back for each.
    const double row_more = (8 + 1.0 / 8) * share;
    result.push_back({"partitioned, probes are sent", to_owners, 8 * mine * share,
                      2 * c.scatter + c.probe_slice + row_more / net.bytes_per_second, row_more,
                      B / nodes, true});
    return result;
}

struct Join {
    double seconds, bytes;
};
/// The probe side is repartitioned; the build side is in any case, and left out.
Join unfiltered(double rows, const Network& net) {
    const double bytes = rows / nodes * row_bytes * (nodes - 1) / nodes;
    return {net.round(bytes, nodes - 1), bytes};
}
Join filtered(const Way& way, double rows, double selectivity, double fpr, const Network& net) {
    const double mine = rows / nodes;
    const Join rest = unfiltered(rows * (selectivity + (1 - selectivity) * fpr), net);
    return {way.seconds + mine * way.row_seconds + rest.seconds,
            way.bytes + mine * way.row_bytes_more + rest.bytes};
}

/// The fewest probe rows from which the filter takes no more time, or infinity.
double break_even(const Way& way, double selectivity, double fpr, const Network& net) {
    const double gain = (unfiltered(1e9, net).seconds - unfiltered(0, net).seconds) / 1e9 *
                            (1 - (selectivity + (1 - selectivity) * fpr)) -
                        way.row_seconds / nodes;
    return gain > 0 ? way.seconds / gain : INFINITY;
}

std::string bytes_text(double bytes) {
    return bytes < 1e6   ? text("%.3g kB", bytes / 1e3)
           : bytes < 1e9 ? text("%.3g MB", bytes / 1e6)
                         : text("%.3g GB", bytes / 1e9);
}
std::string time_text(double time) {
    return time < 1 ? text("%.3g ms", 1e3 * time) : text("%.3g s", time);
}
std::string keys_text(double keys) { return text("10^%.0f", std::log10(keys)); }
std::string rows_text(double rows) {
    return std::isinf(rows) ? std::string("never") : text("%.2g", rows);
}

}  // namespace

int main() {
    std::printf(
        "A model of %.0f nodes, not a measurement. Assumed: each node sends and receives at 10 or "
        "100 Gbit/s at the same time, whatever the others do; a round of messages takes 20 or 10 "
        "us and each message 1 us of a node's time; one thread a node. The keys lie on all nodes "
        "alike. `split256` at %.0f bits a key; rows of %.0f bytes; the build side's own way is the "
        "same with and without a filter and left out.\n\nMeasured here, on one thread, medians of "
        "%d passes: seconds of a node.\n\n",
        nodes, bits_per_key, row_bytes, passes);
    const double scatter = seconds_to_scatter();
    std::vector<Costs> costs;
    for (const double keys : {1e6, 1e7, 1e8, 1e9}) costs.push_back(measure(keys, 1e8, scatter));
    print_header({"keys", "filter", "build, a node's keys", "build, all keys", "build of a slice",
                  "unite saved bytes, GB/s", "OR alone, GB/s", "probe, ns", "probe of a slice, ns",
                  "hash and scatter, ns"});
    for (const auto& c : costs)
        print_row({keys_text(c.keys), bytes_text(c.bytes), time_text(c.build),
                   time_text(c.build_all), time_text(c.build_slice),
                   text("%.1f", 1e-9 / c.unite_saved), text("%.1f", 1e-9 / c.unite),
                   text("%.2f", 1e9 * c.probe), text("%.2f", 1e9 * c.probe_slice),
                   text("%.2f", 1e9 * c.scatter)});

    for (const auto& net : networks) {
        std::printf(
            "\n### %s\n\nUntil every node can ask, and what the busiest node sends or "
            "receives:\n\n",
            net.name);
        std::vector<std::string> header{"way"};
        for (const auto& c : costs)
            for (const char* what : {"time", "bytes"})
                header.push_back(keys_text(c.keys) + " keys: " + what);
        print_header(header);
        std::vector<std::vector<Way>> all;
        for (const auto& c : costs) all.push_back(ways(c, net));
        for (std::size_t w = 0; w < all[0].size(); ++w) {
            std::vector<std::string> row{all[0][w].name};
            for (const auto& of : all) {
                row.push_back(time_text(of[w].seconds));
                row.push_back(bytes_text(of[w].bytes));
            }
            print_row(row);
        }

        std::printf(
            "\nThe join of %s probe rows, time and bytes a node, by the keys and by the "
            "share of rows that join:\n\n",
            keys_text(probe_rows).c_str());
        const double shares[] = {0.001, 0.01, 0.1, 0.5, 0.9};
        header = {"keys", "way"};
        for (const double s : shares) header.push_back(text("%g %%", 100 * s));
        header.push_back("filter on a node");
        print_header(header);
        const Join none = unfiltered(probe_rows, net);
        std::vector<std::string> row{"any", "no filter"};
        for ([[maybe_unused]] const double s : shares)
            row.push_back(time_text(none.seconds) + ", " + bytes_text(none.bytes));
        row.push_back("");
        print_row(row);
        for (std::size_t i = 0; i < costs.size(); ++i)
            for (const auto& way : all[i]) {
                if (!way.joins) continue;
                row = {keys_text(costs[i].keys), way.name};
                for (const double s : shares) {
                    const Join join = filtered(way, probe_rows, s, costs[i].fpr, net);
                    row.push_back(time_text(join.seconds) + ", " + bytes_text(join.bytes));
                }
                row.push_back(bytes_text(way.memory));
                print_row(row);
            }

        std::printf(
            "\nProbe rows of all nodes for each key from which the filter takes less time "
            "than none:\n\n");
        header = {"way"};
        for (const auto& c : costs)
            for (const double s : {0.01, 0.5})
                header.push_back(keys_text(c.keys) + text(" keys, %g %%", 100 * s));
        print_header(header);
        for (std::size_t w = 0; w < all[0].size(); ++w) {
            row = {all[0][w].name};
            for (std::size_t i = 0; i < costs.size(); ++i)
                for (const double s : {0.01, 0.5})
                    row.push_back(
                        rows_text(break_even(all[i][w], s, costs[i].fpr, net) / costs[i].keys));
            print_row(row);
        }
    }
    print_source("thousand_nodes");
}
