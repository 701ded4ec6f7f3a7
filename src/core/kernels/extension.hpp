// What an extension or adapter includes to write kernels of its own, over the operations O of any
// ISA. src/fixed shows how: kernel_table.hpp has what a kernel sees and the table of kernels,
// kernels.hpp the kernels, CMakeLists.txt the line that compiles them once for each ISA.
#pragma once

#include "core/kernels/answers.hpp"
#include "core/kernels/driver.hpp"
#include "core/kernels/table.hpp"
