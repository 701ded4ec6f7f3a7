// The program `simdbloom`.
#include <cstdio>
#include <exception>
#include <iostream>

#include "commands.hpp"

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    CLI::App app("Filters from the command line", "simdbloom");
    app.require_subcommand(1);
    int status = 0;
    using namespace simdbloom::tools;
    for (const auto add : {add_build, add_probe, add_info, add_merge, add_fold, add_unseen, add_reconcile, add_parquet}) add(app, status);
    app.footer("Exit codes: 0 done, 1 an error, 2 a command line that makes no sense, 3 nothing found.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "simdbloom: %s\n", e.what());
        return 1;
    }
    return status;
}
