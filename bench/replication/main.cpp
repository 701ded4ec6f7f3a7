// replication_prober PROBE [NAME=VALUE]...: prints the samples of a probe.
// replication_prober --offers: what this machine and the library have, as JSON.
#include <cstdlib>
#include <cstring>
#include <exception>

#include "harness/clock.hpp"
#include "harness/machine.hpp"
#include "replication/probes.hpp"
#include "simdbloom/isa.hpp"

namespace simdbloom::replication {
namespace {

constexpr std::span<const Probe> (*untimed[])() = {
    formula_probes, filter_probes, structure_probes, scheme_probes, published_probes, plot_probes};

std::string json_text(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c >= ' ') out += c;
    }
    return out + '"';
}

void print_names(std::span<const Probe> probes) {
    for (const Probe& probe : probes)
        std::printf("%s\"%s\"", &probe == probes.data() ? "" : ", ", probe.name);
}

void print_offers() {
    const bench::Machine machine = bench::describe_machine();
    std::printf("{\"provenance\": %s, \"machine\": {\"clock GHz\": \"%.3f\"",
                json_text(machine.provenance()).c_str(), bench::clock_ghz());
    for (const auto& [name, value] : machine.facts)
        std::printf(", %s: %s", json_text(name).c_str(), json_text(value).c_str());
    std::printf(
        "}, \"offers\": [%s",
        json_text("cpu:" + machine.fact("cpu family") + ":" + machine.fact("cpu model")).c_str());
    for (const Isa isa : usable_isas()) std::printf(", %s", json_text(to_string(isa)).c_str());
    if (bench::clock_ghz() > 0) std::printf(", \"clock\"");
    for (const std::uint64_t gib : {1U, 2U, 4U, 8U, 16U, 32U, 64U})
        if (machine.memory >> 30 >= gib)
            std::printf(", \"%llu GiB\"", static_cast<unsigned long long>(gib));
    std::printf("], \"timed\": [");
    print_names(timed_probes());
    std::printf("], \"untimed\": [");
    for (const auto list : untimed) {
        if (list != untimed[0]) std::printf(", ");
        print_names(list());
    }
    std::printf("]}\n");
}

const Probe* probe_called(std::string_view name) {
    for (const auto list : untimed)
        for (const Probe& probe : list())
            if (name == probe.name) return &probe;
    for (const Probe& probe : timed_probes())
        if (name == probe.name) return &probe;
    return nullptr;
}

int run(std::span<char* const> words) {
    if (words.empty()) {
        std::fprintf(stderr, "usage: replication_prober --offers | PROBE [NAME=VALUE]...\n");
        return 2;
    }
    if (std::strcmp(words[0], "--offers") == 0) return print_offers(), 0;
    const Probe* probe = probe_called(words[0]);
    if (probe == nullptr) {
        std::fprintf(stderr, "no probe is called \"%s\"\n", words[0]);
        return 2;
    }
    try {
        Setup setup(words.subspan(1));
        probe->run(setup);
        setup.check_all_read();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", probe->name, error.what());
        return 2;
    }
    return 0;
}

}  // namespace
}  // namespace simdbloom::replication

int main(int argc, char** argv) {
    return simdbloom::replication::run({argv + 1, static_cast<std::size_t>(argc - 1)});
}
