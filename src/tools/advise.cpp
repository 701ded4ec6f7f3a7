// simdbloom advise: the fastest filter for a workload on this machine.
#include "simdbloom/advice/advice.hpp"

#include "commands.hpp"
#include "json.hpp"

namespace simdbloom::tools {
namespace {

struct AdviseSettings {
    Workload workload;
    std::size_t lines = 8;
    bool json = false;
};

void print(const Advice::Choice& c, const Advice& advice) {
    const bool equal = c.total_ns <= advice.best().total_ns * (1 + advice.noise);
    if (c.is_none())
        print_line(stdout, "%-18s %8s %12s %12s %10s %9s %9s %10.2f", "no filter", "", "", "", "",
                   "", "", c.total_ns);
    else
        print_line(stdout, "%-18s %8.2f %12llu %12s %9.3g%% %9.2f %9.2f %10.2f%s", c.spec.c_str(),
                   c.bits_per_key, count_of(c.bytes), std::string(to_string(c.isa)).c_str(),
                   100 * c.fpr, c.insert_ns, c.lookup_ns, c.total_ns,
                   equal && &c != &advice.best() ? "  as good" : "");
}

Json json_of(const Advice::Choice& c) {
    if (c.is_none()) return {{"spec", nullptr}, {"total_ns", c.total_ns}};
    return {{"spec", c.spec},
            {"bits_per_key", c.bits_per_key},
            {"bytes", c.bytes},
            {"isa", to_string(c.isa)},
            {"fpr", c.fpr},
            {"insert_ns", c.insert_ns},
            {"lookup_ns", c.lookup_ns},
            {"total_ns", c.total_ns}};
}

int run(AdviseSettings s) {
    const Advice advice = advise(s.workload);
    Json ranking = Json::array();
    if (!s.json) {
        print_line(stdout, "%s", advice.why().c_str());
        print_line(stdout, "%s", "");
        print_line(stdout, "%-18s %8s %12s %12s %10s %9s %9s %10s", "spec", "bits/key", "bytes",
                   "ISA", "FPR", "insert ns", "lookup ns", "a probe ns");
    }
    for (std::size_t i = 0; i < advice.ranking.size(); ++i) {
        const Advice::Choice& c = advice.ranking[i];
        if (i >= s.lines && !c.is_none()) continue;
        if (s.json) ranking.push_back(json_of(c));
        else print(c, advice);
    }
    if (s.json) {
        print_json({{"why", advice.why()},
                    {"noise", advice.noise},
                    {"candidates", advice.candidates},
                    {"ranking", std::move(ranking)}});
    } else {
        print_line(stdout, "%s", "");
        print_line(stdout, "%zu combinations of layout, k, bits and ISA were compared.",
                   advice.candidates);
    }
    return 0;
}

}  // namespace

void make_advise(CLI::App& command, int& status) {
    describe(command, "Rank filters by their time on this machine",
             "Measures the machine for one to two seconds; it should be idle.",
             {{"simdbloom advise -n 1e6 --work 50", "a million keys; a \"not in\" saves 50 ns"}});
    auto& s = settings_of<AdviseSettings>(command, status, run);
    Workload& w = s.workload;
    const auto option = [&](const char* name, auto& value, const char* type, const char* help) {
        return command.add_option(name, value, help)->type_name(type);
    };
    add_whole(command, "-n,--keys", w.n_keys, "distinct keys in the filter, e.g. 1e6")
        ->required()
        ->default_str("");
    option("-w,--work", w.work_ns, "NS",
           "ns that one \"not in\" saves, e.g. 20 for a hash table in memory, 1e5 for a block on a "
           "disk")
        ->required();
    option("-p,--probes", w.probes, "N", "number of lookups; without it inserts do not count");
    option("--hits", w.hits, "SHARE", "share of the probed keys that are present")
        ->capture_default_str();
    option("-b,--bits", w.max_bits_per_key, "BITS", "most bits a key")->capture_default_str();
    add_whole(command, "--bytes", w.max_bytes, "most bytes")->default_str("");
    add_whole(command, "--table", w.table_bytes,
              "bytes of the table behind the filter, which shares its caches")
        ->default_str("");
    command.add_flag("--erase", w.erase, "keys must be erasable");
    command.add_flag("--grow", w.grow, "the filter must grow");
    command.add_flag("--merge", w.merge, "filters must be unitable");
    command.add_flag("--all-at-once", w.all_at_once, "all keys are known when the filter is made");
    add_whole(command, "--lines", s.lines, "lines of the table");
    add_json(command, s.json);
}

}  // namespace simdbloom::tools
