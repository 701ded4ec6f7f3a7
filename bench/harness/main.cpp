// The measuring half of bench/report: runs the plan and leaves results.csv, machine.json and Google
// Benchmark's own JSON in the output folder. bench/render/render.py makes the pages from them.
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "harness/clock.hpp"
#include "harness/measure.hpp"
#include "simdbloom/detail/geometry.hpp"
#include "simdbloom/fpr.hpp"
#include "subjects/peer.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::size_t most_told = 511;
std::size_t* const already_told =
    static_cast<std::size_t*>(mmap(nullptr, (most_told + 1) * sizeof(std::size_t),
                                   PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));

void print_progress(const std::string& level, double seconds, const std::string& what) {
    std::fprintf(stderr, "%s[%.0f s] %s: %s%s", isatty(2) != 0 ? "\r\033[K" : "", seconds,
                 level.c_str(), what.c_str(), isatty(2) != 0 ? "" : "\n");
}

// "4.21 GHz (4.18 to 4.23 in the run)"
std::string clock_of(const std::vector<double>& ghz) {
    if (ghz.empty() || ghz.front() == 0) return "not measured on this architecture";
    const auto [least, most] = std::ranges::minmax(ghz);
    char text[200];
    std::snprintf(text, sizeof text,
                  "%.2f GHz (%.2f to %.2f in the run), by a chain of 64-bit multiplications of 3 "
                  "cycles each",
                  median(ghz), least, most);
    return text;
}

std::string text_of(const MemorySpeed& speed) {
    if (speed.bytes == 0) return "not measured: no memory";
    char text[200];
    std::snprintf(text, sizeof text,
                  "one thread, %llu MiB in pages of 2 MiB if there are any: %.1f GB/s in sequence, "
                  "%.0f million random lines/s, %.0f million random updates/s (%.3f GUPS)",
                  static_cast<unsigned long long>(speed.bytes >> 20),
                  speed.sequential_gb_per_second, speed.random_lines_per_second / 1e6,
                  speed.random_updates_per_second / 1e6, speed.random_updates_per_second / 1e9);
    return text;
}

// [bits per key, exact FPR] for the lines of the plot: many keys, the k of each point its best.
nlohmann::ordered_json model_curve(const Kind& kind) {
    nlohmann::ordered_json curve;
    const Layout layout = Layout::parse(kind.name);
    for (double bits = std::max(6.0, kind.least_bits); bits <= 24; bits += 0.5) {
        const auto n = std::uint64_t{1} << 24;
        const auto filter = detail::size_for_bits(layout, n, bits, {});
        curve.push_back({bits, fpr::expected(filter.layout, n, filter.blocks)});
    }
    return curve;
}

// The list of subjects for the pages, each with the names that its filters have in results.csv.
nlohmann::ordered_json describe(const std::map<std::string, std::set<std::string>>& filters) {
    nlohmann::ordered_json subjects;
    for (const Kind& kind : kinds()) {
        const auto found = filters.find(kind.name);
        nlohmann::ordered_json about{
            {"name", kind.name},
            {"role", to_string(kind.role)},
            {"colour", kind.colour},
            {"main", kind.is_main},
            {"sets", kind.sets},
            {"bits_per_key", kind.bits_per_key},
            {"least_bits", kind.least_bits},
            {"filters", found == filters.end() ? std::set<std::string>() : found->second}};
        if (kind.role == Role::contender) about["model"] = model_curve(kind);
        subjects.push_back(about);
    }
    return subjects;
}

struct Settings {
    Depth depth = Depth::standard;
    std::string key_file, out = "build/report";
    std::string probe_program;                 ///< for cachegrind
    std::string command = "simdbloom_report";  ///< how the run was started, for the record
    std::uint64_t seed = 1;
    std::vector<std::string> only, peers;
};

Settings settings_of(int argc, char** argv) {
    Settings s;
    std::string seed = std::to_string(s.seed);
    const std::map<std::string, std::string*> texts{{"--keys", &s.key_file},
                                                    {"--out", &s.out},
                                                    {"--seed", &seed},
                                                    {"--command", &s.command},
                                                    {"--probe-program", &s.probe_program}};
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--quick") s.depth = Depth::quick;
        else if (name == "--full") s.depth = Depth::full;
        else if (i + 1 < argc && name == "--only") s.only.push_back(argv[++i]);
        else if (i + 1 < argc && name == "--peer") s.peers.push_back(argv[++i]);
        else if (i + 1 < argc && texts.contains(name)) *texts.at(name) = argv[++i];
        else throw std::invalid_argument(name + " is no option of bench/report, or has no value");
    }
    const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), s.seed);
    if (error != std::errc{} || end != seed.data() + seed.size())
        throw std::invalid_argument("--seed " + seed + " is no number");
    return s;
}

/// Whether no process of this report complained about it: after a fault of a peer another process
/// begins again. Hashes, in memory of all.
bool is_new(const std::string& complaint) {
    std::size_t* told = already_told;
    const std::size_t hash = std::hash<std::string>()(complaint);
    while (*told != 0 && *told != hash) ++told;
    if (*told == hash) return false;
    if (told < already_told + most_told) *told = hash;
    return true;
}

