// Tables of rates that authors published (papers/data), judged row by row by the exact models.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include "replication/probes.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom::replication {
namespace {

/// A line of a file: columns by name, as text.
using Row = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text)
        if (c == at) parts.emplace_back();
        else parts.back() += c;
    return parts;
}

/// Comments begin with '#'; the first other line has the names of the columns. A line is a row, or
/// several: "a,1;2,3;4" are the rows "a,1,3" and "a,2,4".
std::vector<Row> rows_of(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::invalid_argument("cannot read \"" + path + "\"");
    std::vector<std::string> names;
    std::vector<Row> rows;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        const auto cells = split(line, ',');
        if (names.empty()) {
            names = cells;
            continue;
        }
        if (cells.size() != names.size())
            throw std::invalid_argument(path + ": \"" + line + "\" has other columns");
        const std::size_t first = rows.size();
        rows.resize(first + static_cast<std::size_t>(std::ranges::count(cells.back(), ';')) + 1);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto values = split(cells[i], ';');
            if (values.size() != 1 && values.size() != rows.size() - first)
                throw std::invalid_argument(path + ": \"" + cells[i] + "\" has other rows");
            for (std::size_t row = first; row < rows.size(); ++row)
                rows[row][names[i]] = values.size() == 1 ? values[0] : values[row - first];
        }
    }
    return rows;
}

double number_in(const Row& row, const std::string& column) {
    const auto found = row.find(column);
    double value = 0;
    if (found != row.end()) {
        const char *begin = found->second.data(), *end = begin + found->second.size();
        const auto [rest, error] = std::from_chars(begin, end, value);
        if (error == std::errc{} && rest == end) return value;
    }
    throw std::invalid_argument("no number in the column \"" + column + "\"");
}

/// Half a unit in the last place of a decimal number.
double half_unit(const std::string& text) {
    const auto point = text.find('.');
    const auto digits = point == std::string::npos ? 0 : text.size() - point - 1;
    return std::pow(10.0, -static_cast<double>(digits)) / 2;
}

/// The exact FPR of "classic", "blocked:512", "sectorised:256/32", "zoned:512/64/2", "cuckoo:12" or
/// "check:8" (fingerprints of a static function) for many keys; NaN for "other".
double model_of(const Row& row) {
    constexpr double many = 1e6;
    const std::string& text = row.at("model");
    const double bits = number_in(row, "bits_per_key");
    const auto k = static_cast<unsigned>(number_in(row, "k"));
    unsigned a = 0, b = 0, c = 0;
    const int read = std::sscanf(text.c_str(), "%*[a-z]:%u/%u/%u", &a, &b, &c);
    const std::string name = text.substr(0, text.find(':'));
    if (name == "other") return std::nan("");
    if (name == "classic") return fpr::classic(bits * many, many, k);
    if (name == "blocked" && read == 1) return fpr::blocked(a, bits, k);
    if (name == "sectorised" && read == 2) return fpr::sectorised(a, b, bits, k);
    if (name == "zoned" && read == 3) return fpr::zoned(a, b, c, bits, k);
    if (name == "check" && read == 1) return fpr::bloomier(a);
    // Semi-sorted buckets have one bit less in a slot than in a fingerprint.
    if ((name == "cuckoo" || name == "semisorted") && read == 1)
        return fpr::cuckoo_pairs(a, bits * many / 4 / (name == "cuckoo" ? a : a - 1), many);
    throw std::invalid_argument("no model is called \"" + text + "\"");
}

/// What a row says is its model's: to `within`, or to `sigmas` standard deviations of that many
/// lookups, or to the digits that are printed. --power takes a multiple
/// of the rows, `times`.
bool agrees(const Row& row, double model, Setup& s) {
    const double deviation = std::sqrt(model * (1 - model) / s.number("lookups"));
    const double most = std::max(
        {s.number("within") * model, s.number("sigmas") * deviation, half_unit(row.at("fpr"))});
    return std::abs(s.number("times", 1) * number_in(row, "fpr") - model) <= most;
}

std::string named(const Row& row, double model) {
    char text[160];
    const auto filter = row.find("filter");
    const std::string who =
        filter == row.end() ? row.at("model") : row.at("machine") + " " + filter->second;
    std::snprintf(text, sizeof text, "%s k=%s %.2f bits %+.1f %%", who.c_str(), row.at("k").c_str(),
                  number_in(row, "bits_per_key"), 100 * (number_in(row, "fpr") / model - 1));
    return text;
}

/// The names of the rows of a file that do not agree with their model.
void run_published_fprs(Setup& s) {
    std::string wrong;
    for (const Row& row : rows_of(s.text("file"))) {
        const double model = model_of(row);
        if (!std::isnan(model) && !agrees(row, model, s))
            wrong += (wrong.empty() ? "" : "; ") + named(row, model);
    }
    print_text(wrong.empty() ? "none" : wrong);
}

const Probes published_probes{{"published_fprs", run_published_fprs}};

}  // namespace
}  // namespace simdbloom::replication
