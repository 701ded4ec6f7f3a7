// What a machine measured about itself: how filters use their kernels on it, and times for advice.
//
//   simdbloom calibrate            measures, and writes the file that every program finds by itself
//
// A filter looks for the file once in a process, when the first filter gets its kernels. Bits and
// answers never depend on it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simdbloom/export.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/loaded.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

struct Calibration {
    /// What a calibration is bound to.
    struct Machine {
        std::string cpu;                        ///< vendor, family, model and stepping
        std::uint64_t l1d = 0, l2 = 0, l3 = 0;  ///< bytes; 0 where the machine does not say
        std::string huge_pages;                 ///< the mode of transparent huge pages
        std::string version;                    ///< of the library

        static Machine here();
        friend bool operator==(const Machine&, const Machine&) = default;
    };
    /// How the kernels of one instruction set are used for one layout or structure. `spec` stands
    /// for all values of its parameters.
    struct Rule {
        Isa isa;
        std::string spec;
        std::uint64_t prefetch_above;  ///< bytes; larger filters are prefetched
        unsigned few_below;            ///< batches of fewer keys go key by key; from 1 to 64

        friend bool operator==(const Rule&, const Rule&) = default;
    };
    /// Filters of more than `above` bytes take this instruction set, unless Options::isa or the
    /// environment variable SIMDBLOOM_ISA names one.
    struct Choice {
        std::string spec;
        std::uint64_t above;
        Isa isa;

        friend bool operator==(const Choice&, const Choice&) = default;
    };
    /// ns a key, with the rule above, in batches of 2,048 keys whose answers are selection vectors.
    /// A few specs stand for one layout with another k. A table is filled to its design load.
    struct Time {
        Isa isa;
        std::string spec;
        std::uint64_t bytes;
        double absent, present, insert;  ///< insert: 0 where it was not measured

        friend bool operator==(const Time&, const Time&) = default;
    };
    enum class Effort : std::uint8_t {
        quick,  ///< some 15 seconds
        full,   ///< at most 90 seconds
    };
    /// Is told from time to time which share of the work is done.
    using Progress = std::function<void(double share, std::string_view what)>;

    /// Measures this machine, which should have nothing else to do.
    static Calibration measure(Effort effort, const Progress& progress = {});

    /// Writes the file whole or leaves it as it was. Folders that are missing are made. Throws
    /// std::system_error with the path.
    void save(const std::filesystem::path& path) const;
    /// Refuses what is damaged, and what was measured on another machine, in another mode of pages
    /// or by another version. The message names what differs.
    static Loaded<Calibration> load(const std::filesystem::path& path);
    /// The same text in memory; parse() does not ask which machine it is from, and advise() on any
    /// machine takes it.
    std::string text() const;
    static Loaded<Calibration> parse(std::string_view text);

    /// Where the calibration of this machine is: the file that the environment variable
    /// SIMDBLOOM_CALIBRATION names, else `simdbloom/calibration-CPU.txt` in $XDG_CACHE_HOME or
    /// ~/.cache. Empty if the variable is "off", and if none of the three is set.
    static std::filesystem::path default_path();
    /// What that file has; nothing if there is no file, and if load() refuses it.
    static std::optional<Calibration> of_this_machine() noexcept;

    Machine machine;
    std::string date;  ///< UTC, when it was measured
    std::vector<Rule> rules;
    std::vector<Choice> choices;
    /// A parallel build of at most so many bytes gives each thread a filter of its own. 0: not
    /// measured.
    std::uint64_t build_merged_up_to = 0;
    std::vector<Time> times;
    /// By which share a time would differ the next time: the interquartile range of its rounds,
    /// divided by the root of their number; the median over all times.
    double noise = 0;

    friend bool operator==(const Calibration&, const Calibration&) = default;
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
