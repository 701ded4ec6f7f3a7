// simdbloom convert: a filter in the bytes of another system.
#include <stdexcept>
#include <string>

#include "commands.hpp"
#include "simdbloom/any/serialize.hpp"
#include "simdbloom/foreign/foreign.hpp"
#include "simdbloom/key_kind.hpp"

namespace simdbloom::tools {
namespace {

constexpr std::string_view ours = "simdbloom";

struct Conversion {
    std::string input, output, from, to;
    KeyKind keys = KeyKind::unknown;
};

/// Our filter as a filter of Parquet, which has the same bits for text keys.
ForeignFilter of_ours(const Conversion& c) {
    SplitBlockBloom filter = load_file<SplitBlockBloom>(c.input).value();
    const KeyKind keys = filter.key_kind() == KeyKind::unknown ? c.keys : filter.key_kind();
    if (keys != KeyKind::bytes)
        throw std::runtime_error(
            c.input + " has " +
            (keys == KeyKind::unknown
                 ? "keys of unknown kind; give --keys lines if they were"
                 : to_string(keys) + ", which a filter of ours does not hash by XXH64"));
    return ForeignFilter::from_split_blocks(ForeignFormat::parquet, std::move(filter), keys);
}

ForeignFilter read(const Conversion& c) {
    if (c.from == ours) return of_ours(c);
    if (!c.from.empty()) return read_foreign_file(c.input, parse_foreign_format(c.from)).value();
    if (const auto own = map_file(c.input); own || !may_be_foreign(own.error())) return of_ours(c);
    return read_foreign_file(c.input).value();
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
}

int convert_file(const Conversion& c) {
    const ForeignFilter filter = read(c);
    if (c.to == ours) {
        save_as_ours(filter, c);
        return 0;
    }
    auto converted = convert(filter, parse_foreign_format(c.to), c.keys);
    if (!converted) throw std::runtime_error(c.input + ": " + converted.error().message);
    save_file(*converted, c.output);
    return 0;
}

}  // namespace

std::string foreign_names() {
    std::string names;
    for (const ForeignFormat format : foreign_formats())
        names += (names.empty() ? "" : ", ") + std::string(to_string(format));
    return names;
}

void add_convert(CLI::App& app, int& status) {
    auto* command = add_command(
        app, "convert", "Write a filter in the bytes of another system",
        "The other system must have the same hash and bits.",
        {{"simdbloom convert keys.bloom --to parquet -o split.bin", "a filter of lines"}});
    const auto c = std::make_shared<Conversion>();
    add_required(*command, "FILTER", c->input, filter_type,
                 "a filter of simdbloom or of another system");
    add_required(*command, "-o,--output", c->output, file_type, "output file; may be FILTER");
    const std::string formats = std::string(format_type) + "|" + std::string(ours);
    add_required(*command, "--to", c->to, formats, "simdbloom, " + foreign_names());
    add_value(*command, "--from", c->from, formats,
              "the format of FILTER, if the bytes do not say");
    add_choice<KeyKind>(*command, "--keys", c->keys,
                        {{"lines", KeyKind::bytes}, {"u64", KeyKind::integers}},
                        "the kind of the keys, if the bytes do not say");
    command->callback([=, &status] { status = convert_file(*c); });
}

}  // namespace simdbloom::tools
