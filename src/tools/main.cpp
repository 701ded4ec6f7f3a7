// The program `simdbloom`.
#include <cstdio>
#include <exception>
#include <iostream>

#include "commands.hpp"
#include "simdbloom.h"

namespace {

int run(int argc, char** argv) {
    CLI::App app("Filters from the command line", "simdbloom");
    app.require_subcommand(1);
    app.set_version_flag("--version", simdbloom_version());
    int status = 0;
    using namespace simdbloom::tools;
    for (const auto add : {add_build, add_probe, add_info, add_merge, add_fold, add_unseen,
                           add_reconcile, add_parquet, add_convert, add_calibrate, add_advise})
        add(app, status);
    app.footer(
        "Exit codes: 0 done, 1 an error, 2 a command line that makes no sense, 3 nothing found.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "simdbloom: %s\n", without_name(e.what()).c_str());
        return 1;
    }
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    const int status = run(argc, argv);
    // For every command: what was printed has been written, or the program fails.
    const bool printed = static_cast<bool>(std::cout.flush());
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && printed) return status;
    if (status == 0 || status == 3)
        std::fprintf(stderr, "simdbloom: writing to standard output failed\n");
    return 1;
}
