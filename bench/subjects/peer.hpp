// Filters of other libraries, in shared objects that a user compiles (bench/peers).
#pragma once

#include <string>

namespace simdbloom::bench {

/// Puts the filter of a shared object on the list: "peer:NAME", and "peer:NAME,hashes" if it takes
/// hashes, beside which the main contenders stand as "split256,hashes". Whatever the object does,
/// it does first in a process of its own. Returns its origin. Throws std::runtime_error naming the
/// file and what is wrong with it.
std::string add_peer(const std::string& path);

}  // namespace simdbloom::bench
