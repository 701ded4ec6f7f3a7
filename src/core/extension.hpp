// What extensions and adapters see of the core beside its public headers. In its place kernels and
// their tables, which have no containers, include core/kernels/extension.hpp, and the source file
// of a structure core/structure.hpp.
#pragma once

#include "core/dispatch/kernels_of.hpp"     // the kernels of an ISA
#include "core/files/saved.hpp"             // the envelope of a structure's bytes; files
#include "core/filters/batches.hpp"         // batches by the fastest way so far
#include "core/filters/eviction.hpp"        // growing tables evict as CuckooFilter does
#include "core/filters/set_operations.hpp"  // union of saved filters, and of parts of a build
#include "core/kernels/xxh64.hpp"           // the checksum of bytes that come in pieces
#include "core/layouts/narrow_word.hpp"     // words of 5 and 6 bytes
#include "core/os/memory.hpp"               // how large are caches and memory?
#include "simdbloom/detail/errors.hpp"      // the texts of errors
