#include "subjects/members.hpp"

#include <string>

#include "subjects/measures.hpp"
#include "subjects/subject.hpp"

namespace simdbloom::bench {

std::span<const NamedMember> all_members() {
    static const NamedMember all[] = {
        {"fuse", 12, make_fuse3},
        {"fuse:d=4", 12, make_fuse4},
        {"bloomier:r=8,f=8", 18.7,
         make_bloomier},  // 16 bits a slot, and 1.17 of these a key in 256 KiB
        {"growing16", 18.2, make_growing_cuckoo},
        {"codes:c=9", 12, make_codes},
        {"scheme:enhanced", 12, make_scheme},
        {"scalable", 26, make_series},
        {"leveldb_filter", 12, make_leveldb, peer_max_bytes("leveldb")},
        {"counting", 48, nullptr},  // 12 counters a key
        {"counting512", 48, nullptr},
        {"dleft12", 56.0 / 3, nullptr},  // full to their design load
        {"dleft14", 64.0 / 3, nullptr},
        {"dleft16", 24, nullptr},
    };
    return all;
}

MakeMember find_member(const std::string& name) {
    for (const auto& member : all_members())
        if (name == member.name) return member.make;
    return nullptr;
}

}  // namespace simdbloom::bench
