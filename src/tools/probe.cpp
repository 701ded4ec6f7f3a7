// simdbloom probe: the keys of a file that a filter finds.
#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "commands.hpp"
#include "files.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "simdbloom/key_kind.hpp"

namespace simdbloom::tools {
namespace {

struct ProbeSettings {
    std::string filter, as;
    std::vector<std::string> inputs{"-"};
    KeyFormat format = KeyFormat::lines;
    bool absent = false, count = false, progress = false, json = false;
};

/// Throws unless the filter's keys are of the kind that the file has.
void check_kind(const ProbeSettings& s, KeyKind kind) {
    if (may_ask(kind, kind_of(s.format))) return;
    for (const KeyFormat other : {KeyFormat::lines, KeyFormat::u64})
        if (may_ask(kind, kind_of(other))) {
            const bool lines = other == KeyFormat::lines;
            throw std::runtime_error("the keys of " + s.filter + " are " +
                                     (lines ? "lines" : to_string(kind)) + ": give --format " +
                                     (lines ? "lines" : "u64"));
        }
    throw std::runtime_error("the keys of " + s.filter + " are of the kind " + to_string(kind) +
                             ", and neither lines nor integers");
}

/// A filter of ours or of another system: the kind of its keys, and its lookup.
struct OpenFilter {
    KeyKind kind;
    std::uint64_t seed;  // of the hashes that it is probed with
    std::function<void(KeySource&, std::span<std::uint8_t>)> contains;
};

OpenFilter opened(const FrozenFilter& filter) {
    return {filter->key_kind(), filter->seed(), [filter](KeySource& source, auto bits) {
                filter.contains(Keys::hashes(source.hashes()), bits);
            }};
}

OpenFilter opened(ForeignFilter other) {
    return {KeyKind::unknown, 0,
            [filter = std::make_shared<const ForeignFilter>(std::move(other))](KeySource& source,
                                                                               auto bits) {
                if (source.format() == KeyFormat::u64) filter->contains(source.numbers(), bits);
                else filter->contains(source.texts(), bits);
            }};
}

int run(ProbeSettings s) {
    auto read_from = s.inputs;
    if (s.filter == "-" && std::ranges::count(read_from, "-") != 0)
        throw std::runtime_error("the filter and the keys cannot both come from standard input");
    read_from.push_back(s.filter);
    check_apart(read_from, {standard_output});
    const OpenFilter filter = std::visit([](auto either) { return opened(std::move(either)); },
                                         open_filter(s.filter, s.as));
    check_kind(s, filter.kind);
    KeySource source(s.inputs, s.format, filter.seed);
    std::uint64_t read = 0, found = 0;
    std::vector<std::uint8_t> bits;
    const bool lists = !s.count;
    const KeyPrinter printer(s.json);
    {
        Progress progress("probing", s.progress, s.json || (lists && is_terminal(1)));
        while (source.next()) {
            bits.resize((source.size() + 7) / 8);
            filter.contains(source, bits);
            for (std::size_t i = 0; i < source.size(); ++i) {
                const bool is_in = (bits[i / 8] >> (i % 8) & 1) != 0;
                found += is_in;
                if (lists && is_in != s.absent) printer.print(source, i);
            }
            read += source.size();
            progress.show(source);
        }
        progress.show(source, true);
    }
    const Json counts = {{"read", read}, {"found", found}};
    const std::uint64_t chosen = s.absent ? read - found : found;
    if (s.json) print_json(counts);
    else if (s.count)
        print_line(stdout, "%llu of %llu keys %sfound", count_of(chosen), count_of(read),
                   s.absent ? "not " : "");
    return chosen != 0 ? 0 : 3;
}

}  // namespace

void make_probe(CLI::App& command, int& status) {
    describe(command, "Print the keys of a file that a filter finds, or those it does not",
             "The filter finds all its keys, and absent keys at its FPR.\n"
             "Exit code 3 if no line is printed, or -c counts none.",
             {{"simdbloom probe keys.bloom others.txt", "the lines found"},
              {"simdbloom probe keys.bloom others.txt -v", "the lines not found"},
              {"simdbloom probe keys.bloom others.txt -c", "how many"}});
    auto& s = settings_of<ProbeSettings>(command, status, run);
    add_required(command, "FILTER", s.filter, filter_type,
                 "file by build or unseen, or of another system; - for standard input");
    add_inputs(command, s.inputs, "keys");
    add_format(command, s.format);
    add_as(command, s.as);
    command.add_flag("-v,--absent", s.absent, "print the keys that the filter does not find");
    command.add_flag("-c,--count", s.count, "print only how many there are");
    add_json(command, s.json);
    add_progress(command, s.progress);
}

}  // namespace simdbloom::tools
