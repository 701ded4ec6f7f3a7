// simdbloom advise: the fastest filter for a workload on this machine.
#include "simdbloom/advice/advice.hpp"

#include <memory>
#include <stdexcept>

#include "commands.hpp"
#include "json.hpp"

namespace simdbloom::tools {
namespace {

struct AdviseSettings {
    double keys = 0, bytes = 0, table = 0;
    Workload workload;
    std::size_t lines = 8;
    bool json = false;
};

std::uint64_t whole(const char* name, double value) {
    if (!(value >= 0 && value <= 0x1p53) ||
        value != static_cast<double>(static_cast<std::uint64_t>(value)))
        throw std::runtime_error(std::string(name) + ": " + std::to_string(value) +
                                 " is not a whole number from 0 to 2^53");
    return static_cast<std::uint64_t>(value);
}

void print(const Advice::Choice& c, const Advice& advice) {
    if (c.is_none()) {
        print_line(stdout, "%-18s %8s %12s %12s %10s %9s %9s %10.2f", "no filter", "", "", "", "",
                   "", "", c.total_ns);
        return;
    }
    const bool equal = c.total_ns <= advice.best().total_ns * (1 + advice.noise);
    print_line(stdout, "%-18s %8.2f %12llu %12s %9.3g%% %9.2f %9.2f %10.2f%s", c.spec.c_str(),
               c.bits_per_key, count_of(c.bytes), std::string(to_string(c.isa)).c_str(),
               100 * c.fpr, c.insert_ns, c.lookup_ns, c.total_ns,
               equal && &c != &advice.best() ? "  as good" : "");
}

int advise_on(AdviseSettings s) {
    s.workload.n_keys = whole("--keys", s.keys);
    s.workload.max_bytes = whole("--bytes", s.bytes);
    s.workload.table_bytes = whole("--table", s.table);
    const Advice advice = advise(s.workload);
    if (s.json) {
        Json ranking = Json::array();
        for (std::size_t i = 0; i < advice.ranking.size(); ++i) {
            const Advice::Choice& c = advice.ranking[i];
            if (c.is_none()) ranking.push_back({{"spec", nullptr}, {"total_ns", c.total_ns}});
            else if (i < s.lines)
                ranking.push_back({{"spec", c.spec},
                                   {"bits_per_key", c.bits_per_key},
                                   {"bytes", c.bytes},
                                   {"isa", to_string(c.isa)},
                                   {"fpr", c.fpr},
                                   {"insert_ns", c.insert_ns},
                                   {"lookup_ns", c.lookup_ns},
                                   {"total_ns", c.total_ns}});
        }
        print_json({{"why", advice.why()},
                    {"noise", advice.noise},
                    {"candidates", advice.candidates},
                    {"ranking", std::move(ranking)}});
        return 0;
    }
    print_line(stdout, "%s", advice.why().c_str());
    print_line(stdout, "%s", "");
    print_line(stdout, "%-18s %8s %12s %12s %10s %9s %9s %10s", "spec", "bits/key", "bytes", "ISA",
               "FPR", "insert ns", "lookup ns", "a probe ns");
    for (std::size_t i = 0; i < advice.ranking.size(); ++i)
        if (i < s.lines || advice.ranking[i].is_none()) print(advice.ranking[i], advice);
    print_line(stdout, "%s", "");
    print_line(stdout, "%zu combinations of layout, k, bits and ISA were compared.",
               advice.candidates);
    return 0;
}

}  // namespace

void add_advise(CLI::App& app, int& status) {
    auto* command = add_command(
        app, "advise", "Rank filters by their time on this machine",
        "Measures the machine for one to two seconds; it should be idle.",
        {{"simdbloom advise -n 1e6 --work 50", "a million keys; a \"not in\" saves 50 ns"}});
    const auto s = std::make_shared<AdviseSettings>();
    Workload& w = s->workload;
    const auto option = [&](const char* name, auto& value, const char* type, const char* help) {
        return command->add_option(name, value, help)->type_name(type);
    };
    option("-n,--keys", s->keys, "N", "distinct keys in the filter, e.g. 1e6")->required();
    option("-w,--work", w.work_ns, "NS",
           "ns that one \"not in\" saves, e.g. 20 for a hash table in memory, 1e5 for a block on a "
           "disk")
        ->required();
    option("-p,--probes", w.probes, "N", "number of lookups; without it inserts do not count");
    option("--hits", w.hits, "SHARE", "share of the probed keys that are present")
        ->capture_default_str();
    option("-b,--bits", w.max_bits_per_key, "BITS", "most bits a key")->capture_default_str();
    option("--bytes", s->bytes, "BYTES", "most bytes");
    option("--table", s->table, "BYTES",
           "bytes of the table behind the filter, which shares its caches");
    command->add_flag("--erase", w.erase, "keys must be erasable");
    command->add_flag("--grow", w.grow, "the filter must grow");
    command->add_flag("--merge", w.merge, "filters must be unitable");
    command->add_flag("--all-at-once", w.all_at_once, "all keys are known when the filter is made");
    option("--lines", s->lines, "N", "lines of the table")->capture_default_str();
    add_json(*command, s->json);
    command->callback([=, &status] { status = advise_on(*s); });
}

}  // namespace simdbloom::tools
