#include "simdbloom/layout.hpp"

#include <charconv>
#include <optional>
#include <utility>

#include "simdbloom/detail/errors.hpp"
#include "simdbloom/detail/layout_traits.hpp"

namespace simdbloom {
namespace {

template <class... Parts>
[[noreturn]] void reject(std::string_view spec, const Parts&... why) {
    throw detail::argument_error("spec \"", spec, "\": ", why...);
}

std::string known_names() {
    std::string names;
    for (const auto& row : detail::layout_traits)
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    return names;
}

/// What stands before the first `at`, and behind it if there is one.
std::pair<std::string_view, std::optional<std::string_view>> cut(std::string_view text, char at) {
    const auto found = text.find(at);
    if (found == text.npos) return {text, std::nullopt};
    return {text.substr(0, found), text.substr(found + 1)};
}

}  // namespace

const detail::LayoutTraits& Layout::traits() const noexcept { return detail::traits_of(kind); }
bool Layout::is_bloom() const noexcept { return !is_table() && !is_counting(); }
bool Layout::is_cuckoo() const noexcept { return traits().family == detail::Family::cuckoo; }
bool Layout::is_counting() const noexcept { return traits().family == detail::Family::counting; }
bool Layout::is_dleft() const noexcept { return traits().family == detail::Family::dleft; }
bool Layout::is_table() const noexcept { return traits().is_table(); }
unsigned Layout::block_bits() const noexcept { return traits().block_bits; }
unsigned Layout::fingerprint_bits() const noexcept { return traits().fingerprint_bits; }
unsigned Layout::cells_per_block() const noexcept { return is_cuckoo() ? 4 : is_dleft() ? 32 : 0; }
double Layout::design_load() const noexcept { return is_cuckoo() ? 0.95 : is_dleft() ? 0.75 : 0; }
double Layout::least_bits_per_key() const noexcept {
    return is_table() ? block_bits() / (cells_per_block() * design_load()) : 0;
}
Layout::KRange Layout::k_range() const noexcept {
    const detail::LayoutTraits& t = traits();
    return t.k_step != 0 ? KRange{t.k_min, t.k_max, t.k_step} : KRange{zones, t.k_max, zones};
}
Layout::Pattern Layout::pattern() const noexcept {
    const detail::LayoutTraits& t = traits();
    const unsigned n_zones = t.zones != 0 ? t.zones : zones;
    return {n_zones, t.block_bits / t.word_bits / n_zones, t.word_bits / t.cell_bits(),
            k / n_zones};
}

Layout Layout::parse(std::string_view spec) {
    auto [name, rest] = cut(spec, ':');
    const detail::LayoutTraits* row = nullptr;
    for (const auto& r : detail::layout_traits)
        if (r.name == name) row = &r;
    if (row == nullptr)
        reject(spec, "no filter is named \"", name, "\" (known: ", known_names(), ")");

    const bool takes_k = row->k_max != 0, takes_z = row->zones == 0;
    Layout layout{row->kind, row->fixed_k() ? row->k_max : 0, takes_z ? 2u : 0u};
    bool k_given = false, zones_given = false;
    if (rest && rest->empty()) reject(spec, "parameters are missing behind ':'");
    while (rest) {
        const auto [item, more] = cut(*rest, ',');
        if (more && more->empty()) reject(spec, "it ends in ','");
        rest = more;
        const auto [key, number] = cut(item, '=');
        const std::string_view text = number.value_or("");
        unsigned value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size())
            reject(spec, "\"", item, "\" is not of the form parameter=number");
        if (key == "k" && takes_k && !k_given) layout.k = value, k_given = true;
        else if (key == "z" && takes_z && !zones_given) layout.zones = value, zones_given = true;
        else reject(spec, "parameter \"", key, "\" is unknown here or given twice");
    }
    if (takes_z && layout.zones != 2 && layout.zones != 4)
        reject(spec, "z=", layout.zones, " is not 2 or 4");
    const auto range = layout.k_range();
    if (k_given &&
        (layout.k < range.min || layout.k > range.max || (layout.k - range.min) % range.step != 0))
        reject(spec, "k=", layout.k, " is not in ", range.min, "..", range.max,
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
