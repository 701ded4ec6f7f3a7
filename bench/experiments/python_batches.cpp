// The speed of batches of 10^6 keys from Python, as a share of the speed from C++. Both sides have
// the same filter and the same keys, take turns, and are held to find the same number.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/rounds.hpp"
#include "simdbloom/join_rows.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::size_t n = 1'000'000, width = 20;
constexpr unsigned rounds = 31;

/// Python with turns.py, which answers line by line.
class Python {
public:
    explicit Python(const std::string& folder) {
        std::array<int, 2> to{}, from{};
        if (pipe(to.data()) != 0 || pipe(from.data()) != 0)
            throw std::runtime_error("python_batches: no pipe");
        child_ = fork();
        if (child_ < 0) throw std::runtime_error("python_batches: no process");
        if (child_ == 0) {
            dup2(to[0], STDIN_FILENO);
            dup2(from[1], STDOUT_FILENO);
            for (const int fd : {to[0], to[1], from[0], from[1]}) close(fd);
            setenv("PYTHONPATH", SIMDBLOOM_PYTHON_FOLDER, 1);
            execl(SIMDBLOOM_PYTHON_PROGRAM, "python3", SIMDBLOOM_PYTHON_TURNS, folder.c_str(),
                  nullptr);
            _exit(127);
        }
        close(to[0]);
        close(from[1]);
        to_ = fdopen(to[1], "w");
        from_ = fdopen(from[0], "r");
    }
    Python(const Python&) = delete;
    Python& operator=(const Python&) = delete;
    ~Python() {
        std::fclose(to_);
        std::fclose(from_);
        waitpid(child_, nullptr, 0);
    }

    /// The ns that the work took; sets what it found.
    double run(const std::string& work, std::size_t& found) {
        std::fprintf(to_, "%s\n", work.c_str());
        std::fflush(to_);
        double ns = 0;
        if (std::fscanf(from_, "%lf %zu", &ns, &found) != 2)
            throw std::runtime_error("python_batches: Python gave no answer to: " + work);
        return ns;
    }

private:
    pid_t child_ = -1;
    std::FILE *to_ = nullptr, *from_ = nullptr;
};

template <class T>
void write(const std::filesystem::path& path, const std::vector<T>& values) {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(T)));
    if (!out.flush()) throw std::runtime_error("python_batches: cannot write " + path.string());
}

/// Numbers of 31 bits, each another, of which a float64 and an int32 hold every one.
std::vector<std::int64_t> some_keys() {
    std::vector<std::int64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<std::int64_t>(i * 0x9E37'79B1u & 0x7FFF'FFFFu);
    return keys;
}

struct Work {
    std::string name;
    std::function<std::size_t()> work;  ///< returns what it found
    std::vector<double> cpp{}, python{};
};

}  // namespace

int main() {
    const std::string folder =
        (std::filesystem::temp_directory_path() / ("python_batches." + std::to_string(getpid())))
            .string();
    std::filesystem::create_directories(folder);
    const auto keys = some_keys();
    std::vector<char> padded(n * width);
    std::vector<std::string_view> texts;
    for (std::size_t i = 0; i < n; ++i) {
        char* const at = &padded[i * width];
        const int size = std::snprintf(at, width, "key %ld", static_cast<long>(keys[i]));
        texts.emplace_back(at, static_cast<std::size_t>(size));
    }
    const std::vector<std::int32_t> narrow(keys.begin(), keys.end());
    const std::vector<double> doubles(keys.begin(), keys.end());
    // Half of the keys are in the filter.
    auto filter = make_filter("split256", n, 12), of_texts = filter, room = filter;
    filter.insert(std::span(keys).first(n / 2));
    of_texts.insert_keys(std::span(texts).first(n / 2));
    write(folder + "/keys", keys);
    write(folder + "/texts", padded);
    save_file(filter, folder + "/filter");
    save_file(of_texts, folder + "/filter_of_texts");

    const JoinFilter join(filter);
    const JoinRows rows({KeyColumn(keys)}), of_narrow({KeyColumn(narrow)}),
        of_doubles({KeyColumn(doubles)});
    std::vector<std::uint8_t> bits((n + 7) / 8), flags(n);
    std::vector<std::uint32_t> numbers(n);
    std::vector<Work> works;
    const auto int64_bitmap = [&] { return filter.contains(keys, bits); };
    works.push_back({"int64, bitmap", int64_bitmap});
    works.push_back({"int64, bitmap, out=", int64_bitmap});
    works.push_back({"int64, bool", [&] { return rows.bytes(join, flags); }});
    works.push_back({"int64, row numbers", [&] { return filter.select(keys, numbers); }});
    works.push_back({"int64, count", [&] { return filter.count(keys); }});
    works.push_back({"int64, insert", [&] { return room.insert(keys), n; }});
    works.push_back({"int32, bitmap", [&] { return filter.contains(narrow, bits); }});
    works.push_back({"int32, bool", [&] { return of_narrow.bytes(join, flags); }});
    works.push_back({"int32, insert", [&] { return room.insert(narrow), n; }});
    works.push_back({"float64, bitmap", [&] { return of_doubles.bitmap(join, bits); }});
    works.push_back({"float64, bool", [&] { return of_doubles.bytes(join, flags); }});
    works.push_back({"float64, row numbers", [&] { return of_doubles.select(join, numbers); }});
    works.push_back({"int64 of an Arrow array, bitmap", int64_bitmap});
    const auto text_bitmap = [&] { return of_texts.contains_keys(texts, bits); };
    works.push_back({"bytes of an S20 array, bitmap", text_bitmap});
    works.push_back({"str of a list, bitmap", text_bitmap});

    {
        Python python(folder);
        // All rounds of one piece of work at a stretch: behind the texts, which fill the caches, a
        // batch of numbers takes several rounds to come to its speed.
        for (Work& work : works)
            for (unsigned round = 0; round <= rounds; ++round) {
                std::size_t here = 0, there = 0;
                const auto cpp = [&] {
                    here = work.work();  // untimed, as turns.py has it
                    work.cpp.push_back(1e9 * cpu_seconds_of([&] { here = work.work(); }) / n);
                };
                if (round % 2 == 0) cpp();
                work.python.push_back(python.run(work.name, there) / n);
                if (round % 2 != 0) cpp();
                if (here != there)
                    throw std::runtime_error(work.name + ": " + std::to_string(here) +
                                             " found from C++, " + std::to_string(there) +
                                             " from Python");
                if (round == 0) work.cpp.clear(), work.python.clear();  // warms both
            }
    }
    std::filesystem::remove_all(folder);

    std::printf(
        "`split256` at 12 bits a key, batches of %zu keys, half of them in the filter; "
        "medians of %u rounds in turn with 95 %% intervals, CPU time of one thread, each time "
        "after the same batch untimed.\n\n",
        n, rounds);
    print_header({"keys, answers", "C++, ns a key", "Python, ns a key", "share of C++'s speed"});
    for (const Work& work : works)
        print_row({work.name, with_interval(work.cpp), with_interval(work.python),
                   with_interval(ratios(work.cpp, work.python))});
    print_source("python_batches");
}
