// Calibrations as text and in files, and what is taken from them.
#include "simdbloom/calibration.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "advice/cpu.hpp"
#include "core/dispatch/tuning.hpp"
#include "saved_bytes.hpp"
#include "simdbloom/cache_line.hpp"
#include "simdbloom/hash.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using detail::Tuned;
using detail::tuned_of;
using detail::Tuning;

Calibration sample() {
    const Isa isa = usable_isas().front(), best = usable_isas().back();
    Calibration c;
    c.machine = Calibration::Machine::here();
    c.date = "2026-11-22 21:21";
    c.rules = {{isa, "split256", 5 << 20, 17}, {best, "fuse:f=8", UINT64_MAX, 64}};
    c.choices = {{"sector512", 1 << 20, isa}, {"sector512", 64 << 20, best}};
    c.build_merged_up_to = 3 << 20;
    c.noise = 0.0125;
    c.times = {{isa, "blocked512:k=8", 4096, 1.125, 2.25, 0.875},
               {best, "growing16", 8192, 1, 0, 0}};
    return c;
}

/// The text with another checksum, which fits.
std::string checked(std::string text) {
    text.resize(text.rfind("checksum "));
    char digits[20];
    std::snprintf(digits, sizeof digits, "%016llx",
                  static_cast<unsigned long long>(hash_bytes(std::string_view(text))));
    return text + "checksum " + digits + '\n';
}

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}
std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The variables that say where a calibration is; as they were afterwards.
class CalibrationPath : public ::testing::Test {
protected:
    CalibrationPath() {
        for (auto& [name, value] : before_) {
            if (const char* now = std::getenv(name)) value = now;
            unsetenv(name);
        }
    }
    ~CalibrationPath() override {
        for (const auto& [name, value] : before_)
            if (value) setenv(name, value->c_str(), 1);
            else unsetenv(name);
    }

private:
    std::pair<const char*, std::optional<std::string>> before_[3] = {
        {"SIMDBLOOM_CALIBRATION", {}}, {"XDG_CACHE_HOME", {}}, {"HOME", {}}};
};

/// Promise of CalibrationFile.*, CalibrationPath.*, TuningOfACalibration*, tool: A calibration
///   counts only on its own machine; damaged ones are refused.
TEST(CalibrationFile, ComesBackAsItWas) {
    const test::TemporaryFolder folder("calibration");
    const auto path = folder.path / "new" / "folders" / "c.txt";
    sample().save(path);
    const std::string text = read(path);
    EXPECT_EQ(Calibration::load(path).value(), sample());
    Calibration::load(path).value().save(path);
    EXPECT_EQ(read(path), text);
}

TEST(CalibrationFile, OfAnotherMachineIsRefusedByTheNameOfWhatDiffers) {
    const test::TemporaryFolder folder("calibration");
    const auto path = folder.path / "c.txt";
    const auto refused = [&](auto change, const std::string& words) {
        Calibration other = sample();
        change(other.machine);
        other.save(path);
        const auto loaded = Calibration::load(path);
        ASSERT_FALSE(loaded) << words;
        EXPECT_EQ(loaded.error().fault, LoadFault::machine);
        EXPECT_NE(loaded.error().message.find(path.string()), std::string::npos);
        EXPECT_NE(loaded.error().message.find(words), std::string::npos) << loaded.error().message;
        EXPECT_TRUE(Calibration::parse(read(path))) << "parse() does not ask";
    };
    using Machine = Calibration::Machine;
    refused([](Machine& m) { m.cpu = "GenuineIntel 6 207 2"; },
            "the CPU was \"GenuineIntel 6 207 2\" when it was measured, and is \"");
    refused([](Machine& m) { m.version = "0.0.1"; }, "the version was \"0.0.1\"");
    refused([](Machine& m) { m.huge_pages = "sometimes"; },
            "the mode of huge pages was \"sometimes\"");
    refused([](Machine& m) { m.l1d += 1; }, "the level-1 cache was \"");
    refused([](Machine& m) { m.l2 = 77; }, "the level-2 cache was \"77\"");
    refused([](Machine& m) { m.l3 = 78; }, "the level-3 cache was \"78\"");
    refused([](Machine& m) { m.l2 = 77, m.cpu = "x"; }, "the CPU was \"x\"");
}

