// simdbloom reconcile: what two files would send each other after exchanging filters.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.hpp"
#include "files.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "simdbloom/any/reconcile.hpp"

namespace simdbloom::tools {
namespace {

struct ReconcileSettings {
    std::string a, b, for_a, for_b, spec{default_spec};
    std::optional<double> bits_per_key;
    KeyFormat format = KeyFormat::lines;
    std::uint64_t seed = 0;
    bool json = false;
};

struct Side {
    std::string path;
    std::vector<std::string> lines;  // distinct, sorted
    std::vector<std::uint64_t> hashes;
    std::uint64_t line_bytes = 0;
    std::vector<std::byte> message;
};

Side read_side(const std::string& path, const ReconcileSettings& s) {
    Side side{path, {}, {}, 0, {}};
    for (KeySource source({path}, s.format, s.seed, 1); source.next();)
        for (const std::string_view line : source.texts()) side.lines.emplace_back(line);
    std::ranges::sort(side.lines);
    side.lines.erase(std::unique(side.lines.begin(), side.lines.end()), side.lines.end());
    if (side.lines.empty()) throw std::runtime_error("\"" + path + "\" has no lines");
    for (const auto& line : side.lines) {
        side.hashes.push_back(hash_bytes(line, s.seed));
        side.line_bytes += line.size() + 1;
    }
    Options options;
    options.spec = s.spec;
    options.seed = s.seed;
    side.message = reconciliation_message(side.hashes, *s.bits_per_key, options);
    return side;
}

/// The keys that `from` sends after reading the filter of `to`.
Json report(const Side& from, const Side& to, const std::string& out, const ReconcileSettings& s) {
    const auto sent = missing_at_sender(to.message, from.hashes).value();
    std::uint64_t lacks = 0, bytes = 0;
    for (const auto& line : from.lines) lacks += !std::ranges::binary_search(to.lines, line);
    for (const auto i : sent.positions) bytes += from.lines[i].size() + 1;
    const auto missed = lacks - sent.positions.size();
    if (!s.json) {
        print_line(stdout, "%s has %zu lines, %llu of them not in %s", from.path.c_str(),
                   from.lines.size(), count_of(lacks), to.path.c_str());
        print_line(stdout,
                   "  filter received   %zu bytes for %zu lines (all lines of %s: %llu bytes)",
                   to.message.size(), to.lines.size(), to.path.c_str(), count_of(to.line_bytes));
        print_line(stdout, "  lines sent        %zu (%llu bytes)", sent.positions.size(),
                   count_of(bytes));
        print_line(
            stdout, "  missed            %llu (%.3f%%; the filter's bits say %.3f%%)",
            count_of(missed),
            lacks == 0 ? 0 : 100.0 * static_cast<double>(missed) / static_cast<double>(lacks),
            100 * sent.expected_missed);
    }
    if (!out.empty()) {
        std::string lines;
        lines.reserve(bytes);
        for (const auto i : sent.positions) (lines += from.lines[i]) += end_of(s.format);
        save_text(lines, out);
    }
    return {{"file", json_text(from.path)},
            {"lines", from.lines.size()},
            {"not_in_other", lacks},
            {"filter_bytes_received", to.message.size()},
            {"lines_sent", sent.positions.size()},
            {"bytes_sent", bytes},
            {"missed", missed},
            {"missed_expected", sent.expected_missed}};
}

int run(ReconcileSettings s) {
    if (!s.bits_per_key) s.bits_per_key = default_bits(s.spec, 8);
    check_apart({s.a, s.b}, {s.for_a, s.for_b});
    const Side a = read_side(s.a, s), b = read_side(s.b, s);
    Json sides = Json::array();
    sides.push_back(report(a, b, s.for_b, s));
    sides.push_back(report(b, a, s.for_a, s));
    if (s.json) print_json({{"sides", std::move(sides)}});
    return 0;
}

}  // namespace

void make_reconcile(CLI::App& command, int& status) {
    describe(
        command, "Show what two sets of lines would send each other by filters",
        "Each side sends the other a filter of its lines, and gets the lines that the filter does "
        "not find. Prints the bytes sent and the lines missed.",
        {{"simdbloom reconcile a.txt b.txt", "bytes, lines sent and lines missed"},
         {"simdbloom reconcile a.txt b.txt --for-b new.txt", "also the lines that b.txt lacks"}});
    auto& s = settings_of<ReconcileSettings>(command, status, run);
    add_required(command, "A", s.a, file_type, "one set of lines");
    add_required(command, "B", s.b, file_type, "the other");
    add_bits(command, s.bits_per_key, 8);
    add_nul(command, s.format);
    add_value(command, "--spec", s.spec, spec_type, "layout of the filters");
    add_whole(command, "--seed", s.seed,
              "of the filters; a second round with another seed finds what the first missed");
    add_output(command, "--for-a", s.for_a, "write the lines that B sends to A");
    add_output(command, "--for-b", s.for_b, "write the lines that A sends to B");
    add_json(command, s.json);
}

}  // namespace simdbloom::tools
