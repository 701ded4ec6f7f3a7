// Times of filters that nobody measured.
#pragma once

#include <vector>

#include "advice/timetable.hpp"

namespace simdbloom::test {

struct MadeUpTimes {
    std::vector<detail::Time> times;
    double noise = 0;
    detail::Caches caches = detail::caches();

    operator FilterTimes() const {
        return FilterTimes(std::make_shared<const detail::Timetable>(times, noise, caches));
    }
};

struct At {
    std::uint64_t bytes;
    double absent, present;
};
/// Every spec has the same times up to one size and from the other one on; a key goes in in 2 ns.
inline MadeUpTimes times_of_all(Isa isa, const At& small, const At& large) {
    MadeUpTimes made;
    for (const std::string_view spec : detail::timed_specs())
        for (const At& at : {small, large})
            made.times.push_back({isa, spec, at.bytes, at.absent, at.present, 2});
    return made;
}

}  // namespace simdbloom::test
