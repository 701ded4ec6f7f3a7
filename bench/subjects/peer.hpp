// Filters of other libraries, in shared objects that a user compiles (bench/peers).
#pragma once

#include <functional>
#include <map>
#include <string>

namespace simdbloom::bench {

/// Puts the filter of a shared object on the list: "peer:NAME", and "peer:NAME,hashes" if it takes
/// hashes, beside which the main contenders stand as "split256,hashes". Whatever the object does,
/// it does first in a process of its own. Returns its origin. Throws std::runtime_error naming the
/// file and what is wrong with it.
std::string add_peer(const std::string& path);

/// work(faults) in a process of its own; returns its result. If a peer ends that process, hangs in
/// a call or is caught cheating, work() begins again with the path of the peer among the faults,
/// and a text that names both. Throws std::runtime_error with the text of another exception.
int outlive_peers(const std::function<int(const std::map<std::string, std::string>& faults)>& work);

}  // namespace simdbloom::bench
