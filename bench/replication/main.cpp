// replication_prober PROBE [NAME=VALUE]...: prints the samples of a probe.
// replication_prober --memory: millions of random lines a second of one thread, by a plain loop.
// replication_prober --offers: what this machine and the library have, as JSON.
#include <algorithm>
#include <cstring>
#include <exception>

#include "harness/clock.hpp"
#include "harness/machine.hpp"
#include "replication/probes.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom::replication {
namespace {

// A function's static object: the probes of other files are made before any of this file would be.
std::vector<Probe>& list() {
    static std::vector<Probe> all;
    return all;
}

void print_offers() {
    const bench::Machine machine = bench::describe_machine();
    const double ghz = bench::clock_ghz();
    Json of_machine{{"clock GHz", std::to_string(ghz)}}, offers = Json::array();
    for (const auto& [name, value] : machine.facts) of_machine[name] = value;
    for (const Isa isa : usable_isas()) offers.push_back(to_string(isa));
    if (ghz > 0) offers.push_back("clock");
    for (const unsigned gib : {1U, 2U, 4U, 8U, 16U, 32U, 64U})
        if (machine.memory >> 30 >= gib) offers.push_back(std::to_string(gib) + " GiB");
    Json isas = Json::array();
    for (int i = 0; to_string(static_cast<Isa>(i)) != "unknown"; ++i)
        isas.push_back(to_string(static_cast<Isa>(i)));
    Json layouts = Json::array();
    for (const auto& traits : detail::layout_traits) layouts.push_back(traits.name);
    Json timed = Json::array(), untimed = Json::array();
    for (const Probe& probe : list()) (probe.timed ? timed : untimed).push_back(probe.name);
    print({{"provenance", machine.provenance()},
           {"machine", of_machine},
           {"isas", isas},
           {"layouts", layouts},
           {"offers", offers},
           {"timed", timed},
           {"untimed", untimed}});
}

int run(std::span<char* const> words) {
    if (words.empty()) {
        std::fprintf(stderr,
                     "usage: replication_prober --offers | --memory | PROBE [NAME=VALUE]...\n");
        return 2;
    }
    if (std::strcmp(words[0], "--offers") == 0) return print_offers(), 0;
    if (std::strcmp(words[0], "--memory") == 0)
        return std::printf("%.4g\n", bench::memory_speed().random_lines_per_second / 1e6), 0;
    const auto probe = std::ranges::find(list(), std::string(words[0]), &Probe::name);
    if (probe == list().end()) {
        std::fprintf(stderr, "no probe is called \"%s\"\n", words[0]);
        return 2;
    }
    try {
        Setup setup(words.subspan(1));
        probe->run(setup);
        setup.check_all_read();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", probe->name.c_str(), error.what());
        return dynamic_cast<const Lacking*>(&error) != nullptr ? 4 : 2;
    }
    return 0;
}

}  // namespace

Probes::Probes(std::initializer_list<Probe> probes) { list().insert(list().end(), probes); }

}  // namespace simdbloom::replication

int main(int argc, char** argv) {
    return simdbloom::replication::run({argv + 1, static_cast<std::size_t>(argc - 1)});
}