/// `faults`: of peers to leave out, by path.
int run(const Settings& s, const std::map<std::string, std::string>& faults) {
    std::filesystem::create_directories(s.out);
    const KeySource keys = s.key_file.empty() ? KeySource::generated(s.seed)
                                              : KeySource::from_file(s.key_file, s.seed);
    Machine machine = describe_machine();
    std::vector<std::string> complaints;
    const auto complain = [&](const std::string& about, const std::string& what) {
        complaints.push_back(what);
        if (is_new(about)) std::fprintf(stderr, "\nFAILED: %s\n", what.c_str());
    };
    for (const std::string& peer : s.peers) {
        try {
            if (faults.contains(peer)) throw std::runtime_error(faults.at(peer));
            machine.facts.emplace_back("peer " + peer, add_peer(peer));
        } catch (const std::runtime_error& e) {
            complain(peer, e.what());
        }
    }
    Plan plan =
        s.key_file.empty() ? make_plan(s.depth, machine) : make_plan_for_keys(s.depth, keys.size());
    if (!s.only.empty())
        std::erase_if(plan.cases, [&](const Case& c) {
            return std::ranges::find(s.only, c.kind->name) == s.only.end();
        });
    if (plan.cases.empty())
        throw std::runtime_error("--only " + s.only.front() +
                                 ": the plan has no filter of that name");
    Timer timer(plan.repetitions, plan.seconds_per_repetition, s.out + "/benchmark.json");
    const KeySource hashes = keys.as_hashes();
    const Context context{machine, keys, hashes, plan, timer, s.seed, s.probe_program, s.out};

    std::vector<Row> rows;
    std::map<std::string, std::set<std::string>> filters;
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    std::vector<double> ghz;
    nlohmann::ordered_json quiet;
    for (const auto& cases : turns(plan, machine)) {
        const Case& first = cases.front();
        const std::string level = machine.level(
            static_cast<std::uint64_t>(static_cast<double>(first.n_keys) * first.bits_per_key / 8));
        const auto [outcomes, rounds] = measure(cases, context, [&](const std::string& what) {
            print_progress(level, elapsed(), what);
        });
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const std::string& name = cases[i].kind->name;
            if (!outcomes[i].complaint.empty()) {
                const std::string about = name + ", " + std::to_string(cases[i].n_keys) + " keys";
                complain(about, about + ": " + outcomes[i].complaint);
            }
            for (const Row& row : outcomes[i].rows) filters[name].insert(row.filter);
            rows.insert(rows.end(), outcomes[i].rows.begin(), outcomes[i].rows.end());
        }
        ghz.push_back(median(rounds.ghz));
        quiet.push_back({{"level", level},
                         {"filters", cases.size()},
                         {"moved", rounds.moved},
                         {"repeated", rounds.repeated},
                         {"disturbed", rounds.disturbed()}});
    }
    if (isatty(2) != 0) std::fprintf(stderr, "\r\033[K");

    const MemorySpeed memory = memory_speed();
    nlohmann::ordered_json about;
    for (const auto& [name, value] : machine.facts) about["machine"][name] = value;
    about["machine"]["clock"] = clock_of(ghz);
    about["machine"]["memory speed"] = text_of(memory);
    about["memory_speed"] = {{"bytes", memory.bytes},
                             {"sequential_gb_per_second", memory.sequential_gb_per_second},
                             {"random_lines_per_second", memory.random_lines_per_second},
                             {"random_updates_per_second", memory.random_updates_per_second}};
    about["provenance"] = machine.provenance();
    about["levels"] = {{"L1", machine.l1d}, {"L2", machine.l2}, {"L3", machine.l3}};
    about["command"] = s.command;
    about["keys"] = keys.description();
    constexpr const char* depth_names[] = {"quick", "standard", "full"};
    about["depth"] = depth_names[static_cast<std::size_t>(s.depth)];
    about["seconds"] = elapsed();
    about["repetitions"] = plan.repetitions;
    about["seconds_per_repetition"] = plan.seconds_per_repetition;
    about["fpr_probes"] = plan.fpr_probes;
    about["turns"] = quiet;
    about["best_isa"] = to_string(default_isa());
    for (const Implementation& each : implementations()) about["isas"].push_back(each.name);
    about["cachegrind"] = simulated_caches(machine) + ", " + cachegrind_isa() + " path";
    about["subjects"] = describe(filters);
    about["complaints"] = complaints;
    timer.finish();
    write_file(s.out + "/results.csv", to_csv(rows, machine));
    // What a peer says of itself may be no UTF-8.
    constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
    write_file(s.out + "/machine.json", about.dump(2, ' ', false, replace) + "\n");
    if (!complaints.empty()) {
        std::fprintf(stderr, "%zu measurements are wrong; no times are printed for them:\n",
                     complaints.size());
        for (const auto& c : complaints) std::fprintf(stderr, "  %s\n", c.c_str());
        return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const Settings s = settings_of(argc, argv);
        const auto work = [&](const auto& faults) { return run(s, faults); };
        return s.peers.empty() ? run(s, {}) : outlive_peers(work);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "bench/report: %s\n", e.what());
        return 2;
    }
}
