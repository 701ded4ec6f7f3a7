#include "harness/results.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace simdbloom::bench {
namespace {

// Specs and flags hold commas: quoted as RFC 4180 says.
std::string cell(const std::string& t) {
    if (t.find_first_of(",\"\r\n") == std::string::npos) return t;
    std::string quoted = "\"";
    for (const char c : t) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}
std::string cell(double x) {
    char text[40] = "";
    if (!std::isnan(x)) std::snprintf(text, sizeof text, "%.6g", x);
    return text;
}
std::string cell(const std::optional<double>& x) { return x ? cell(*x) : ""; }
std::string cell(std::unsigned_integral auto x) { return std::to_string(x); }

template <class... Cells>
std::string cells(const Cells&... values) {
    std::string line;
    ((line += cell(values) + ','), ...);
    line.pop_back();
    return line;
}

// The facts of the machine and the build that every row has; their columns have '_' for ' '.
constexpr const char* machine_columns[] = {"commit",     "cpu",          "cpu family",
                                           "cpu model",  "cpu stepping", "page bytes",
                                           "huge pages", "compiler",     "flags"};

}  // namespace

std::string to_csv(const std::vector<Row>& rows, const Machine& machine) {
    std::string csv =
        "filter,isa,op,batch,output,n_keys,bits_per_key,filter_bytes,memory_level,hit_ratio,"
        "threads,ns_per_key,ns_low,ns_high,touch_ns,touch_ratio,"
        "fpr,fpr_low,fpr_high,fpr_model,lines_per_key,l1_misses,ll_misses,miss_source,seed,"
        "repetitions";
    std::string of_machine = ",";
    for (const std::string fact : machine_columns) {
        csv += ',' + fact;
        std::ranges::replace(csv, ' ', '_');
        of_machine += cell(machine.fact(fact)) + ',';
    }
    csv += ",cycles_per_key,touch_moved,disturbed,sets\n";
    for (const auto& r : rows)
        csv += cells(r.filter, r.isa, r.op, r.batch, r.output, r.n_keys, r.bits_per_key,
                     r.filter_bytes, r.memory_level, r.hit_ratio, r.threads, r.ns_per_key, r.ns_low,
                     r.ns_high, r.touch_ns, r.touch_ns ? cell(r.ns_per_key / *r.touch_ns) : "",
                     r.fpr, r.fpr_low, r.fpr_high, r.fpr_model, r.lines_per_key, r.l1_misses,
                     r.ll_misses, r.miss_source, r.seed, r.repetitions) +
               of_machine + cells(r.cycles_per_key, r.touch_moved, unsigned{r.disturbed}, r.sets) +
               '\n';
    return csv;
}

void write_file(const std::string& path, const std::string& content) {
    const std::string part = path + ".part";
    std::ofstream file(part, std::ios::binary);
    file << content;
    file.close();
    if (file && std::rename(part.c_str(), path.c_str()) == 0) return;
    const std::string reason = std::strerror(errno);
    std::remove(part.c_str());
    throw std::runtime_error("cannot write \"" + path + "\": " + reason);
}

}  // namespace simdbloom::bench
