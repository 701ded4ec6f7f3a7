// LevelDB databases of the same million keys, each with another filter policy, asked for keys that
// they do not hold. An argument: another number of keys.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/leveldb/database.hpp"
#include "harness/timing.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr int bits_per_key = 10;
constexpr std::uint64_t lookups = 100'000;
constexpr unsigned passes = 15;

std::vector<std::string> some_keys(std::uint64_t first, std::uint64_t range) {
    std::mt19937_64 random(1);
    std::vector<std::string> keys;
    for (std::uint64_t i = 0; i < lookups; ++i) keys.push_back(key_text(first + random() % range));
    return keys;
}

struct Subject {
    std::string policy;
    std::filesystem::path folder;
    double filters = 0, keys = 0, bytes = 0;  // made while the database was filled and compacted
    double blocks_read = 0, asked = 0, passed = 0;
    std::vector<double> absent_ns{}, present_ns{};
};

/// Makes the database, closes and opens it again, and counts what absent keys make LevelDB do.
void build_and_count(Subject& subject, std::uint64_t n, const std::vector<std::string>& absent,
                     const std::vector<std::string>& present) {
    Counts counts;
    Database(subject.folder, subject.policy, bits_per_key, &counts).fill(n);
    subject.filters = static_cast<double>(counts.filters_made);
    subject.keys = static_cast<double>(counts.keys_in_filters);
    subject.bytes = static_cast<double>(counts.filter_bytes);
    Database database(subject.folder, subject.policy, bits_per_key, &counts);
    database.expect(present, true);  // opens the tables, too
    counts.reset();
    database.expect(absent, false);
    subject.blocks_read =
        static_cast<double>(counts.blocks_read) / static_cast<double>(absent.size());
    subject.asked = static_cast<double>(counts.filters_asked);
    subject.passed = static_cast<double>(counts.filters_passed);
}

/// Every database once a pass, in random order.
void time_all(std::vector<Subject>& subjects, const std::vector<std::string>& absent,
              const std::vector<std::string>& present) {
    std::vector<std::unique_ptr<Database>> databases;
    std::vector<std::size_t> order;
    for (const auto& subject : subjects) {
        order.push_back(databases.size());
        databases.push_back(
            std::make_unique<Database>(subject.folder, subject.policy, bits_per_key, nullptr));
        databases.back()->expect(present, true);
    }
    std::mt19937_64 random(1);
    for (unsigned pass = 0; pass < passes; ++pass) {
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t i : order) {
            subjects[i].absent_ns.push_back(databases[i]->time(absent));
            subjects[i].present_ns.push_back(databases[i]->time(present));
        }
        std::fprintf(stderr, "pass %u of %u\n", pass + 1, passes);
    }
}

std::string median(const std::vector<double>& samples) {
    const auto s = summarise(samples);
    return text("%.0f (%.0f - %.0f)", s.median, s.low, s.high);
}

std::string load_average() {
    double loads[1] = {};
    return getloadavg(loads, 1) == 1 ? text("%.1f", loads[0]) : "unknown";
}

void run(std::uint64_t n) {
    const TemporaryFolder folder;
    const auto absent = some_keys(absent_from, absent_from), present = some_keys(0, n);
    std::vector<Subject> subjects{{no_policy, folder.path() / no_policy}};
    for (const auto& name : policy_names) subjects.push_back({name, folder.path() / name});
    const std::string load = load_average();
    for (auto& subject : subjects) {
        std::fprintf(stderr, "database of %llu keys, filter: %s\n",
                     static_cast<unsigned long long>(n), subject.policy.c_str());
        build_and_count(subject, n, absent, present);
    }
    time_all(subjects, absent, present);

    std::printf(
        "%llu keys, %d bits per key asked for, %llu lookups a pass; medians of %u passes and their "
        "95 %% intervals.\n\n",
        static_cast<unsigned long long>(n), bits_per_key, static_cast<unsigned long long>(lookups),
        passes);
    print_header({"filter", "keys a filter", "bytes a filter (bits a key)", "FPR (95 % interval)",
                  "blocks read an absent key", "absent key, ns", "present key, ns"});
    for (const auto& subject : subjects) {
        std::vector<std::string> row{shown(subject.policy)};
        if (subject.policy == no_policy) {
            row.insert(row.end(), {"", "", ""});
        } else {
            const auto interval = fpr::wilson(subject.passed, subject.asked, 1.96);
            row.push_back(text("%.1f", subject.keys / subject.filters));
            row.push_back(text("%.1f (%.1f)", subject.bytes / subject.filters,
                               8 * subject.bytes / subject.keys));
            row.push_back(text("%.3f %% (%.3f - %.3f)", 100 * subject.passed / subject.asked,
                               100 * interval.low, 100 * interval.high));
        }
        row.push_back(text("%.4f", subject.blocks_read));
        row.push_back(median(subject.absent_ns));
        row.push_back(median(subject.present_ns));
        print_row(row);
    }
    std::printf("\nLoad average %s at the beginning, %s at the end.\n", load.c_str(),
                load_average().c_str());
    print_source("leveldb_lookups");
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::uint64_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
        if (n == 0) throw std::invalid_argument(std::string("no number of keys: ") + argv[1]);
        run(n);
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "leveldb_lookups: %s\n", e.what());
        return 1;
    }
}
