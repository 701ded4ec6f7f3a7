// simdbloom calibrate: measure this machine, and say what is known of it.
#include "simdbloom/calibration.hpp"

#include <optional>
#include <stdexcept>

#include "commands.hpp"
#include "json.hpp"
#include "terminal.hpp"

namespace simdbloom::tools {
namespace {

struct CalibrateSettings {
    std::string output;
    bool quick = false, full = false, check = false, quiet = false, progress = false, json = false;
};

std::filesystem::path path_of(const CalibrateSettings& s) {
    if (!s.output.empty()) return s.output;
    std::filesystem::path path = Calibration::default_path();
    if (path.empty())
        throw std::runtime_error(
            "no place for a calibration: SIMDBLOOM_CALIBRATION is off, or neither HOME nor "
            "XDG_CACHE_HOME is set; give -o FILE");
    return path;
}

void say(const std::filesystem::path& path, const Calibration& c, bool json) {
    if (json) {
        Json rules = Json::array(), choices = Json::array();
        for (const auto& r : c.rules)
            rules.push_back(
                {{"isa", std::string(to_string(r.isa))},
                 {"spec", r.spec},
                 {"prefetch_above_bytes",
                  r.prefetch_above == UINT64_MAX ? Json(nullptr) : Json(r.prefetch_above)},
                 {"few_below_keys", r.few_below}});
        for (const auto& choice : c.choices)
            choices.push_back({{"isa", std::string(to_string(choice.isa))},
                               {"spec", choice.spec},
                               {"above_bytes", choice.above}});
        print_json({{"file", json_text(path.string())},
                    {"cpu", json_text(c.machine.cpu)},
                    {"measured", c.date},
                    {"rules", std::move(rules)},
                    {"choices", std::move(choices)}});
        return;
    }
    print_line(stdout, "%s: %s, measured %s UTC", path.c_str(), c.machine.cpu.c_str(),
               c.date.c_str());
    for (const auto& r : c.rules) {
        const std::string above =
            r.prefetch_above == UINT64_MAX
                ? "never prefetched"
                : "prefetched above " + std::to_string(r.prefetch_above >> 10) + " KiB";
        print_line(stdout, "%-12s %-17s %s, fewer than %u keys one by one",
                   std::string(to_string(r.isa)).c_str(), r.spec.c_str(), above.c_str(),
                   r.few_below);
    }
    for (const auto& choice : c.choices)
        print_line(stdout, "%-12s is taken for %s above %llu KiB",
                   std::string(to_string(choice.isa)).c_str(), choice.spec.c_str(),
                   static_cast<unsigned long long>(choice.above >> 10));
}

int calibrate(const CalibrateSettings& s) {
    const std::filesystem::path path = path_of(s);
    if (s.check) {
        say(path, Calibration::load(path).value(), s.json);
        return 0;
    }
    const bool shows = s.progress || (!s.quiet && !s.json && shows_progress());
    const auto made = Calibration::measure(
        s.full ? Calibration::Effort::full : Calibration::Effort::quick,
        [&](double share, std::string_view what) {
            if (shows)
                print_own(stderr, formatted("\r%3.0f%% %-40.*s", 100 * share,
                                            static_cast<int>(what.size()), what.data()));
        });
    if (shows) print_own(stderr, formatted("\r%45s\r", ""));
    made.save(path);
    if (!s.quiet || s.json) say(path, made, s.json);
    return 0;
}

}  // namespace

void add_calibrate(CLI::App& app, int& status) {
    auto* command = add_command(app, "calibrate",
                                "Measure this machine, so that filters are at their fastest on it",
                                "Answers and filters stay the same.",
                                {{"simdbloom calibrate", "some 15 seconds"},
                                 {"simdbloom calibrate --check", "what was measured before"}});
    const auto s = std::make_shared<CalibrateSettings>();
    auto* quick = command->add_flag("--quick", s->quick, "some 15 seconds (the default)");
    auto* full = command->add_flag("--full", s->full, "at most 90 seconds: more sizes and rounds")
                     ->excludes(quick);
    command
        ->add_option("-o,--output", s->output,
                     "file that the calibration goes to; by default the one that every program "
                     "looks for, in the cache folder of the user")
        ->type_name(file_type);
    command
        ->add_flag("--check", s->check,
                   "measure nothing; print what the file says, or why it is refused")
        ->excludes(quick)
        ->excludes(full);
    add_json(*command, s->json);
    command->add_flag("-q,--quiet", s->quiet, "print nothing");
    add_progress(*command, s->progress);
    command->callback([=, &status] { status = calibrate(*s); });
}

}  // namespace simdbloom::tools
