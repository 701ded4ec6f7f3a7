// simdbloom build: a filter of the keys in a file.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.hpp"
#include "files.hpp"
#include "json.hpp"
#include "keys.hpp"

namespace simdbloom::tools {
namespace {

struct BuildSettings {
    std::vector<std::string> inputs{"-"};
    std::string output, spec = "split256", as;
    KeyFormat format = KeyFormat::lines;
    std::uint64_t keys = 0, seed = 0;
    std::optional<double> bits_per_key, fpr;
    unsigned fold_levels = 0, threads = 2;
    bool quiet = false, progress = false, json = false;
};

/// The figures of the summary.
struct Built {
    std::string spec;
    std::size_t bytes;
    double bits_per_key, fpr, fpr_as_made;
};

/// Gives every batch of the keys to `insert`. Returns the number of keys.
template <class Insert>
std::uint64_t insert_all(const BuildSettings& s, const char* what, const Insert& insert) {
    KeySource source(s.inputs, s.format, s.seed, s.threads);
    std::uint64_t inserted = 0;
    Progress progress(what, s.progress, s.quiet || s.json);
    while (source.next()) {
        insert(source);
        inserted += source.size();
        progress.show(source);
    }
    progress.show(source, true);
    return inserted;
}

using Waiting = std::vector<std::vector<std::uint64_t>>;

Built build_ours(const BuildSettings& s, std::uint64_t expected, Waiting waiting,
                 std::uint64_t& inserted) {
    Options options;
    options.seed = s.seed;
    options.key_kind = kind_of(s.format);
    options.fold_levels = s.fold_levels;
    auto filter = s.fpr ? make_filter_for_fpr(s.spec, expected, *s.fpr, options)
                        : make_filter(s.spec, expected, *s.bits_per_key, options);
    for (auto& hashes : waiting) {
        filter.insert(Keys::hashes(hashes));
        inserted += hashes.size();
        hashes = {};
    }
    if (waiting.empty())
        inserted = insert_all(s, "building", [&](KeySource& source) {
            filter.insert(Keys::hashes(source.hashes()));
        });
    save_file(filter, s.output);
    return {filter.spec(), filter.size_in_bytes(), filter.bits_per_key(), filter.estimated_fpr(),
            filter.expected_fpr()};
}

/// A filter of another system.
Built build_foreign(const BuildSettings& s, std::uint64_t expected, std::uint64_t& inserted) {
    const auto format = parse_foreign_format(s.as);
    const auto n_keys = static_cast<std::size_t>(expected);
    const auto make = [&] {
        if (s.fpr || (!s.bits_per_key && !takes_bits_per_key(format)))
            return ForeignFilter::for_fpr(format, n_keys, s.fpr.value_or(0.01));
        return ForeignFilter::with_bits_per_key(format, n_keys, s.bits_per_key.value_or(12));
    };
    auto filter = make();
    inserted = insert_all(s, "building", [&](KeySource& source) {
        if (s.format == KeyFormat::u64) filter.insert(source.numbers());
        else filter.insert(source.texts());
    });
    save_file(filter, s.output);
    return {s.as, filter.size_in_bytes(),
            8 * static_cast<double>(filter.size_in_bytes()) / static_cast<double>(expected),
            filter.estimated_fpr(), std::max(foreign_fpr_as_made, s.fpr.value_or(0))};
}

int run(BuildSettings s) {
    if (s.as.empty() && (s.spec.starts_with("fuse") || s.spec.starts_with("bloomier")))
        throw std::runtime_error("\"" + s.spec +
                                 "\" is made in C++ and Python alone: give another --spec");
    if (!s.bits_per_key && s.as.empty()) s.bits_per_key = default_bits(s.spec, 12);
    check_json_output(s.json, s.output);
    check_apart(s.inputs, {s.output});
    // A pipe is read once: the hashes of its keys wait until their number is known.
    Waiting waiting;
    std::uint64_t expected = s.keys;
    if (const auto counted = expected == 0 ? count_keys(s.inputs, s.format) : expected; counted)
        expected = *counted;
    else if (s.as.empty())
        expected = insert_all(s, "reading", [&](KeySource& source) {
            const auto hashes = source.hashes();
            waiting.emplace_back(hashes.begin(), hashes.end());
        });
    else
        throw std::runtime_error("the number of keys in \"" + s.inputs.front() +
                                 "\" is not known beforehand: give --keys");
    if (expected == 0) throw std::runtime_error("\"" + s.inputs.front() + "\" has no keys");
    std::uint64_t inserted = 0;
    const Built built = s.as.empty() ? build_ours(s, expected, std::move(waiting), inserted)
                                     : build_foreign(s, expected, inserted);
    const bool overfilled = inserted > expected && is_overfull(built.fpr, built.fpr_as_made);
    if (s.json)
        print_json({{"output", json_text(s.output)},
                    {"spec", built.spec},
                    {"keys", inserted},
                    {"made_for", expected},
                    {"bytes", built.bytes},
                    {"bits_per_key", built.bits_per_key},
                    {"fpr", built.fpr},
                    {"overfull", overfilled}});
    else if (!s.quiet)
        print_line(stderr, "%s: %llu keys in %s, %zu bytes, %.2f bits/key, FPR about %.3g%%",
                   s.output.c_str(), count_of(inserted), built.spec.c_str(), built.bytes,
                   built.bits_per_key, 100 * built.fpr);
    if (!s.json && (inserted > expected || overfilled))
        print_message(formatted("more keys than the %llu that the filter was made for%s",
                                count_of(expected), overfilled ? ": it is overfull" : ""));
    return overfilled ? overfull : 0;
}

}  // namespace

double default_bits(const std::string& spec, double usual) {
    if (spec.starts_with("scalable")) return usual;
    const double least = spec.starts_with("growing") ? std::strtod(spec.c_str() + 7, nullptr) /
                                                           CuckooFilter::max_design_load
                                                     : Layout::parse(spec).least_bits_per_key();
    // Rounded up, to two digits.
    return std::max(usual, std::ceil(100 * least) / 100);
}

void make_build(CLI::App& command, int& status) {
    describe(
        command, "Make a filter of the keys in a file",
        "Exit code 4 if --keys was far too small: the FPR is more than twice the intended one.",
        {{"simdbloom build keys.txt -o keys.bloom", "12 bits a key"},
         {"simdbloom build keys.txt -o keys.bloom --fpr 0.001", "an FPR of 0.1 %"},
         {"sort -u keys.txt | simdbloom build -o keys.bloom", "of a pipe"}});
    auto& s = settings_of<BuildSettings>(command, status, run);
    add_inputs(command, s.inputs, "keys");
    add_output(command, "-o,--output", s.output, "output file, replaced atomically")->required();
    add_format(command, s.format);
    auto* spec =
        add_value(command, "--spec", s.spec, spec_type,
                  "layout, e.g. split256, register64:k=5, cuckoo12; growing12 and scalable "
                  "grow beyond --keys");
    add_whole(
        command, "-n,--keys", s.keys,
        "number of keys to size the filter for. Without it a regular file is read twice; from "
        "a pipe 8 bytes a key are kept until the end")
        ->default_str("");
    auto* bits = add_bits(command, s.bits_per_key, 12);
    add_value(command, "--fpr", s.fpr, "RATE",
              "false-positive rate, in place of a size; by default 0.01 where --as names a system "
              "that takes no bits per key")
        ->excludes(bits);
    auto* seed =
        add_whole(command, "--seed", s.seed, "of the hash; filters to merge need the same one");
    auto* folds = add_whole(command, "--fold-levels", s.fold_levels,
                            "how often the filter can be halved later (see fold)");
    add_as(command, s.as)->excludes(spec)->excludes(seed)->excludes(folds);
    add_choice<unsigned>(command, "--threads", s.threads, {{"1", 1}, {"2", 2}},
                         "2: one reads and hashes while the other inserts; the filter is the same")
        ->default_str("2");
    add_json(command, s.json);
    command.add_flag("-q,--quiet", s.quiet, "no summary on standard error");
    add_progress(command, s.progress);
}

}  // namespace simdbloom::tools
