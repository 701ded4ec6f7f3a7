// The tests take the rules of a machine that has no calibration, whoever runs them.
#include <cstdlib>

namespace {
[[maybe_unused]] const int off = setenv("SIMDBLOOM_CALIBRATION", "off", 1);
}
