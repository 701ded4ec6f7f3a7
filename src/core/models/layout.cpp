#include "simdbloom/layout.hpp"

#include <charconv>
#include <stdexcept>

#include "simdbloom/detail/layout_traits.hpp"

namespace simdbloom {
namespace {

[[noreturn]] void reject(std::string_view spec, const std::string& why) {
    throw std::invalid_argument("simdbloom: spec \"" + std::string(spec) + "\": " + why);
}

std::string known_names() {
    std::string names;
    for (const auto& row : detail::layout_traits)
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    return names;
}

}  // namespace

const detail::LayoutTraits& Layout::traits() const noexcept { return detail::traits_of(kind); }

Layout Layout::parse(std::string_view spec) {
    const auto colon = spec.find(':');
    const auto name = spec.substr(0, colon);
    const detail::LayoutTraits* row = nullptr;
    for (const auto& r : detail::layout_traits)
        if (r.name == name) row = &r;
    if (row == nullptr)
        reject(spec,
               "no filter is named \"" + std::string(name) + "\" (known: " + known_names() + ")");

    const bool takes_k = row->k_max != 0, takes_z = row->zones == 0;
    Layout layout{row->kind, row->fixed_k() ? row->k_max : 0, takes_z ? 2u : 0u};
    bool k_given = false, zones_given = false;
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
        if (key == "k" && takes_k && !k_given) layout.k = value, k_given = true;
        else if (key == "z" && takes_z && !zones_given) layout.zones = value, zones_given = true;
        else reject(spec, "parameter \"" + std::string(key) + "\" is unknown here or given twice");
    }
    if (takes_z && layout.zones != 2 && layout.zones != 4)
        reject(spec, "z=" + std::to_string(layout.zones) + " is not 2 or 4");
    const auto range = layout.k_range();
    if (k_given &&
        (layout.k < range.min || layout.k > range.max || (layout.k - range.min) % range.step != 0))
        reject(spec, "k=" + std::to_string(layout.k) + " is not in " + std::to_string(range.min) +
                         ".." + std::to_string(range.max) +
                         (range.step > 1 ? " in steps of " + std::to_string(range.step) : ""));
    return layout;
}

std::string Layout::spec() const {
    std::string text(traits().name);
    const char* separator = ":";
    if (traits().zones == 0) text += ":z=" + std::to_string(zones), separator = ",";
    if (!traits().fixed_k() && k != 0) text += separator + ("k=" + std::to_string(k));
    return text;
}

}  // namespace simdbloom
