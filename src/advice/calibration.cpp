// A calibration as text, in files, and where the file is.
#include "simdbloom/calibration.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <span>

#include "advice/cpu.hpp"
#include "core/dispatch/tuning.hpp"
#include "core/files/files.hpp"
#include "core/os/caches.hpp"
#include "simdbloom/hash.hpp"
#include "simdbloom/version.hpp"

namespace simdbloom {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_word = "simdbloom calibration ", format = "2";
constexpr std::uint64_t most_bytes = 1 << 20;

std::uint64_t checksum_of(std::string_view text) {
    return hash_bytes(std::as_bytes(std::span(text.data(), text.size())));
}
std::string hexadecimal(std::uint64_t number) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
    return digits;
}
std::uint64_t picoseconds(double ns) { return static_cast<std::uint64_t>(std::llround(ns * 1e3)); }

/// Joins its arguments to a line: numbers and words with a blank between them.
template <class... Fields>
void put(std::string& text, const Fields&... fields) {
    const auto word = [](const auto& field) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(field)>>)
            return std::to_string(field);
        else return std::string(field);
    };
    std::string line;
    ((line += (line.empty() ? "" : " ") + word(fields)), ...);
    text += line + '\n';
}

/// Reads the fields of a line one after the other. After a fault nothing more is read.
class Line {
public:
    explicit Line(std::string_view text) : all_(text), left_(text) {}