// A browser asks for advice about servers.
TEST(CalibrationFile, OfAnotherInstructionSetIsParsedForAdviceAndNotLoaded) {
    const test::TemporaryFolder folder("calibration");
    const auto path = folder.path / "c.txt";
    const Isa other = usable_isas().back() == Isa::neon ? Isa::avx2 : Isa::neon;
    const auto refused = [&](auto change) {
        Calibration c = sample();
        change(c);
        ASSERT_EQ(Calibration::parse(c.text()).value(), c);
        c.save(path);
        const auto loaded = Calibration::load(path);
        ASSERT_FALSE(loaded);
        EXPECT_EQ(loaded.error().fault, LoadFault::machine);
        EXPECT_NE(
            loaded.error().message.find('"' + std::string(to_string(other)) + "\" cannot run"),
            std::string::npos)
            << loaded.error().message;
    };
    refused([&](Calibration& c) { c.rules.back().isa = other; });
    refused([&](Calibration& c) { c.choices.back().isa = other; });
    refused([&](Calibration& c) { c.times.back().isa = other; });
}

TEST(CalibrationFile, IsRefusedIfAnyByteIsAnotherOrMissing) {
    const std::string text = sample().text();
    ASSERT_EQ(Calibration::parse(text).value(), sample());
    for (std::size_t i = 0; i < text.size(); ++i) {
        EXPECT_FALSE(Calibration::parse(text.substr(0, i))) << i;
        std::string changed = text;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        EXPECT_FALSE(Calibration::parse(changed)) << i;
    }
    EXPECT_FALSE(Calibration::parse(text + ' '));
    EXPECT_EQ(Calibration::parse("").error().fault, LoadFault::foreign);
    EXPECT_EQ(Calibration::parse("simdbloom calibration 1\n").error().message,
              "a calibration: format \"1\" is not 2");
    EXPECT_EQ(Calibration::parse("simdbloom calibration 2\nversion 1\n").error().fault,
              LoadFault::too_short);
    EXPECT_EQ(Calibration::parse(text.substr(0, text.size() - 2) + "x\n").error().fault,
              LoadFault::checksum);
}

TEST(CalibrationFile, LinesThatMakeNoSenseAreRefusedByName) {
    const std::string isa(to_string(usable_isas().front()));
    const auto message = [&](const std::string& line) {
        const std::string text = sample().text();
        const auto loaded = Calibration::parse(
            checked(text.substr(0, text.rfind("checksum ")) + line + "\nchecksum "));
        if (loaded) return std::string("taken");
        EXPECT_EQ(loaded.error().fault, LoadFault::parameter);
        EXPECT_NE(loaded.error().message.find(line), std::string::npos);
        return loaded.error().message.substr(loaded.error().message.rfind("\": ") + 3);
    };
    EXPECT_EQ(message("rule " + isa + " split256 1 64"), "taken");
    EXPECT_EQ(message("rules 1"), "\"rules\" is unknown");
    EXPECT_EQ(message("rule avx9 split256 1 1"), "\"avx9\" is no known instruction set");
    EXPECT_EQ(message("rule " + isa + " split255 1 1"), "\"split255\" is no known spec");
    EXPECT_EQ(message("rule " + isa + " split256 1 65"), "\"65\" is no number from 1 to 64");
    EXPECT_EQ(message("rule " + isa + " split256 1 0"), "\"0\" is no number from 1 to 64");
    EXPECT_EQ(message("rule " + isa + " split256 1"), "ends early");
    EXPECT_EQ(message("rule " + isa + " split256 1 2 3"), "goes on with \"3\"");
    EXPECT_EQ(message("build_merged_up_to -1"),
              "\"-1\" is no number from 0 to 18446744073709551615");
    EXPECT_EQ(message("build_merged_up_to 1x"),
              "\"1x\" is no number from 0 to 18446744073709551615");
    EXPECT_EQ(message("choice sector512 5 none"), "\"none\" is no known instruction set");
    EXPECT_EQ(message("time_ps " + isa + " split256 1 1 1 1000000001"),
              "\"1000000001\" is no number from 0 to 1000000000");
    EXPECT_EQ(message("time_ps " + isa + " split256 0 1 1 1"),
              "\"0\" is no number from 1 to 18446744073709551615");
    EXPECT_EQ(message("time_ps " + isa + " blocked512:k=4 1 1 1 1"), "taken");
    EXPECT_EQ(message("time_ps " + isa + " blocked512:k=5 1 1 1 1"),
              "\"blocked512:k=5\" is no known spec");
    EXPECT_EQ(message("rule " + isa + " blocked512:k=4 1 1"),
              "\"blocked512:k=4\" is no known spec");
    EXPECT_EQ(message("noise_ppm 1000001"), "\"1000001\" is no number from 0 to 1000000");
    EXPECT_EQ(message("date"), "ends early");
}

