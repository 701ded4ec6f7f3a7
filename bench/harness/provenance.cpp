// Prints the line that stands under printed tables, for scripts.
#include <cstdio>

#include "harness/machine.hpp"

int main() { std::puts(simdbloom::bench::describe_machine().provenance().c_str()); }
