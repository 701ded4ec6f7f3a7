#include "harness/results.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace simdbloom::bench {
namespace {

std::string number(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", x);
    return text;
}

std::string number(const std::optional<double>& x) { return x ? number(*x) : ""; }

// Specs and flags hold commas: quoted as RFC 4180 says.
std::string text(const std::string& t) {
    if (t.find_first_of(",\"\r\n") == std::string::npos) return t;
    std::string quoted = "\"";
    for (const char c : t) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

// The facts of the machine and the build that every row has, and the names of their columns.
constexpr std::pair<const char*, const char*> machine_columns[] = {{"commit", "commit"},
                                                                   {"cpu", "cpu"},
                                                                   {"cpu family", "cpu_family"},
                                                                   {"cpu model", "cpu_model"},
                                                                   {"cpu stepping", "cpu_stepping"},
                                                                   {"page bytes", "page_bytes"},
                                                                   {"huge pages", "huge_pages"},
                                                                   {"compiler", "compiler"},
                                                                   {"flags", "flags"}};

}  // namespace

std::string to_csv(const std::vector<Row>& rows, const Machine& machine) {
    std::string csv =
        "filter,isa,op,batch,output,n_keys,bits_per_key,filter_bytes,memory_level,hit_ratio,"
        "threads,ns_per_key,ns_low,ns_high,touch_ns,touch_ratio,"
        "fpr,fpr_low,fpr_high,fpr_model,lines_per_key,l1_misses,ll_misses,miss_source,seed,"
        "repetitions";
    std::string of_machine;
    for (const auto& [fact, column] : machine_columns) {
        csv += std::string(",") + column;
        of_machine += "," + text(machine.fact(fact));
    }
    csv += ",cycles_per_key,touch_moved,disturbed\n";
    for (const auto& r : rows) {
        const std::string fields[] = {text(r.filter),
                                      r.isa,
                                      r.op,
                                      std::to_string(r.batch),
                                      r.output,
                                      std::to_string(r.n_keys),
                                      number(r.bits_per_key),
                                      std::to_string(r.filter_bytes),
                                      r.memory_level,
                                      number(r.hit_ratio),
                                      std::to_string(r.threads),
                                      number(r.ns_per_key),
                                      number(r.ns_low),
                                      number(r.ns_high),
                                      number(r.touch_ns),
                                      r.touch_ns ? number(r.ns_per_key / *r.touch_ns) : "",
                                      number(r.fpr),
                                      number(r.fpr_low),
                                      number(r.fpr_high),
                                      number(r.fpr_model),
                                      number(r.lines_per_key),
                                      number(r.l1_misses),
                                      number(r.ll_misses),
                                      r.miss_source,
                                      std::to_string(r.seed),
                                      std::to_string(r.repetitions)};
        const char* separator = "";
        for (const auto& f : fields) csv += separator + f, separator = ",";
        csv += of_machine + ',' + number(r.cycles_per_key) + ',' + number(r.touch_moved) + ',' +
               (r.disturbed ? '1' : '0') + '\n';
    }
    return csv;
}

void write_file(const std::string& path, const std::string& content) {
    const std::string part = path + ".part";
    const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const auto fail = [&] {
        const std::string reason = std::strerror(errno);
        if (fd >= 0) close(fd);
        unlink(part.c_str());
        throw std::runtime_error("cannot write \"" + path + "\": " + reason);
    };
    if (fd < 0) fail();
    for (std::size_t done = 0; done < content.size();) {
        const ssize_t n = write(fd, content.data() + done, content.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail();
        done += static_cast<std::size_t>(n);
    }
    if (fsync(fd) != 0 && errno != EINVAL && errno != EROFS) fail();
    if (close(fd) != 0) fail();
    if (rename(part.c_str(), path.c_str()) != 0) fail();
}

}  // namespace simdbloom::bench
