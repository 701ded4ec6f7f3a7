// The commands of the program `simdbloom` on files of arbitrary bytes: each ends with one of its
// exit codes, and a filter that was built from a file finds all its keys.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fuzz.hpp"
#include "tools/commands.hpp"

namespace {

using namespace simdbloom;

/// A folder of this process, which goes with it.
struct Folder {
    // In memory where there is such a folder: a save waits for the disk.
    std::filesystem::path path =
        (std::filesystem::is_directory("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                   : std::filesystem::temp_directory_path()) /
        ("simdbloom-fuzz-" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string operator/(const char* name) const { return (path / name).string(); }
};

using Words = std::vector<std::string>;

/// The exit code, one of the documented ones; the words of an error are kept from the fuzzer's log.
int run(Words words) {
    using namespace tools;
    // One command alone: to set up the options of all takes most of a run.
    CLI::App app("", "simdbloom");
    int status = 0;
    std::ranges::find(commands, words[0], &Command::name)->add(app, status);
    std::reverse(words.begin(), words.end());
    try {
        app.parse(words);
    } catch (const CLI::ParseError&) {
        return 2;
    } catch (const std::exception& e) {
        must(*e.what() != '\0');
        return 1;
    }
    must(status >= 0 && status <= 4);
    return status;
}

void write(const std::string& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Folder folder;
    [[maybe_unused]] static const FILE* const quiet = std::freopen("/dev/null", "w", stdout);
    if (size < 2) return 0;
    const unsigned way = data[0] % 8, choice = data[1];
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
    const std::string a = folder / "a", b = folder / "b", filter = folder / "filter",
                      out = folder / "out";
    static constexpr const char* specs[] = {"split256", "classic", "blocked512",     "cuckoo16",
                                            "counting", "dleft12", "register64:k=3", "zoned512"};
    const std::string spec = specs[choice % 8], format = (choice & 8) != 0 ? "u64" : "lines";
    std::string middle(bytes.substr(0, bytes.size() / 2));
    write(a, way < 4 ? bytes : middle);
    write(b, way < 4 ? bytes : bytes.substr(middle.size()));
    switch (way) {
        case 0: {  // a filter or a bank of keys finds all of them
            if ((choice & 16) != 0) {
                const std::string k = std::to_string(choice % 34);
                write(b, middle);  // a set of fewer keys
                Words words{"bank", "build", a, b, "-o", out};
                if ((choice & 32) != 0) words.insert(words.end(), {"--kmers", k});
                else words.insert(words.end(), {"--spec", spec});
                const int built = run(words);
                if (built == 0) must(run({"bank", "probe", out, a, "-c"}) == 0);
                if (built != 1) run({"bank", "probe", out, b, "--at-least", "0.1"});
                break;
            }
            const int built = run(
                {"build", a, "-o", filter, "--format", format, "--spec", spec, "-b", "16", "-q"});
            if (built == 0) must(run({"probe", filter, a, "--format", format, "-v"}) == 3);
            break;
        }
        case 1: {  // bytes that are no filter, and such that could be
            if (bytes.size() >= 72 && (choice & 1) != 0) {
                std::string forged(bytes);
                forge(std::as_writable_bytes(std::span(forged)),
                      {0x89, 'S', 'B', 'L', 'M', '\r', '\n', 0x1A});
                write(a, forged);
            }
            run({"info", a});
            run({"info", a, "--as", "leveldb"});
            run({"convert", a, "-o", out, "--to", "parquet", "--keys", "lines"});
            run({"probe", a, b, "-c"});
            run({"fold", a, "-o", out, "--parts", "2"});
            run({"merge", a, a, "-o", out});
            break;
        }
        case 2:
            run({"parquet", a});
            run({"parquet", a, "-c", "k", "-k", "1"});
            break;
        case 3:
            run({"unseen", b, "-f", a, "-q"});
            break;
        case 4: {  // what was seen is seen in the next run
            std::filesystem::remove(filter);
            run({"unseen", a, "-f", filter, "-q", "--capacity", "4", "--spec", "blocked512"});
            run({"unseen", b, "-f", filter, "-q"});
            auto series = load_file<ScalableBloom>(filter);
            must(series.has_value());
            const auto stored = series->stored();
            run({"unseen", a, "-f", filter, "-q"});
            must(load_file<ScalableBloom>(filter)->stored() == stored);
            break;
        }
        case 5:
            run({"reconcile", a, b, "--bits-per-key", "8", "--for-a", out, "--for-b", filter});
            break;
        case 6: {  // numbers of options
            const std::string number = middle.substr(0, middle.find('\0'));
            for (const char* const option : {"--fpr", "--seed", "-b"})
                run({"build", b, "-o", filter, "-q", option, number, "--spec", spec, "-n", "10"});
            break;
        }
        default:
            run({"build", a, "-o", filter, "-q", "--fold-levels", "2", "-n", "100"});
            run({"build", b, "-o", out, "-q", "--fold-levels", "2", "-n", "100"});
            run({"merge", filter, out, "-o", out});
            run({"fold", out, "-o", filter, "--fpr", "0.3"});
            run({"info", filter});
    }
    return 0;
}
