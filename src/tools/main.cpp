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
    simdbloom::tools::add_unseen(app, status);
    simdbloom::tools::add_reconcile(app, status);
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