TEST(CalibrationFile, ThatIsNoFileOrTooLongIsRefusedWithItsPath) {
    const test::TemporaryFolder folder("calibration");
    EXPECT_EQ(Calibration::load(folder.path).error().fault, LoadFault::file);
    EXPECT_EQ(Calibration::load(folder.path / "none").error().fault, LoadFault::file);
    write(folder.path / "long", std::string((1 << 20) + 1, 'x'));
    EXPECT_EQ(Calibration::load(folder.path / "long").error().message,
              (folder.path / "long").string() + ": 1048577 bytes are above 1048576");
    // A file is where a folder would have to be.
    test::expect_error<std::system_error>([&] { sample().save(folder.path / "long" / "c.txt"); },
                                          "long");
    EXPECT_EQ(std::filesystem::file_size(folder.path / "long"), (1u << 20) + 1);
}

TEST_F(CalibrationPath, IsInTheCacheFolderUnlessAVariableNamesIt) {
    EXPECT_EQ(Calibration::default_path(), "");
    setenv("HOME", "/home/me", 1);
    const std::string path = Calibration::default_path();
    EXPECT_TRUE(path.starts_with("/home/me/.cache/simdbloom/calibration-")) << path;
    EXPECT_TRUE(path.ends_with(".txt")) << path;
    EXPECT_EQ(path.find(' '), std::string::npos) << path;
    setenv("XDG_CACHE_HOME", "relative", 1);
    EXPECT_EQ(Calibration::default_path(), path);
    setenv("XDG_CACHE_HOME", "/cache", 1);
    EXPECT_EQ(Calibration::default_path(), "/cache" + path.substr(path.find("/simdbloom")));
    setenv("SIMDBLOOM_CALIBRATION", "", 1);
    EXPECT_NE(Calibration::default_path(), "");
    setenv("SIMDBLOOM_CALIBRATION", "this.txt", 1);
    EXPECT_EQ(Calibration::default_path(), "this.txt");
    setenv("SIMDBLOOM_CALIBRATION", "off", 1);
    EXPECT_EQ(Calibration::default_path(), "");
    EXPECT_EQ(Calibration::of_this_machine(), std::nullopt);
}

TEST_F(CalibrationPath, AFileThatIsRefusedCountsAsNone) {
    const test::TemporaryFolder folder("calibration");
    setenv("XDG_CACHE_HOME", folder.path.c_str(), 1);
    EXPECT_EQ(Calibration::of_this_machine(), std::nullopt);
    sample().save(Calibration::default_path());
    EXPECT_EQ(Calibration::of_this_machine(), sample());
    Calibration other = sample();
    other.machine.version = "0.0.1";
    other.save(Calibration::default_path());
    EXPECT_EQ(Calibration::of_this_machine(), std::nullopt);
    write(Calibration::default_path(), "simdbloom calibration 1\n");
    EXPECT_EQ(Calibration::of_this_machine(), std::nullopt);
}

