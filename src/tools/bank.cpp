// simdbloom bank: which of many sets may have a key.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.hpp"
#include "files.hpp"
#include "input.hpp"
#include "json.hpp"
#include "keys.hpp"
#include "kmers.hpp"
#include "simdbloom/hash.hpp"
#include "terminal.hpp"

namespace simdbloom::tools {
namespace {

namespace fs = std::filesystem;

/// The file of the names: what the keys are, and the name of each set, a line each. The seed of the
/// bank is the hash of the file, which so shows damage, and a crash between the two files.
std::string names_of(const std::string& bank) { return bank + ".sets"; }
/// What the keys are, "lines" or "21-mers", and back. k is 0 for lines.
std::string keys_of(unsigned k) { return k == 0 ? "lines" : std::to_string(k) + "-mers"; }
unsigned k_of(std::string_view keys, const std::string& path) {
    unsigned k = 0;
    (void)std::from_chars(keys.data(), keys.data() + keys.size(), k);
    if (k > longest_kmer || keys != keys_of(k))
        throw std::runtime_error("\"" + path + "\" begins with neither \"lines\" nor \"21-mers\"");
    return k;
}

/// --kmers K. Without it, k stays 0.
CLI::Option* add_kmers(CLI::App& command, unsigned& k, const std::string& help) {
    return add_whole(command, "--kmers", k, help)
        ->default_str("")
        ->check(CLI::Range(1u, longest_kmer))
        ->type_name("K");
}

struct BankBuild {
    std::vector<std::string> inputs;
    std::string output, spec;
    double fpr = 0.01;
    std::optional<double> bits_per_key;
    unsigned k = 0;  // 0: lines
    KeyFormat format = KeyFormat::lines;
    bool json = false;
};

/// The files of the paths. A folder stands for its files, sorted by name.
std::vector<std::string> files_of(const std::vector<std::string>& paths) {
    std::vector<std::string> files;
    for (const auto& path : paths) {
        std::error_code none;
        if (!fs::is_directory(path, none)) {
            // A pipe could not be read a second time.
            if (path == "-" || (fs::exists(path, none) && !fs::is_regular_file(path, none)))
                throw std::runtime_error("\"" + path +
                                         "\" is not a regular file, and is to be read twice");
            files.push_back(path);
            continue;
        }
        const auto before = static_cast<std::ptrdiff_t>(files.size());
        for (const auto& entry : fs::directory_iterator(path))
            if (entry.is_regular_file(none) && !entry.path().filename().string().starts_with('.'))
                files.push_back(entry.path().generic_string());
        std::sort(files.begin() + before, files.end());
    }
    if (files.empty()) throw std::runtime_error("\"" + paths.front() + "\" has no files");
    return files;
}

/// use(keys) for the keys of a file, some at a time.
template <class Use>
void for_each_keys(const std::string& path, const BankBuild& s, std::uint64_t seed,
                   const Use& use) {
    if (s.k != 0) return for_each_kmers(path, s.k, use, [](const std::string&) {});
    KeySource source({path}, s.format, seed);
    while (source.next()) use(Keys::hashes(source.hashes()));
}

std::uint64_t count_keys(const std::string& path, const BankBuild& s) {
    if (s.k == 0) return count_keys({path}, s.format).value_or(0);
    std::uint64_t n = 0;
    for_each_kmers(
        path, s.k, [&](auto kmers) { n += kmers.size(); }, [](const std::string&) {});
    return n;
}

int build(BankBuild s) {
    std::error_code none;
    if (s.output == "-" || s.output == standard_output ||
        (fs::exists(s.output, none) && !fs::is_regular_file(s.output, none)))
        throw std::runtime_error("\"" + s.output +
                                 "\" is not a regular file: the names of the sets go beside it");
    const auto files = files_of(s.inputs);
    check_apart(files, {s.output, names_of(s.output)});
    std::vector<std::size_t> keys;
    for (const auto& file : files) keys.push_back(static_cast<std::size_t>(count_keys(file, s)));
    if (std::ranges::max(keys) == 0)
        throw std::runtime_error("\"" + files.front() + "\" has no " + keys_of(s.k));
    std::string names = keys_of(s.k) + "\n";
    for (const auto& file : files) names += escaped(file) + "\n";
    Options options;
    options.seed = hash_bytes(names);
    options.spec = s.spec;
    options.key_kind = s.k == 0 ? KeyKind::bytes : KeyKind::integers;
    auto bank = s.bits_per_key ? CompactBank::with_bits_per_key(keys, *s.bits_per_key, options)
                               : CompactBank::for_fpr(keys, s.fpr, options);
    for (std::size_t set = 0; set < files.size(); ++set)
        for_each_keys(files[set], s, bank.seed(),
                      [&](const Keys& some) { bank.insert(set, some); });
    // The names are replaced when the bank is: one that cannot be written leaves both as they were.
    detail::save_whole(names_of(s.output), [&](int file) {
        if (!detail::write_all(file, std::as_bytes(std::span(names)))) return false;
        save_file(bank, s.output);
        return true;
    });
    const BankSizes sizes = sizes_of(bank);
    const std::string spec = bank.banks()[0].spec();
    if (s.json) {
        print_json({{"output", json_text(s.output)},
                    {"spec", spec},
                    {"sets", bank.sets()},
                    {"banks", bank.banks().size()},
                    {"keys", sizes.keys},
                    {"made_for", sizes.largest},
                    {"bytes", bank.size_in_bytes()},
                    {"bits_per_key", sizes.bits_per_key},
                    {"fpr", sizes.highest_fpr}});
        return 0;
    }
    print_line(
        stderr,
        "%s: %zu sets of up to %llu keys in %zu bank%s of %s, %zu bytes, %.2f bits/key, FPR of "
        "a set at most %.3g%%",
        s.output.c_str(), bank.sets(), count_of(sizes.largest), bank.banks().size(),
        bank.banks().size() == 1 ? "" : "s", spec.c_str(), bank.size_in_bytes(), sizes.bits_per_key,
        100 * sizes.highest_fpr);
    return 0;
}

struct BankProbe {
    std::string bank;
    std::vector<std::string> inputs{"-"};
    unsigned k = 0;  // 0: that of the bank
    KeyFormat format = KeyFormat::lines;
    std::optional<double> at_least;
    bool count = false, json = false;
};
constexpr double usual_share = 0.7;

struct Sets {
    unsigned k;  // 0: of lines
    std::vector<std::string> names;
};

/// What the file of the names says. Escaped again, because anybody may have written it.
Sets read_sets(const std::string& bank_path, const CompactBank& bank) {
    const std::string path = names_of(bank_path);
    KeySource source({path}, KeyFormat::lines, 0, 1);
    std::vector<std::string> lines;
    std::string text;
    while (source.next())
        for (const auto line : source.texts()) {
            lines.push_back(escaped(line));
            text.append(line).append("\n");
        }
    if (lines.empty()) lines.emplace_back();
    const unsigned k = k_of(lines[0], path);
    if (lines.size() - 1 != bank.sets() || hash_bytes(text) != bank.seed())
        throw std::runtime_error("\"" + path + "\" is of another bank than \"" + bank_path +
                                 "\", or was changed");
    lines.erase(lines.begin());
    check_may_ask(bank.key_kind(), k == 0 ? KeyKind::bytes : KeyKind::integers);
    return {k, std::move(lines)};
}

/// Prints or counts the sets of each line or record.
class SetPrinter {
public:
    SetPrinter(const BankProbe& s, std::vector<std::string> names)
        : s_(s), names_(std::move(names)), found_of_(names_.size()) {}

