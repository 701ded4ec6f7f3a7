// simdbloom info, merge, fold and convert: filters in files.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "files.hpp"
#include "json.hpp"
#include "simdbloom/cardinality.hpp"
#include "simdbloom/key_kind.hpp"
#include "simdbloom/series/scalable.hpp"

namespace simdbloom::tools {
namespace {

AnyFilter load_or_throw(const std::string& path) { return load_filter<AnyFilter>(path).value(); }

std::string percent(double share) { return formatted("%.4g%%", 100 * share); }

void add_size(Report& report, std::size_t bytes, double bits_per_key,
              const std::string& blocks = "") {
    report.add("size", formatted("%zu bytes, %.2f bits/key%s", bytes, bits_per_key, blocks.c_str()),
               {{"bytes", bytes}, {"bits_per_key", bits_per_key}});
}

void add_hash(Report& report, const auto& filter) {
    const std::string hashing = to_string(filter.hashing()), kind = to_string(filter.key_kind());
    report.add("hash", formatted("%s, seed %llu", hashing.c_str(), count_of(filter.seed())),
               {{"hash", hashing}, {"seed", filter.seed()}});
    report.add("keys",
               filter.key_kind() == KeyKind::integers ? "integers (--format u64)"
               : filter.key_kind() == KeyKind::bytes  ? "lines or bytes"
                                                      : kind,
               {{"keys", kind}});
}

void describe(const ScalableBloom& series, Report& report) {
    const std::size_t filters = series.filters().size();
    report.add("spec", formatted("%s, %zu filters in series", series.spec().c_str(), filters),
               {{"spec", series.spec()}, {"filters", filters}});
    report.add("made for",
               formatted("%llu keys, of which it has %llu", count_of(series.capacity()),
                         count_of(series.stored())),
               {{"made_for", series.capacity()}, {"stored", series.stored()}});
    add_size(report, series.size_in_bytes(), series.bits_per_key());
    add_hash(report, series.filters().front());
    report.add("FPR at most", percent(series.fpr_bound()), {{"fpr_bound", series.fpr_bound()}});
    report.add("FPR as filled", percent(series.estimated_fpr()), {{"fpr", series.estimated_fpr()}});
}

void describe(const ForeignFilter& filter, Report& report) {
    const std::string format(to_string(filter.format()));
    report.add("format", format, {{"format", format}});
    report.add("size", formatted("%zu bytes of bits, k %u", filter.size_in_bytes(), filter.k()),
               {{"bytes", filter.size_in_bytes()}, {"k", filter.k()}});
    report.add("besides", filter.details(), {{"besides", json_text(filter.details())}});
    report.add("FPR as filled", percent(filter.estimated_fpr()), {{"fpr", filter.estimated_fpr()}});
}

void describe(const CompactBank& bank, Report& report) {
    const BankSizes sizes = sizes_of(bank);
    const std::string spec = bank.banks()[0].spec();
    report.add("spec", formatted("%s, a bank of %zu sets", spec.c_str(), bank.sets()),
               {{"spec", spec}, {"sets", bank.sets()}});
    report.add("banks", formatted("%zu, each for sets of similar size", bank.banks().size()),
               {{"banks", bank.banks().size()}});
    report.add("made for",
               formatted("%llu keys in all, up to %llu a set", count_of(sizes.keys),
                         count_of(sizes.largest)),
               {{"made_for", sizes.largest}});
    add_size(report, bank.size_in_bytes(), sizes.bits_per_key);
    add_hash(report, bank);
    report.add("FPR as made", formatted("at most %.4g%% a set", 100 * sizes.highest_fpr),
               {{"fpr_as_made", sizes.highest_fpr}});
}

void describe(const FrozenFilter& f, Report& report) {
    if (const auto* series = f->get_if<ScalableBloom>()) return describe(*series, report);
    const auto* layout = f->get_if<FilterBase>();
    const Json blocks = layout != nullptr ? Json(layout->blocks()) : Json();
    report.add("spec", f->spec(), {{"spec", f->spec()}});
    report.add("made for", formatted("%llu keys", count_of(f->n_keys())),
               {{"made_for", f->n_keys()}});
    add_size(report, f->size_in_bytes(), f->bits_per_key(),
             layout != nullptr ? ", " + blocks.dump() + " blocks" : "");
    report.add("", "", {{"blocks", blocks}});
    add_hash(report, *f);
    report.add("FPR as made", percent(f->expected_fpr()), {{"fpr_as_made", f->expected_fpr()}});
    report.add("FPR as filled", percent(f->estimated_fpr()), {{"fpr", f->estimated_fpr()}});
}

struct InfoSettings {
    std::string path, format;
    bool json = false;
};

int info(InfoSettings s) {
    const auto say = [&](const auto& filter) {
        Report report(s.json);
        describe(filter, report);
        report.end();
        return 0;
    };
    auto bank = map_bank(s.path);
    const bool is_bank =
        bank || !(bank.error().fault == LoadFault::structure || may_be_foreign(bank.error()));
    if (is_bank && s.format.empty()) return say(bank.value());
    return std::visit(say, open_filter(s.path, s.format));
}

struct Merging {
    std::string output, format;
    std::vector<std::string> inputs;
    bool json = false;
};

bool overfills(const AnyFilter& filter) {
    const Cardinality keys = estimated_keys(filter);
    // The FPR of a few keys may be twice the model's by chance.
    const bool few =
        keys.keys - 5 * keys.standard_error <= static_cast<double>(filter.base().n_keys());
    return !few && is_overfull(filter.estimated_fpr(), filter.expected_fpr());
}
bool overfills(const ForeignFilter& filter) {
    return is_overfull(filter.estimated_fpr(), foreign_fpr_as_made);
}

template <class Load>
int merge_by(const Merging& m, const Load& load) {
    const std::string& first = m.inputs.front();
    auto sum = load(first);
    double before = sum.estimated_fpr();
    for (std::size_t i = 1; i < m.inputs.size(); ++i) {
        try {
            const auto other = load(m.inputs[i]);
            before = std::max(before, other.estimated_fpr());
            sum |= other;
        } catch (const std::invalid_argument& e) {
            throw std::runtime_error(first + " and " + m.inputs[i] + ": " + without_name(e.what()));
        }
    }
    const double after = sum.estimated_fpr();
    const bool overfilled = overfills(sum);
    save_file(sum, m.output);
    if (m.json)
        print_json({{"output", json_text(m.output)},
                    {"bytes", sum.size_in_bytes()},
                    {"fpr", after},
                    {"fpr_before", before},
                    {"overfull", overfilled}});
    else if (overfilled)
        print_message(
            formatted("%s is overfull: its FPR is about %.3g%%, the FPR of the "
                      "merged filters was at most %.3g%%",
                      m.output.c_str(), 100 * after, 100 * before));
    return overfilled ? overfull : 0;
}

int merge(Merging m) {
    check_json_output(m.json, m.output);
    if (m.format.empty())
        if (const auto ours = map_filter(m.inputs.front()); !ours && may_be_foreign(ours.error()))
            if (auto other = read_foreign_filter(m.inputs.front()); other)
                m.format = to_string(other->format());
    if (m.format.empty()) return merge_by(m, load_or_throw);
    return merge_by(m, [as = parse_foreign_format(m.format)](const std::string& path) {
        return read_foreign_filter(path, as).value();
    });
}

struct Folding {
    std::string input, output;
    std::uint64_t parts = 2;
    std::optional<double> fpr;
    bool json = false;
};

int fold(Folding f) {
    check_json_output(f.json, f.output);
    if (f.fpr && !(*f.fpr > 0 && *f.fpr < 1))
        throw std::runtime_error(formatted("fpr=%g is not inside (0, 1)", *f.fpr));
    const AnyFilter whole = load_or_throw(f.input);
    const AnyFilter folded = f.fpr ? whole.folded_to_fpr(*f.fpr) : whole.folded(f.parts);
    if (f.fpr && folded.estimated_fpr() > *f.fpr)
        throw std::runtime_error(formatted("%s has an FPR of %.3g%% unfolded, above --fpr %g",
                                           f.input.c_str(), 100 * whole.estimated_fpr(), *f.fpr));
    save_file(folded, f.output);
    if (f.json)
        print_json({{"output", json_text(f.output)},
                    {"bytes", folded.size_in_bytes()},
                    {"bytes_before", whole.size_in_bytes()},
                    {"fpr", folded.estimated_fpr()},
                    {"fpr_before", whole.estimated_fpr()}});
    else
        print_line(stderr, "%s: %zu bytes of %zu, FPR about %.3g%% after %.3g%%", f.output.c_str(),
                   folded.size_in_bytes(), whole.size_in_bytes(), 100 * folded.estimated_fpr(),
                   100 * whole.estimated_fpr());
    return 0;
}

constexpr std::string_view ours = "simdbloom";

struct Conversion {
    std::string input, output, from, to;
    KeyKind keys = KeyKind::unknown;
    bool json = false;
};

/// Our filter in the bytes of the other system, or of Parquet to become one of ours again.
ForeignFilter of_ours(const Conversion& c) {
    auto loaded = load_filter<SplitBlockBloom>(c.input);
    if (!loaded && loaded.error().fault == LoadFault::layout)
        throw std::runtime_error(c.input + ": " + without_name(loaded.error().message) +
                                 "; only split256 has the bits of another system");
    SplitBlockBloom filter = std::move(loaded).value();
    const KeyKind keys = filter.key_kind() == KeyKind::unknown ? c.keys : filter.key_kind();
    if (keys != KeyKind::bytes)
        throw std::runtime_error(
            c.input + " has " +
            (keys == KeyKind::unknown
                 ? "keys of unknown kind; give --keys lines if they were"
                 : to_string(keys) + ", which a filter of ours does not hash by XXH64"));
    const auto to = c.to == ours ? ForeignFormat::parquet : parse_foreign_format(c.to);
    try {
        return ForeignFilter::from_split_blocks(to, std::move(filter), keys);
    } catch (const std::invalid_argument& e) {
        throw std::runtime_error(c.input + ": " + without_name(e.what()));
    }
}

ForeignFilter read(const Conversion& c) {
    if (c.from == ours) return of_ours(c);
    if (!c.from.empty()) return read_foreign_filter(c.input, parse_foreign_format(c.from)).value();
    if (const auto own = map_filter(c.input); own || !may_be_foreign(own.error()))
        return of_ours(c);
    return read_foreign_filter(c.input).value();
}

void say_converted(const Conversion& c, const auto& filter) {
    if (c.json)
        print_json({{"output", json_text(c.output)},
                    {"format", c.to},
                    {"bytes", filter.size_in_bytes()},
                    {"fpr", filter.estimated_fpr()}});
}

void save_as_ours(const ForeignFilter& filter, const Conversion& c) {
    const SplitBlockBloom* const blocks = filter.split_blocks();
    if (blocks == nullptr)
        throw std::runtime_error("a filter of " + std::string(to_string(filter.format())) +
                                 " cannot become one of simdbloom: no filter of ours has its hash");
    if (c.keys != KeyKind::bytes)
        throw std::runtime_error(
            "a filter of ours hashes text by XXH64, and integers by a mixer of its own; give "
            "--keys lines if the keys are text");
    Options options;
    options.key_kind = KeyKind::bytes;
    // With the same number of blocks.
    auto same = SplitBlockBloom::with_bits_per_key(static_cast<std::size_t>(blocks->blocks()), 256,
                                                   options);
    same |= *blocks;
    same.set_key_kind(KeyKind::bytes);
    save_file(same, c.output);
    say_converted(c, same);
}

int convert_file(Conversion c) {
    check_json_output(c.json, c.output);
    const ForeignFilter filter = read(c);
    if (c.to == ours) {
        save_as_ours(filter, c);
        return 0;
    }
    auto converted = convert(filter, parse_foreign_format(c.to), c.keys);
    if (!converted) throw std::runtime_error(c.input + ": " + converted.error().message);
    save_file(*converted, c.output);
    say_converted(c, *converted);
    return 0;
}

}  // namespace

void make_info(CLI::App& command, int& status) {
    describe(command, "Describe a filter and how full it is", "",
             {{"simdbloom info keys.bloom", "layout, size, hash and FPR"}});
    auto& s = settings_of<InfoSettings>(command, status, info);
    add_required(command, "FILTER", s.path, filter_type,
                 "file by build or unseen, or a filter of another system");
    add_as(command, s.format);
    add_json(command, s.json);
}

void make_merge(CLI::App& command, int& status) {
    describe(
        command, "Unite several filters",
        "The filters must have one spec, size and seed: give build the same -n and --seed.\n"
        "Exit code 4 if the FPR is more than twice the FPR that the filter was made for, or above "
        "10 % for a filter of another system.",
        {{"simdbloom merge a.bloom b.bloom -o both.bloom", "the keys of both"}});
    auto& m = settings_of<Merging>(command, status, merge);
    add_output(command, "-o,--output", m.output, "output file; may be one of FILTERS")->required();
    add_required(command, "FILTERS", m.inputs, filter_type,
                 "files by build, or filters of another system");
    add_as(command, m.format);
    add_json(command, m.json);
}

void make_fold(CLI::App& command, int& status) {
    describe(command, "Make a smaller filter of the same keys",
             "A filter by build --fold-levels can be folded into halves, quarters and so on.",
             {{"simdbloom fold keys.bloom -o small.bloom", "half the size"},
              {"simdbloom fold keys.bloom -o small.bloom --fpr 0.1",
               "the smallest with an FPR of at most 10 %"}});
    auto& f = settings_of<Folding>(command, status, fold);
    add_required(command, "FILTER", f.input, filter_type, "file by build");
    add_output(command, "-o,--output", f.output, "output file; may be FILTER")->required();
    auto* parts =
        add_whole(command, "--parts", f.parts,
                  "how many blocks become one; must divide their number (see build --fold-levels)");
    add_value(command, "--fpr", f.fpr, "RATE", "fold as far as the FPR stays at most this")
        ->excludes(parts);
    add_json(command, f.json);
}

std::string foreign_names() {
    std::string names;
    for (const ForeignFormat format : foreign_formats())
        names += (names.empty() ? "" : ", ") + std::string(to_string(format));
    return names;
}

void make_convert(CLI::App& command, int& status) {
    describe(command, "Write a filter in the bytes of another system",
             "The other system must have the same hash and bits.",
             {{"simdbloom convert keys.bloom --to parquet -o split.bin", "a filter of lines"}});
    auto& c = settings_of<Conversion>(command, status, convert_file);
    add_required(command, "FILTER", c.input, filter_type,
                 "a filter of simdbloom or of another system");
    add_output(command, "-o,--output", c.output, "output file; may be FILTER")->required();
    const std::string formats = std::string(format_type) + "|" + std::string(ours);
    add_required(command, "--to", c.to, formats, "simdbloom, " + foreign_names());
    add_value(command, "--from", c.from, formats, "the format of FILTER, if the bytes do not say");
    add_choice<KeyKind>(command, "--keys", c.keys,
                        {{"lines", KeyKind::bytes}, {"u64", KeyKind::integers}},
                        "the kind of the keys, if the bytes do not say");
    add_json(command, c.json);
}

}  // namespace simdbloom::tools
