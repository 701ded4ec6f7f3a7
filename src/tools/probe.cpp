// simdbloom probe: the keys of a file that a filter finds.
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "commands.hpp"
#include "files.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "simdbloom/any/serialize.hpp"
#include "simdbloom/foreign/foreign.hpp"
#include "simdbloom/key_kind.hpp"
#include "simdbloom/series/scalable.hpp"

namespace simdbloom::tools {
namespace {

struct ProbeSettings {
    std::string filter, input = "-", as;
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

/// A filter, a series of filters or a filter of another system: the kind of its keys, and its
/// lookup.
struct OpenFilter {
    KeyKind kind;
    std::uint64_t seed;  // of the hashes that it is probed with
    std::function<void(KeySource&, std::span<std::uint8_t>)> contains;
};

template <class F>
OpenFilter open_filter(const FilterBase& base, F filter) {
    return {base.key_kind(), base.seed(),
            [filter = std::move(filter)](KeySource& source, auto bits) {
                filter->contains(Keys::hashes(source.hashes()), bits);
            }};
}

OpenFilter open_filter(ForeignFilter other) {
    return {KeyKind::unknown, 0,
            [filter = std::make_shared<const ForeignFilter>(std::move(other))](KeySource& source,
                                                                               auto bits) {
                if (source.format() == KeyFormat::lines) filter->contains(source.texts(), bits);
                else filter->contains(source.numbers(), bits);
            }};
}

OpenFilter open(const std::string& path, const std::string& as) {
    if (!as.empty()) return open_filter(read_foreign_file(path, parse_foreign_format(as)).value());
    auto mapped = map_file(path);
    if (!mapped && may_be_foreign(mapped.error())) {
        if (auto loaded = load_file<ScalableBloom>(path); loaded) {
            const auto series = std::make_shared<const ScalableBloom>(std::move(*loaded));
            return open_filter(series->filters().front().base(), series);
        }
        if (auto other = read_foreign_file(path); other) return open_filter(std::move(*other));
    }
    const FrozenFilter filter = std::move(mapped).value();
    return open_filter(filter->base(), filter);
}

int run(const ProbeSettings& s) {
    check_apart({s.filter, s.input}, {standard_output});
    const OpenFilter filter = open(s.filter, s.as);
    check_kind(s, filter.kind);
    KeySource source(s.input, s.format, filter.seed);
    std::uint64_t read = 0, found = 0;
    std::vector<std::uint8_t> bits;
    const bool lists = !s.count;
    KeyPrinter printer(lists && s.json);
    {
        Progress progress("probing", s.progress, s.json);
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
    printer.end(counts);
    if (s.count && s.json) print_json(counts);
    else if (s.count)
        print_line(stdout, "%llu of %llu keys found", count_of(found), count_of(read));
    return (s.absent ? read - found : found) != 0 ? 0 : 3;
}

}  // namespace

void add_probe(CLI::App& app, int& status) {
    auto* command = add_command(
        app, "probe", "Print the keys of a file that a filter finds, or those it does not",
        "The filter finds all its keys, and absent keys at its FPR.\n"
        "Exit code 3 if no line is printed, or -c counts none.",
        {{"simdbloom probe keys.bloom others.txt", "the lines found"},
         {"simdbloom probe keys.bloom others.txt -v", "the lines not found"},
         {"simdbloom probe keys.bloom others.txt -c", "how many"}});
    const auto s = std::make_shared<ProbeSettings>();
    add_required(*command, "FILTER", s->filter, filter_type,
                 "file by build or unseen, or of another system");
    add_value(*command, "FILE", s->input, file_type, "keys; - for standard input");
    add_format(*command, s->format);
    add_as(*command, s->as);
    command->add_flag("-v,--absent", s->absent, "print the keys that the filter does not find");
    command->add_flag("-c,--count", s->count, "print only how many are found");
    add_json(*command, s->json);
    add_progress(*command, s->progress);
    command->callback([=, &status] { status = run(*s); });
}

}  // namespace simdbloom::tools
