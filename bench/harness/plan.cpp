#include "harness/plan.hpp"

#include <algorithm>

#include "simdbloom/simdbloom.hpp"
#include "subjects/members.hpp"
#include "subjects/subject.hpp"

namespace simdbloom::bench {
namespace {

const std::vector<std::string> ours{"register32",   "register64",   "split256",   "sector512",
                                    "zoned512:z=2", "zoned512:z=4", "blocked512", "classic",
                                    "cuckoo8",      "cuckoo12",     "cuckoo16"};
const std::vector<double> equal_space{8, 10, 12, 16, 20};
const std::vector<double> equal_fpr{0.01, 0.001};
constexpr std::uint64_t equal_fpr_keys[] = {160'000,
                                            5'000'000};  // 240 KiB and 7.5 MiB at 12 bits a key

bool is_cuckoo(const std::string& name) { return name.starts_with("cuckoo"); }

// The bits per key a filter is measured at where `wanted` are asked: a cuckoo filter cannot be
// denser than its design load allows.
double bits_at(const std::string& name, double wanted) {
    return is_cuckoo(name) ? std::max(wanted, Layout::parse(name).fingerprint_bits() /
                                                  CuckooFilter::max_design_load)
                           : wanted;
}

Case at_size(const std::string& name, std::uint64_t bytes, double wanted_bits) {
    const double bits = bits_at(name, wanted_bits);
    return {name, static_cast<std::uint64_t>(static_cast<double>(bytes) * 8 / bits), bits};
}

/// The other structures of the family, at the size and space of the ten.
void add_family(Plan& plan, std::uint64_t bytes) {
    for (const auto& member : all_members()) {
        if (member.max_bytes != 0 && bytes > member.max_bytes) continue;
        Case c{member.name,
               static_cast<std::uint64_t>(static_cast<double>(bytes) * 8 / member.bits_per_key),
               member.bits_per_key};
        c.family = true;
        c.every_isa = c.every_op = member.make == nullptr;
        plan.cases.push_back(c);
    }
}

void add_equal_fpr(Plan& plan, std::uint64_t n_keys) {
    for (const double fpr : equal_fpr)
        for (const auto& name : ours) {
            const auto filter = make_filter_for_fpr(name, n_keys, fpr);
            // An 8-bit fingerprint reaches 0.1 % only by an empty table.
            if (filter.bits_per_key() < 40)
                plan.cases.push_back({name, n_keys, filter.bits_per_key()});
        }
}

// A power of two well above the last-level cache, 256 MiB at least.
std::uint64_t dram_bytes(const Machine& machine) {
    std::uint64_t bytes = std::uint64_t{256} << 20;
    while (bytes < machine.l3 + machine.l3 / 2) bytes *= 2;
    return bytes;
}

}  // namespace

Plan make_plan(Depth depth, const Machine& machine) {
    Plan plan{};
    plan.repetitions = depth == Depth::quick ? 5 : depth == Depth::standard ? 7 : 25;
    plan.seconds_per_repetition = depth == Depth::quick      ? 0.004
                                  : depth == Depth::standard ? 0.01
                                                             : 0.03;
    plan.fpr_probes = depth == Depth::quick      ? 2'000'000
                      : depth == Depth::standard ? 10'000'000
                                                 : 100'000'000;
    // One round trip of 16 million keys takes minutes, of a million half a second.
    plan.most_keys_erased = depth == Depth::quick ? 1'000'000 : 16'000'000;
    const bool quick = depth == Depth::quick, full = depth == Depth::full;

    constexpr std::uint64_t kib = 1024, mib = 1024 * kib;
    const std::uint64_t l1 = std::min<std::uint64_t>(16 * kib, machine.l1d / 2), l2 = 256 * kib,
                        l3 = 8 * mib, dram = dram_bytes(machine);
    std::vector<std::string> all = ours;
    all.insert(all.end(), std::begin(peer_names), std::end(peer_names));

    for (const std::uint64_t bytes : {l1, l2, l3, dram})
        for (const auto& name : all) {
            if (is_peer(name) && bytes > peer_max_bytes(name)) continue;
            // Filling a classic or cuckoo filter in DRAM takes a minute each.
            if (bytes == dram && (is_cuckoo(name) || name == "classic") && !full) {
                if (quick || (name != "cuckoo12" && name != "classic")) continue;
            }
            if (bytes == dram && quick && name != "register64" && name != "split256" &&
                name != "sector512")
                continue;
            Case c = at_size(name, bytes, 12);
            c.every_isa = true;
            c.every_op = !(quick && bytes == dram);
            c.misses = !is_peer(name) && (full || bytes == l2 || (!quick && bytes <= l3)) &&
                       (bytes != dram);
            plan.cases.push_back(c);
        }
    // Time against size, between the sizes above.
    if (!quick)
        for (const std::uint64_t bytes : {64 * kib, mib, 2 * mib, 32 * mib, 128 * mib})
            for (const auto& name :
                 {"register64", "split256", "sector512", "blocked512", "classic", "cuckoo12"})
                plan.cases.push_back(at_size(name, bytes, 12));
    // Equal space.
    std::vector<std::uint64_t> sizes{l2};
    if (!quick) sizes = {l1, l2, l3};
    for (const std::uint64_t bytes : sizes)
        for (const double bits : equal_space)
            for (const auto& name : all)
                if (bits != 12 && bits_at(name, bits) == bits)
                    plan.cases.push_back(at_size(name, bytes, bits));
    for (const std::uint64_t bytes : sizes)
        if (bytes != l1) add_family(plan, bytes);
    if (full)
        for (const double bits : {8.0, 16.0, 20.0})
            for (const auto& name : {"register64", "split256", "sector512", "blocked512"})
                plan.cases.push_back(at_size(name, dram, bits));
    // At their design load, and at the spec's 1 % for split blocks (parquet-format: 10.5 bits).
    for (const std::uint64_t bytes : sizes)
        for (const auto& [name, bits] :
             {std::pair{"cuckoo8", 8.0}, std::pair{"split256", 10.5}, std::pair{"cuckoo8", 10.5}})
            plan.cases.push_back(at_size(name, bytes, bits));
    // Equal FPR: the same keys for all.
    add_equal_fpr(plan, equal_fpr_keys[0]);
    if (!quick) add_equal_fpr(plan, equal_fpr_keys[1]);
    return plan;
}

Plan make_plan_for_keys(Depth depth, std::uint64_t keys_in_file) {
    Plan plan{};
    plan.repetitions = depth == Depth::quick ? 5 : 9;
    plan.seconds_per_repetition = depth == Depth::quick ? 0.004 : 0.01;
    plan.fpr_probes = keys_in_file;  // all that are not inserted
    plan.most_keys_erased = 16'000'000;
    const std::uint64_t n = keys_in_file / 2;
    for (const double bits : equal_space) {
        for (const auto& name : ours) {
            if (bits != 12 && bits_at(name, bits) != bits) continue;
            Case c{name, n, bits_at(name, bits)};
            c.every_isa = c.every_op = bits == 12;
            plan.cases.push_back(c);
        }
        for (const auto& name : peer_names) plan.cases.push_back({name, n, bits});
    }
    add_equal_fpr(plan, n);
    return plan;
}

}  // namespace simdbloom::bench
