// simdbloom unseen: the new lines, which came neither before in this run nor in an earlier one.
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.hpp"
#include "files.hpp"
#include "grams.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "simdbloom/key_kind.hpp"
#include "simdbloom/series/scalable.hpp"

namespace simdbloom::tools {
namespace {

struct UnseenSettings {
    std::vector<std::string> inputs{"-"};
    std::string filter;
    KeyFormat format = KeyFormat::lines;
    Documents documents;
    Scaling scaling;
    std::string spec{default_spec};
    bool quiet = false, progress = false, json = false;
    bool sized = false;  // an option of the scaling was given
};

/// Runs of n words are keys of the kind `other` with the seed n, so that neither texts nor runs of
/// another length are among them.
std::string words_of(KeyKind kind, std::uint64_t seed) {
    if (kind == KeyKind::bytes) return "texts";
    if (kind == KeyKind::other) return "runs of " + std::to_string(seed) + " words";
    return "of the kind " + to_string(kind);
}

ScalableBloom open_filter(const UnseenSettings& s) {
    const std::size_t ngram = s.documents.ngram;
    const KeyKind kind = ngram == 0 ? KeyKind::bytes : KeyKind::other;
    if (!std::filesystem::exists(s.filter)) {
        Options options;
        options.spec = s.spec;
        options.key_kind = kind;
        options.seed = ngram;
        return ScalableBloom(s.scaling, options);
    }
    if (s.sized)
        throw std::runtime_error(
            s.filter +
            " exists, and keeps the capacity, growth, FPR and spec that it was made with");
    auto filter = load_file<ScalableBloom>(s.filter).value();
    const KeyKind its = filter.key_kind();
    if (!may_ask(its, kind) || (its == KeyKind::other && filter.seed() != ngram))
        throw std::runtime_error("the keys of " + s.filter + " are " +
                                 words_of(its, filter.seed()) + ", not " + words_of(kind, ngram));
    return filter;
}

int run(UnseenSettings s) {
    if (s.scaling.first_capacity == 0)
        throw std::runtime_error("capacity=0: a filter needs at least one key");
    if (s.filter == "-") throw std::runtime_error("the filter is read and written: name a file");
    check_apart(s.inputs, {s.filter, standard_output});
    std::optional<Lock> lock;
    if (!s.filter.empty()) lock.emplace(s.filter);
    ScalableBloom filter = open_filter(s);
    KeySource source(s.inputs, s.format, filter.seed());

    std::uint64_t read = 0, unseen = 0;
    Seen seen(filter, s.documents);
    std::vector<std::uint8_t> were_new;
    std::exception_ptr ended;
    {
        Progress progress("reading", s.progress, s.quiet || s.json || is_terminal(1));
        const KeyPrinter printer(s.json);
        while (!ended && source.next()) {
            // A series that cannot grow keeps the keys inserted so far.
            were_new.assign((source.size() + 7) / 8, 0);
            try {
                seen.insert_new(source, were_new);
            } catch (...) {
                ended = std::current_exception();
            }
            for (std::size_t i = 0; i < source.size(); ++i)
                if ((were_new[i / 8] >> (i % 8) & 1) != 0) {
                    ++unseen;
                    printer.print(source, i);
                }
            read += source.size();
            progress.show(source);
        }
        progress.show(source, true);
    }
    const double lost = seen.expected_lost();
    if (s.json)
        print_json({{"read", read},
                    {"unseen", unseen},
                    {"lost_expected", lost},
                    {"stored", filter.stored()},
                    {"bytes", filter.size_in_bytes()},
                    {"fpr", filter.estimated_fpr()},
                    {"fpr_bound", filter.fpr_bound()}});
    // The filter is saved after the lines are written: a line that was not output stays new.
    if (!is_printed())
        throw std::runtime_error("writing the lines failed; the filter is left as it was");
    if (!s.filter.empty()) save_file(filter, s.filter);
    if (ended) std::rethrow_exception(ended);
    if (!s.quiet && !s.json) {
        const bool paragraphs = s.format == KeyFormat::paragraphs;
        print_line(stderr, "%llu %s read, %llu unseen; about %.3g more were new and are lost",
                   count_of(read), paragraphs ? "paragraphs" : "lines", count_of(unseen),
                   lost < 0.005 ? 0 : lost);
        print_line(
            stderr,
            "%s%s%llu keys in %zu filter%s of %s, %.1f MiB, %.1f%% of capacity, FPR now about "
            "%.3g%%, at most %.3g%%",
            s.filter.c_str(), s.filter.empty() ? "" : ": ", count_of(filter.stored()),
            filter.filters().size(), filter.filters().size() == 1 ? "" : "s",
            filter.filters().front().spec().c_str(),
            static_cast<double>(filter.size_in_bytes()) / (1 << 20),
            100.0 * static_cast<double>(filter.stored()) / static_cast<double>(filter.capacity()),
            100 * filter.estimated_fpr(), 100 * filter.fpr_bound());
    }
    return 0;
}

}  // namespace

void make_unseen(CLI::App& command, int& status) {
    describe(command, "Print new lines: not in this run before, nor in an earlier run",
             "A few new lines are not printed: at most the share --fpr. At the end their expected "
             "number is shown.",
             {{"simdbloom unseen urls.txt -f seen.bloom", "the new lines"},
              {"cat urls.txt | simdbloom unseen", "of a pipe, each at once; nothing is kept"},
              {"simdbloom unseen pages.jsonl --field text --ngram 13",
               "lines of JSON whose text is mostly new"}});
    auto& s = settings_of<UnseenSettings>(command, status, run);
    add_inputs(command, s.inputs, "lines, such as URLs");
    add_value(command, "-f,--filter", s.filter, filter_type,
              "filter of the lines seen in earlier runs, created if missing. Another run with "
              "the same file waits");
    auto* nul = add_nul(command, s.format);
    command
        .add_flag_callback(
            "--paragraphs", [&s] { s.format = KeyFormat::paragraphs; },
            "compare and print paragraphs, which blank lines end")
        ->excludes(nul);
    add_value(command, "--field", s.documents.field, "NAME",
              "lines are JSON objects: compare this member, which is text");
    auto* ngram = add_whole(command, "--ngram", s.documents.ngram,
                            "compare runs of this many words. An item is seen if the share "
                            "--overlap of its runs was")
                      ->default_str("");
    add_value(command, "--overlap", s.documents.overlap, "SHARE",
              "of the runs of words, above 0 and at most 1")
        ->needs(ngram);
    add_whole(command, "--threads", s.documents.threads,
              "that split and hash members and runs of words")
        ->default_str("as many as there are cores");
    add_whole(command, "--capacity", s.scaling.first_capacity,
              "lines (or runs of words) that a new filter is sized for; it grows beyond them");
    add_value(command, "--fpr", s.scaling.fpr, "RATE",
              "the share of new lines that are not printed, at most");
    add_value(command, "--growth", s.scaling.growth, number_type,
              "size of each filter relative to the one before");
    add_value(command, "--spec", s.spec, spec_type, "layout of a new filter");
    for (const char* name : {"--capacity", "--fpr", "--growth", "--spec"})
        command.get_option(name)->each([&s](const std::string&) { s.sized = true; });
    add_json(command, s.json);
    command.add_flag("-q,--quiet", s.quiet, "no summary on standard error");
    add_progress(command, s.progress);
}

}  // namespace simdbloom::tools
