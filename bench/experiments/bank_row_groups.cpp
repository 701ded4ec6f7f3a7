// bank_row_groups FILE ZONES PRESENT ABSENT: which row groups of a Parquet file may have a value of
// its first column. The other files have lines: the least and the greatest value of each row group,
// with a tab between them; values that are in the file; values that are not. Run by
// bank_row_groups.mjs.
#include <fstream>
#include <map>
#include <stdexcept>

#include "experiments/experiment.hpp"
#include "simdbloom/adapters/parquet.hpp"
#include "simdbloom/bank/filter_bank.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr unsigned rounds = 9;

std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    if (lines.empty()) throw std::runtime_error(path + " has no lines");
    return lines;
}

/// The filters of a column, a bank for each size of them.
class RowGroupBanks {
public:
    explicit RowGroupBanks(std::span<const SplitBlockBloom> filters) {
        std::map<std::uint64_t, std::vector<std::size_t>> of_size;
        for (std::size_t i = 0; i < filters.size(); ++i) of_size[filters[i].blocks()].push_back(i);
        for (auto& [blocks, groups] : of_size) {
            std::vector<const FilterBase*> bases;
            for (const auto i : groups) bases.push_back(&filters[i]);
            parts_.push_back({FilterBank::of(bases), std::move(groups), {}});
        }
    }
    std::size_t sizes() const { return parts_.size(); }
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const auto& part : parts_) sum += part.bank.size_in_bytes();
        return sum;
    }
    /// Adds the row groups that may have the value.
    void select(std::uint64_t hash, std::vector<std::size_t>& groups) const {
        for (const auto& part : parts_)
            for (const auto set : part.bank.select_hash(hash)) groups.push_back(part.groups[set]);
    }
    /// The bitmaps of many values.
    void contains(std::span<const std::uint64_t> hashes) {
        for (auto& part : parts_) {
            part.bitmaps.resize(hashes.size() * part.bank.bitmap_bytes());
            part.bank.contains(simdbloom::Keys::hashes(hashes), part.bitmaps);
        }
    }

private:
    struct Part {
        FilterBank bank;
        std::vector<std::size_t> groups;
        std::vector<std::uint8_t> bitmaps;
    };
    std::vector<Part> parts_;
};

/// Values, one after the other, with their row groups.
struct Values {
    std::vector<std::string> texts;
    std::vector<std::uint64_t> hashes{};
};
using Select = std::function<void(const Values&, std::size_t, std::vector<std::size_t>&)>;

double mean_selected(const Values& values, const Select& select) {
    std::vector<std::size_t> groups;
    for (std::size_t i = 0; i < values.texts.size(); ++i) select(values, i, groups);
    return static_cast<double>(groups.size()) / static_cast<double>(values.texts.size());
}

double ns_selected(const Values& values, const Select& select) {
    std::vector<std::size_t> groups;
    return ns_of(rounds, values.texts.size(), [&] {
        for (std::size_t i = 0; i < values.texts.size(); ++i) {
            groups.clear();
            select(values, i, groups);
        }
    });
}

Values values_of(const std::string& path) {
    Values values{lines_of(path)};
    for (const auto& value : values.texts) values.hashes.push_back(parquet::hash_value(value));
    return values;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) throw std::runtime_error("bank_row_groups FILE ZONES PRESENT ABSENT");
    const auto file = parquet::File::open(argv[1]).value();
    const std::size_t n = file.metadata().row_groups.size();
    std::vector<std::pair<std::string, std::string>> zones;
    for (const auto& line : lines_of(argv[2])) {
        const auto tab = line.find('\t');
        zones.emplace_back(line.substr(0, tab), line.substr(tab + 1));
    }
    if (zones.size() != n) throw std::runtime_error("the zones are of another file");
    const Values present = values_of(argv[3]), absent = values_of(argv[4]);

    std::vector<SplitBlockBloom> filters;
    const double read_ms = ns_of(rounds, 1,
                                 [&] {
                                     filters.clear();
                                     for (std::size_t i = 0; i < n; ++i)
                                         filters.push_back(file.read_filter(i, 0).value());
                                 }) /
                           1e6;
    std::optional<RowGroupBanks> banks;
    const double bank_ms = ns_of(rounds, 1, [&] { banks.emplace(filters); }) / 1e6;
    std::size_t filter_bytes = 0;
    for (const auto& filter : filters) filter_bytes += filter.size_in_bytes();

    const Select by_zones = [&](const Values& values, std::size_t i, auto& groups) {
        for (std::size_t g = 0; g < n; ++g)
            if (zones[g].first <= values.texts[i] && values.texts[i] <= zones[g].second)
                groups.push_back(g);
    };
    const Select by_file = [&](const Values& values, std::size_t i, auto& groups) {
        for (const auto g : file.row_groups_with(0, values.hashes[i])) groups.push_back(g);
    };
    const Select by_filters = [&](const Values& values, std::size_t i, auto& groups) {
        for (std::size_t g = 0; g < n; ++g)
            if (filters[g].contains_hash(values.hashes[i])) groups.push_back(g);
    };
    const Select by_bank = [&](const Values& values, std::size_t i, auto& groups) {
        banks->select(values.hashes[i], groups);
    };
    const double batch_ns =
        ns_of(rounds, absent.hashes.size(), [&] { banks->contains(absent.hashes); });

    std::printf("%zu row groups, filters of %zu sizes.\n\n", n, banks->sizes());
    print_header({"decided by", "row groups, word present, absent", "µs", "KiB", "ms to make"});
    // Returns the µs to decide.
    const auto row = [&](const std::string& name, const Select& select, std::size_t bytes,
                         double ms) {
        const double us = ns_selected(absent, select) / 1000;
        print_row(
            {name,
             text("%.2f, %.2f", mean_selected(present, select), mean_selected(absent, select)),
             text("%.2f", us), bytes == 0 ? "-" : text("%.0f", static_cast<double>(bytes) / 1024),
             ms == 0 ? "-" : text("%.2f", ms)});
        return us;
    };
    row("zone maps", by_zones, 0, 0);
    const double file_us = row("`File::row_groups_with`", by_file, 0, 0);
    const double filters_us = row("filters in memory", by_filters, filter_bytes, read_ms);
    const double bank_us = row("a bank of them", by_bank, banks->bytes(), read_ms + bank_ms);
    std::printf(
        "\nIn batches of %zu, the bank takes %.3f µs a word. Reading the filters and making the "
        "bank pays from\n%.0f words on; making it of filters in memory, from %.0f.\n",
        absent.hashes.size(), batch_ns / 1000, 1000 * (read_ms + bank_ms) / (file_us - bank_us),
        1000 * bank_ms / (filters_us - bank_us));
}
