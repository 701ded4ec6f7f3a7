#include "simdbloom/layout.hpp"

#include <array>
#include <charconv>
#include <stdexcept>

namespace simdbloom {
namespace {

struct Row {
    std::string_view name;
    LayoutKind kind;
    unsigned block_bits, fingerprint_bits;
    unsigned fixed_k;  // 0: free
};

constexpr std::array<Row, 15> rows{{
    {"classic", LayoutKind::classic, 64, 0, 0},
    {"register32", LayoutKind::register32, 32, 0, 0},
    {"register64", LayoutKind::register64, 64, 0, 0},
    {"split256", LayoutKind::split256, 256, 0, 8},
    {"sector512", LayoutKind::sector512, 512, 0, 8},
    {"zoned512", LayoutKind::zoned512, 512, 0, 0},
    {"blocked512", LayoutKind::blocked512, 512, 0, 0},
    {"cuckoo8", LayoutKind::cuckoo8, 32, 8, 0},
    {"cuckoo12", LayoutKind::cuckoo12, 48, 12, 0},
    {"cuckoo16", LayoutKind::cuckoo16, 64, 16, 0},
    {"counting", LayoutKind::counting, 64, 0, 0},
    {"counting512", LayoutKind::counting512, 512, 0, 0},
    {"dleft12", LayoutKind::dleft12, 4 * 8 * 14, 12, 0},
    {"dleft14", LayoutKind::dleft14, 4 * 8 * 16, 14, 0},
    {"dleft16", LayoutKind::dleft16, 4 * 8 * 18, 16, 0},
}};

const Row& row_of(LayoutKind kind) { return rows[static_cast<std::size_t>(kind)]; }

[[noreturn]] void reject(std::string_view spec, const std::string& why) {
    throw std::invalid_argument("simdbloom: spec \"" + std::string(spec) + "\": " + why);
}

std::string known_names() {
    std::string names;
    for (const auto& row : rows) names += (names.empty() ? "" : ", ") + std::string(row.name);
    return names;
}

}  // namespace

Layout Layout::parse(std::string_view spec) {
    const auto colon = spec.find(':');
    const auto name = spec.substr(0, colon);
    const Row* row = nullptr;
    for (const auto& r : rows)
        if (r.name == name) row = &r;
    if (row == nullptr)
        reject(spec,
               "no filter is named \"" + std::string(name) + "\" (known: " + known_names() + ")");

    Layout layout{row->kind, row->fixed_k, row->kind == LayoutKind::zoned512 ? 2u : 0u};
    bool k_given = false, groups_given = false;
    std::string_view rest =
        colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1);
    if (colon != std::string_view::npos && rest.empty())
        reject(spec, "parameters are missing behind ':'");
    while (!rest.empty()) {
        const auto comma = rest.find(',');
        const auto item = rest.substr(0, comma);
        if (comma != std::string_view::npos && comma + 1 == rest.size())
            reject(spec, "it ends in ','");
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        const auto equals = item.find('=');
        const auto key = item.substr(0, equals);
        const auto text =
            equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
        unsigned value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size())
            reject(spec, "\"" + std::string(item) + "\" is not of the form parameter=number");
        const bool takes_k = !layout.is_table(), takes_z = layout.kind == LayoutKind::zoned512;
        if (key == "k" && takes_k && !k_given) layout.k = value, k_given = true;
        else if (key == "z" && takes_z && !groups_given) layout.groups = value, groups_given = true;
        else reject(spec, "parameter \"" + std::string(key) + "\" is unknown here or given twice");
    }
    if (layout.kind == LayoutKind::zoned512 && layout.groups != 2 && layout.groups != 4)
        reject(spec, "z=" + std::to_string(layout.groups) + " is not 2 or 4");
    const auto range = layout.k_range();
    if (k_given &&
        (layout.k < range.min || layout.k > range.max || (layout.k - range.min) % range.step != 0))
        reject(spec, "k=" + std::to_string(layout.k) + " is not in " + std::to_string(range.min) +
                         ".." + std::to_string(range.max) +
                         (range.step > 1 ? " in steps of " + std::to_string(range.step) : ""));
    return layout;
}

std::string Layout::spec() const {
    std::string text(row_of(kind).name);
    const char* separator = ":";
    if (kind == LayoutKind::zoned512) text += ":z=" + std::to_string(groups), separator = ",";
    if (!is_table() && row_of(kind).fixed_k == 0 && k != 0)
        text += separator + ("k=" + std::to_string(k));
    return text;
}

unsigned Layout::block_bits() const noexcept { return row_of(kind).block_bits; }

unsigned Layout::fingerprint_bits() const noexcept { return row_of(kind).fingerprint_bits; }

Layout::KRange Layout::k_range() const noexcept {
    switch (kind) {
        case LayoutKind::classic:
        case LayoutKind::counting:
            return {1, 30, 1};
        case LayoutKind::register32:
        case LayoutKind::register64:
            return {1, 8, 1};
        case LayoutKind::zoned512:
            return {groups, 8, groups};
        case LayoutKind::blocked512:
        case LayoutKind::counting512:
            return {1, 16, 1};
        case LayoutKind::split256:
        case LayoutKind::sector512:
            return {8, 8, 1};
        default:
            return {0, 0, 1};
    }
}

}  // namespace simdbloom
