// The kinds of things a case can be; measure() takes the right one.
#pragma once

#include "harness/measure.hpp"
#include "subjects/member.hpp"

namespace simdbloom::bench {

Outcome measure_peer(const Case& c, const Context& x);
Outcome measure_member(const Case& c, const Context& x, MakeMember make);

/// What makes the member of that name in a plan; nullptr if there is none.
MakeMember find_member(const std::string& name);

}  // namespace simdbloom::bench