    std::string_view word() {
        const auto end = std::min(left_.find(' '), left_.size());
        const std::string_view found = left_.substr(0, end);
        if (found.empty()) fault("ends early");
        left_.remove_prefix(std::min(end + 1, left_.size()));
        return found;
    }
    std::string rest() {
        std::string found(left_);
        if (found.empty()) fault("ends early");
        left_ = {};
        return found;
    }
    std::uint64_t number(std::uint64_t least = 0, std::uint64_t most = UINT64_MAX) {
        const std::string_view digits = word();
        std::uint64_t value = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || value < least ||
            value > most)
            fault("\"" + std::string(digits) + "\" is no number from " + std::to_string(least) +
                  " to " + std::to_string(most));
        return value;
    }
    double ns() { return static_cast<double>(number(0, 1'000'000'000)) / 1e3; }
    Isa isa() {
        const std::string_view name = word();
        try {
            return parse_isa(name);
        } catch (const std::invalid_argument&) {
            fault("\"" + std::string(name) + "\" is no known instruction set");
            return Isa::scalar;
        }
    }
    /// `timed`: also of the specs that have times alone.
    std::string spec(bool timed = false) {
        std::string name(word());
        const auto is_it = [&](const detail::TunedSpec& s) { return s.spec == name; };
        if (!detail::tuned_of_spec(name) &&
            (!timed || std::ranges::none_of(detail::more_timed_specs(), is_it)))
            fault("\"" + name + "\" is no known spec");
        return name;
    }
    void end() {
        if (!left_.empty()) fault("goes on with \"" + std::string(left_) + "\"");
    }
    void fault(const std::string& what) {
        if (fault_.empty()) fault_ = "the line \"" + std::string(all_) + "\": " + what;
    }
    const std::string& fault() const noexcept { return fault_; }

private:
    std::string_view all_, left_;
    std::string fault_;
};

/// Takes a line over into the calibration.
void take(Line& line, Calibration& c) {
    const std::string_view name = line.word();
    if (name == "version") c.machine.version = line.rest();
    else if (name == "cpu") c.machine.cpu = line.rest();
    else if (name == "huge_pages") c.machine.huge_pages = line.rest();
    else if (name == "date") c.date = line.rest();
    else if (name == "caches") {
        c.machine.l1d = line.number();
        c.machine.l2 = line.number();
        c.machine.l3 = line.number();
    } else if (name == "rule") {
        const Isa isa = line.isa();
        std::string spec = line.spec();
        const std::uint64_t above = line.number();
        c.rules.push_back({isa, std::move(spec), above, static_cast<unsigned>(line.number(1, 64))});
    } else if (name == "choice") {
        std::string spec = line.spec();
        const std::uint64_t above = line.number();
        c.choices.push_back({std::move(spec), above, line.isa()});
    } else if (name == "build_merged_up_to") {
        c.build_merged_up_to = line.number();
    } else if (name == "noise_ppm") {
        c.noise = static_cast<double>(line.number(0, 1'000'000)) / 1e6;
    } else if (name == "time_ps") {
        const Isa isa = line.isa();
        std::string spec = line.spec(true);
        const std::uint64_t bytes = line.number(1);
        const double absent = line.ns(), present = line.ns();
        c.times.push_back({isa, std::move(spec), bytes, absent, present, line.ns()});
    } else {
        line.fault("\"" + std::string(name) + "\" is unknown");
    }
    line.end();
}

std::string differences(const Calibration::Machine& saved, const Calibration::Machine& here) {
    std::string text;
    const auto compare = [&](const char* name, const std::string& then, const std::string& now) {
        if (then == now) return;
        text += std::string(text.empty() ? "" : "; ") + name + " was \"" + then +
                "\" when it was measured, and is \"" + now + "\"";
    };
    compare("the version", saved.version, here.version);
    compare("the CPU", saved.cpu, here.cpu);
    compare("the level-1 cache", std::to_string(saved.l1d), std::to_string(here.l1d));
    compare("the level-2 cache", std::to_string(saved.l2), std::to_string(here.l2));
    compare("the level-3 cache", std::to_string(saved.l3), std::to_string(here.l3));
    compare("the mode of huge pages", saved.huge_pages, here.huge_pages);
    return text;
}

/// The first instruction set in it that this machine cannot run.
std::optional<Isa> unusable(const Calibration& c) {
    const auto usable = usable_isas();
    const auto lacks = [&](Isa isa) { return std::ranges::count(usable, isa) == 0; };
    for (const auto& rule : c.rules)
        if (lacks(rule.isa)) return rule.isa;
    for (const auto& choice : c.choices)
        if (lacks(choice.isa)) return choice.isa;
    for (const auto& time : c.times)
        if (lacks(time.isa)) return time.isa;
    return std::nullopt;
}

fs::path absolute_path_in(const char* variable) {
    const char* const value = std::getenv(variable);
    // The XDG specification: a path that is not absolute is ignored.
    return value == nullptr || *value != '/' ? fs::path() : fs::path(value);
}

}  // namespace

Calibration::Machine Calibration::Machine::here() {
    const detail::Caches& caches = detail::caches();
    return {detail::cpu_name(),
            caches.l1d,
            caches.l2,
            caches.l3,
            detail::huge_page_mode(),
            std::string(simdbloom::version)};
}

std::string Calibration::text() const {
    std::string text(first_word);
    put(text, format);
    put(text, "version", machine.version);
    put(text, "cpu", machine.cpu);
    put(text, "caches", machine.l1d, machine.l2, machine.l3);
    put(text, "huge_pages", machine.huge_pages);
    put(text, "date", date);
    put(text, "build_merged_up_to", build_merged_up_to);
    put(text, "noise_ppm", std::llround(std::clamp(noise, 0.0, 1.0) * 1e6));
    for (const Rule& r : rules)
        put(text, "rule", to_string(r.isa), r.spec, r.prefetch_above, r.few_below);
    for (const Choice& c : choices) put(text, "choice", c.spec, c.above, to_string(c.isa));
    for (const Time& t : times)
        put(text, "time_ps", to_string(t.isa), t.spec, t.bytes, picoseconds(t.absent),
            picoseconds(t.present), picoseconds(t.insert));
    text += "checksum " + hexadecimal(checksum_of(text)) + '\n';
    return text;
}

Loaded<Calibration> Calibration::parse(std::string_view text) {
    const auto refused = [](LoadFault fault, std::string why) {
        return LoadError{fault, "a calibration: " + std::move(why)};
    };
    if (!text.starts_with(first_word))
        return refused(LoadFault::foreign, "it does not begin with \"simdbloom calibration\"");
    std::string_view left = text.substr(first_word.size());
    const auto next_line = [&] {
        const auto end = left.find('\n');
        const std::string_view line = left.substr(0, end);
        left.remove_prefix(std::min(line.size() + 1, left.size()));
        return line;
    };
    if (const std::string_view number = next_line(); number != format)
        return refused(LoadFault::version, "format \"" + std::string(number.substr(0, 20)) +
                                               "\" is not " + std::string(format));
    const auto last = text.rfind("checksum ");
    if (last == std::string_view::npos || text[last - 1] != '\n')
        return refused(LoadFault::too_short, "it has no checksum");
    if (text.substr(last) != "checksum " + hexadecimal(checksum_of(text.substr(0, last))) + '\n')
        return refused(LoadFault::checksum, "the checksum is another");
    left = left.substr(0, left.size() - (text.size() - last));
    Calibration made;
    while (!left.empty()) {
        Line line(next_line());
        take(line, made);
        if (!line.fault().empty()) return refused(LoadFault::parameter, line.fault());
    }
    return made;
}

void Calibration::save(const fs::path& path) const {
    const std::string all = text();
    if (path.has_parent_path()) fs::create_directories(path.parent_path());
    detail::save_whole(path, [&](int file) {
        return detail::write_all(file, std::as_bytes(std::span(all.data(), all.size())));
    });
}

Loaded<Calibration> Calibration::load(const fs::path& path) {
    const auto opened = detail::open_regular(path, 0);
    if (!opened) return opened.error();
    const std::uint64_t bytes = (*opened).bytes;
    if (bytes > most_bytes)
        return detail::in_file(
            path, {LoadFault::limit,
                   std::to_string(bytes) + " bytes are above " + std::to_string(most_bytes)});
    std::string all(static_cast<std::size_t>(bytes), '\0');
    if (!detail::read_all((*opened).file.get(), std::as_writable_bytes(std::span(all))))
        return detail::not_read(path);
    auto made = parse(all);
    if (!made) return detail::in_file(path, made.error());
    if (const std::string text = differences(made->machine, Machine::here()); !text.empty())
        return detail::in_file(path,
                               {LoadFault::machine, "a calibration of another machine: " + text});
    if (const auto isa = unusable(*made))
        return detail::in_file(path, {LoadFault::machine, "a calibration of another machine: \"" +
                                                              std::string(to_string(*isa)) +
                                                              "\" cannot run on this one"});
    return made;
}

fs::path Calibration::default_path() {
    if (const char* const named = std::getenv("SIMDBLOOM_CALIBRATION");
        named != nullptr && *named != '\0')
        return std::string_view(named) == "off" ? fs::path() : fs::path(named);
    fs::path folder = absolute_path_in("XDG_CACHE_HOME");
    if (folder.empty()) {
        folder = absolute_path_in("HOME");
        if (folder.empty()) return {};
        folder /= ".cache";
    }
    std::string cpu = detail::cpu_name();
    for (char& c : cpu)
        if (!(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z')) c = '-';
    return folder / "simdbloom" / ("calibration-" + cpu + ".txt");
}

std::optional<Calibration> Calibration::of_this_machine() noexcept {
    try {
        const fs::path path = default_path();
        if (path.empty()) return std::nullopt;
        if (auto loaded = load(path)) return std::move(*loaded);
    } catch (...) {  // no memory
    }
    return std::nullopt;
}

}  // namespace simdbloom