TEST(TuningOfACalibration, TakesOverWhatWasMeasuredAndKeepsTheRest) {
    const Isa isa = usable_isas().front(), best = usable_isas().back();
    const Tuned split = tuned_of(LayoutKind::split256), sector = tuned_of(LayoutKind::sector512);
    Tuning tuning = Tuning::of_caches({48 << 10, 2 << 20, 64 << 20}, true);
    EXPECT_EQ(tuning.choice(sector, (64 << 20) + 1), Isa::avx2);
    EXPECT_EQ(tuning.choice(sector, 64 << 20), std::nullopt);
    EXPECT_EQ(tuning.choice(split, SIZE_MAX), std::nullopt);
    tuning.take(sample());
    EXPECT_EQ(tuning.of(isa, split).prefetch_above, 5u << 20);
    EXPECT_EQ(tuning.of(isa, split).few_below_or(3), 17u);
    EXPECT_EQ(tuning.of(isa, sector).prefetch_above, 2u << 20);
    EXPECT_EQ(tuning.of(isa, sector).few_below_or(3), 3u);
    EXPECT_EQ(tuning.of(best, Tuned::fuse).prefetch_above, SIZE_MAX);
    EXPECT_EQ(tuning.choice(sector, 1 << 20), std::nullopt);
    EXPECT_EQ(tuning.choice(sector, (1 << 20) + 1), isa);
    EXPECT_EQ(tuning.choice(sector, 64 << 20), isa);
    EXPECT_EQ(tuning.choice(sector, SIZE_MAX), best);
    EXPECT_EQ(tuning.choice(tuned_of(LayoutKind::blocked512), SIZE_MAX), std::nullopt);
    EXPECT_EQ(tuning.build_merged_up_to, 3u << 20);
    for (std::size_t i = 0; i < cpu::n_isas; ++i) {  // those of other machines too
        Calibration one;
        one.rules = {{static_cast<Isa>(i), "split256", std::uint64_t{1} << i, 9}};
        Tuning taken{};
        taken.take(one);
        EXPECT_EQ(taken.of(static_cast<Isa>(i), split).prefetch_above, 1u << i);
        EXPECT_EQ(taken.choice(split, SIZE_MAX), std::nullopt) << i;
        EXPECT_EQ(taken.build_merged_up_to, 0u) << i;
    }
    Calibration many;
    for (std::uint64_t i = 0; i < 9; ++i) many.choices.push_back({"split256", i << 20, isa});
    tuning.take(many);
    EXPECT_EQ(tuning.choice(split, 2 << 20), isa);
    EXPECT_EQ(tuning.build_merged_up_to, 3u << 20) << "0 says that it was not measured";
}

/// Leaves the process: with 0 if filters follow the file.
[[noreturn]] void leave_after_making_filters() {
    const test::TemporaryFolder folder("calibration");
    setenv("SIMDBLOOM_CALIBRATION", (folder.path / "c.txt").c_str(), 1);
    unsetenv("SIMDBLOOM_ISA");
    sample().save(Calibration::default_path());
    const Isa isa = usable_isas().front(), best = usable_isas().back();
    Options options{.spec = "sector512"};
    const auto isa_of = [&](std::size_t bytes) {
        return CacheLineBloom::with_bits_per_key(bytes / 2, 16, options).isa();
    };
    bool right = isa_of(1 << 19) == best && isa_of(2 << 20) == isa;
    right &= detail::tuning().of(isa, tuned_of(LayoutKind::split256)).few_below == 17;
    options.isa = best;
    right &= isa_of(2 << 20) == best;
    options.isa.reset();
    setenv("SIMDBLOOM_ISA", std::string(to_string(best)).c_str(), 1);
    right &= isa_of(2 << 20) == best;
    std::filesystem::remove_all(folder.path);
    std::exit(right ? 0 : 1);
}

// In a process of its own: the file is looked for once in a process.
TEST(TuningOfACalibrationDeathTest, FiltersTakeTheFileOfThisMachine) {
#ifdef SIMDBLOOM_EMULATED
    GTEST_SKIP() << "the process of its own would run without the emulator";
#endif
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(leave_after_making_filters(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace simdbloom