    void add(std::size_t set) {
        ++found_of_[set];
        is_found_ = true;
        if (s_.count) return;
        if (s_.json) sets_.push_back(names_[set]);
        else text_ += "\t" + names_[set];
    }
    /// The set has so many k-mers of the record.
    void add(std::size_t set, std::uint64_t kmers) {
        add(set);
        if (s_.count) return;
        if (s_.json) sets_.back() = {{"set", names_[set]}, {"kmers", kmers}};
        else text_ += ":" + std::to_string(kmers);
    }
    /// Prints the line, or the record of so many k-mers, with the sets that were added.
    void end(std::string_view key, std::optional<std::uint64_t> kmers = {}) {
        ++read_;
        found_ += is_found_;
        if (!s_.count && s_.json) {
            Json object = {{"key", json_text(key)}};
            if (kmers) object["kmers"] = *kmers;
            object["sets"] = sets_;
            print_json(object);
        } else if (!s_.count) {
            print_key(key, (kmers ? "\t" + std::to_string(*kmers) : "") +
                               text_.append(end_of(s_.format)));
        }
        sets_ = Json::array();
        text_.clear();
        is_found_ = false;
    }
    /// The exit code.
    int finish() const {
        Json counts = {{"read", read_}, {"found", found_}};
        for (std::size_t set = 0; s_.count && set < names_.size(); ++set)
            if (s_.json)
                counts["sets"].push_back({{"set", names_[set]}, {"found", found_of_[set]}});
            else print_line(stdout, "%llu %s", count_of(found_of_[set]), names_[set].c_str());
        if (s_.json) print_json(counts);
        return found_ != 0 ? 0 : 3;
    }

private:
    const BankProbe& s_;
    std::vector<std::string> names_;
    std::vector<std::uint64_t> found_of_;
    std::uint64_t read_ = 0, found_ = 0;
    Json sets_ = Json::array();  // of the key
    std::string text_;           // the same
    bool is_found_ = false;
};

void probe_lines(const BankProbe& s, const CompactBank& bank, SetPrinter& printer) {
    const std::size_t bytes = bank.bitmap_bytes();
    const std::size_t chunk = std::max<std::size_t>(1, (1 << 20) / bytes);
    std::vector<std::uint8_t> bitmaps;
    KeySource source(s.inputs, s.format, bank.seed());
    while (source.next())
        for (std::size_t first = 0; first < source.size(); first += chunk) {
            const std::size_t n = std::min(chunk, source.size() - first);
            bitmaps.resize(n * bytes);
            bank.contains(Keys::hashes(source.hashes().subspan(first, n)), bitmaps);
            for (std::size_t i = 0; i < n; ++i) {
                for (const auto set : sets_of(std::span(bitmaps).subspan(i * bytes, bytes)))
                    printer.add(set);
                printer.end(source.texts()[first + i]);
            }
        }
}

void probe_kmers(const BankProbe& s, unsigned k, const CompactBank& bank, SetPrinter& printer) {
    const double share = s.at_least.value_or(usual_share);
    std::uint64_t n = 0;
    std::vector<std::uint64_t> counts(bank.sets()), some(bank.sets());
    const auto count = [&](std::span<const std::uint64_t> kmers) {
        n += kmers.size();
        bank.count_per_set(kmers, some);
        std::ranges::transform(counts, some, counts.begin(), std::plus<>());
    };
    const auto finish = [&](const std::string& name) {
        for (std::size_t set = 0; n != 0 && set < counts.size(); ++set)
            if (static_cast<double>(counts[set]) / static_cast<double>(n) >= share)
                printer.add(set, counts[set]);
        printer.end(name, n);
        std::ranges::fill(counts, 0);
        n = 0;
    };
    for (const auto& input : s.inputs) for_each_kmers(input, k, count, finish);
}

int probe(BankProbe s) {
    if (s.at_least && !(*s.at_least > 0 && *s.at_least <= 1))
        throw std::runtime_error(formatted("at-least=%g is not inside (0, 1]", *s.at_least));
    auto read_from = s.inputs;
    read_from.push_back(s.bank);
    check_apart(read_from, {standard_output});
    if (s.bank == "-")
        throw std::runtime_error("the names of the sets are beside the bank: name a file");
    const CompactBank bank = map_bank(s.bank).value();
    Sets sets = read_sets(s.bank, bank);
    if ((s.k != 0 && s.k != sets.k) || (s.at_least && sets.k == 0) ||
        (s.format == KeyFormat::nul && sets.k != 0))
        throw std::runtime_error("the keys of " + s.bank + " are " + keys_of(sets.k));
    SetPrinter printer(s, std::move(sets.names));
    if (sets.k == 0) probe_lines(s, bank, printer);
    else probe_kmers(s, sets.k, bank, printer);
    return printer.finish();
}

void make_bank_build(CLI::App& command, int& status) {
    describe(
        command, "Make a bank: each file is a set, and its lines or k-mers are the keys",
        "Sets of similar size share a bank. The names of the sets are in a file beside\n"
        "the bank, BANK.sets.",
        {{"simdbloom bank build logs -o logs.bank", "a set for each file of a folder"},
         {"simdbloom bank build genomes -o genomes.bank --kmers 21", "k-mers of FASTA"},
         {"simdbloom bank build a.txt b.txt -o two.bank --fpr 0.001", "an FPR of 0.1 % a set"}});
    auto& s = settings_of<BankBuild>(command, status, build);
    add_required(command, "PATH", s.inputs, file_type,
                 "files, or folders of files; gzip and zstd are decompressed");
    add_required(command, "-o,--output", s.output, file_type,
                 "output file, replaced atomically; the names go to FILE.sets");
    add_value(command, "--spec", s.spec, spec_type,
              "layout, e.g. classic:k=5; for up to 64 sets paired512");
    auto* fpr = add_value(command, "--fpr", s.fpr, "RATE", "false-positive rate of a set");
    add_value(command, "-b,--bits-per-key", s.bits_per_key, number_type,
              "size of a set, in place of an FPR")
        ->excludes(fpr);
    add_kmers(command, s.k,
              "the keys are the k-mers of FASTA or FASTQ, of 1 to 32 letters, and their reverse "
              "complements")
        ->excludes(add_nul(command, s.format));
    add_json(command, s.json);
}

void make_bank_probe(CLI::App& command, int& status) {
    describe(command, "Print each line and the sets that may have it, separated by tabs",
             "If the bank has k-mers, prints each record of FASTA or FASTQ, the number of its "
             "k-mers,\nand the sets that have enough of them, with their number: NAME:NUMBER.\n"
             "A bank finds all keys of a set, and absent keys at its FPR.\n"
             "Exit code 3 if no set has a key.",
             {{"simdbloom bank probe logs.bank keys.txt", "each line and its sets"},
              {"simdbloom bank probe logs.bank keys.txt -c", "how many lines each set may have"},
              {"simdbloom bank probe genomes.bank reads.fa",
               "the genomes with 70 % of a read's k-mers"}});
    auto& s = settings_of<BankProbe>(command, status, probe);
    add_required(command, "BANK", s.bank, "BANK", "file by bank build");
    add_inputs(command, s.inputs, "keys");
    command.add_flag("-c,--count", s.count,
                     "print only how many lines or records each set may have");
    add_value(command, "--at-least", s.at_least, "SHARE",
              "share of the k-mers of a record; by default 0.7");
    add_nul(command, s.format);
    add_kmers(command, s.k, "refuse a bank that has not k-mers of K letters");
    add_json(command, s.json);
}

}  // namespace

void make_bank(CLI::App& command, int& status) {
    describe(command, "Find which of many sets may have a key",
             "A bank holds a filter of each of many sets, and answers for all of them at once.",
             {{"simdbloom bank build logs -o logs.bank", "a set for each file of a folder"},
              {"simdbloom bank probe logs.bank keys.txt", "each line and its sets"}});
    command.require_subcommand(1);
    make_bank_build(*command.add_subcommand("build"), status);
    make_bank_probe(*command.add_subcommand("probe"), status);
}

}  // namespace simdbloom::tools
