#include "members/members.hpp"

#include <string>

#include "measures.hpp"

namespace simdbloom::bench {

std::span<const NamedMember> all_members() {
    static constexpr NamedMember members[] = {{"growing16", 18.2, make_growing_cuckoo}};
    return members;
}

MakeMember find_member(const std::string& name) {
    for (const auto& member : all_members())
        if (name == member.name) return member.make;
    return nullptr;
}

}  // namespace simdbloom::bench
