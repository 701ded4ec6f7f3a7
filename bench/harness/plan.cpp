#include "harness/plan.hpp"

#include <algorithm>

namespace simdbloom::bench {
namespace {

const std::vector<double> equal_space{8, 10, 12, 16, 20};
const std::vector<double> equal_fpr{0.01, 0.001};
constexpr std::uint64_t equal_fpr_keys[] = {160'000,
                                            5'000'000};  // 240 KiB and 7.5 MiB at 12 bits a key

Case at(const Kind& kind, std::uint64_t n_keys, double bits) {
    // The others have few rows, or are not compared in sweeps.
    return {&kind, n_keys, bits, false, kind.role == Role::peer || kind.role == Role::relative};
}

Case at_size(const Kind& kind, std::uint64_t bytes, double wanted_bits) {
    const double bits = kind.bits_at(wanted_bits);
    return at(kind, static_cast<std::uint64_t>(static_cast<double>(bytes) * 8 / bits), bits);
}

/// The other structures of the family, at the size and space of the filters compared.
void add_relatives(Plan& plan, std::uint64_t bytes) {
    for (const Kind& kind : kinds())
        if (kind.role == Role::relative && bytes <= kind.max_bytes) {
            plan.cases.push_back(at_size(kind, bytes, kind.bits_per_key));
            plan.cases.back().every_isa = true;
        }
}

/// Banks, and as many filters one by one.
void add_banks(Plan& plan, std::initializer_list<std::uint64_t> sizes) {
    for (const std::uint64_t bytes : sizes)
        for (const Kind& kind : kinds())
            if (kind.role == Role::bank) {
                Case c = at_size(kind, bytes, kind.bits_per_key);
                c.n_keys -= c.n_keys % kind.sets;
                plan.cases.push_back(c);
            }
}

void add_equal_fpr(Plan& plan, std::uint64_t n_keys) {
    for (const double fpr : equal_fpr)
        for (const Kind& kind : kinds()) {
            // An 8-bit fingerprint reaches 0.1 % only by an empty table.
            if (!kind.bits_for) continue;
            if (const double bits = kind.bits_for(n_keys, fpr); bits <= 40)
                plan.cases.push_back(at(kind, n_keys, bits));
        }
}

// A power of two of at least four times the last-level cache, and 256 MiB at least; unless the
// memory is too small for that. The pages say so then.
std::uint64_t dram_bytes(const Machine& machine) {
    std::uint64_t bytes = std::uint64_t{256} << 20;
    while (bytes < 4 * machine.l3 && 2 * bytes <= machine.memory / 16) bytes *= 2;
    return bytes;
}

std::uint64_t bytes_of(const Case& c) {
    return static_cast<std::uint64_t>(static_cast<double>(c.n_keys) * c.bits_per_key / 8);
}

// The filter, its copies for touch, builds and erases, and the keys of its lookups and builds.
std::uint64_t bytes_to_measure(const Case& c) {
    return 4 * bytes_of(c) + 8 * std::min<std::uint64_t>(c.n_keys, 4'000'000) + (4 << 20);
}

}  // namespace

Plan make_plan(Depth depth, const Machine& machine) {
    // One round trip of 16 million keys takes minutes, of a million half a second.
    const Plan plans[] = {{{}, Depth::quick, 5, 0.002, 2'000'000, 1'000'000},
                          {{}, Depth::standard, 7, 0.01, 10'000'000, 16'000'000},
                          {{}, Depth::full, 25, 0.03, 100'000'000, 16'000'000}};
    Plan plan = plans[static_cast<std::size_t>(depth)];
    const bool quick = depth == Depth::quick, full = depth == Depth::full;

    constexpr std::uint64_t kib = 1024, mib = 1024 * kib;
    const std::uint64_t l1 = std::min<std::uint64_t>(16 * kib, machine.l1d / 2), l2 = 256 * kib,
                        l3 = 8 * mib, dram = dram_bytes(machine);
    for (const std::uint64_t bytes : {l1, l2, l3, dram})
        for (const Kind& kind : kinds()) {
            if (!is_compared(kind.role) && kind.role != Role::hashes) continue;
            if (bytes > kind.max_bytes) continue;
            if (bytes == dram && !full && kind.fills_slowly && !kind.is_main) continue;
            if (bytes == dram && quick && (kind.fills_slowly || !kind.is_main)) continue;
            Case c = at_size(kind, bytes, 12);
            c.every_isa = true;
            c.every_op = !(quick && bytes == dram);
            c.misses = kind.role == Role::contender && bytes != dram &&
                       (full || bytes == l2 || (!quick && bytes <= l3));
            plan.cases.push_back(c);
        }
    for (const std::uint64_t bytes : {l1, l2, l3, dram})
        for (const Kind& kind : kinds())
            if (kind.role == Role::engine && bytes <= kind.max_bytes &&
                !(quick && bytes == dram))  // filling takes a minute
                plan.cases.push_back(at_size(kind, bytes, 12));
    // Time against size, between the sizes above.
    if (!quick)
        for (const std::uint64_t bytes : {64 * kib, mib, 2 * mib, 32 * mib, 128 * mib})
            for (const Kind& kind : kinds())
                if (kind.role == Role::contender &&
                    (bytes <= 2 * mib || kind.is_main || !kind.fills_slowly))
                    plan.cases.push_back(at_size(kind, bytes, 12));
    // Equal space.
    std::vector<std::uint64_t> sizes{l2};
    if (!quick) sizes = {l1, l2, l3};
    for (const std::uint64_t bytes : sizes)
        for (const double bits : equal_space)
            for (const Kind& kind : kinds())
                if (is_compared(kind.role) && bits != 12 && kind.bits_at(bits) == bits)
                    plan.cases.push_back(at_size(kind, bytes, bits));
    for (const std::uint64_t bytes : sizes)
        if (bytes != l1) add_relatives(plan, bytes);
    if (full)
        for (const double bits : {8.0, 16.0, 20.0})
            for (const Kind& kind : kinds())
                if (kind.is_main && !kind.fills_slowly)
                    plan.cases.push_back(at_size(kind, dram, bits));
    for (const std::uint64_t bytes : sizes)
        for (const Kind& kind : kinds())
            for (const double bits : kind.also_at) plan.cases.push_back(at_size(kind, bytes, bits));
    // Equal n: as many keys as the filters of 12 bits a key have at these sizes. The sizes above
    // have the others.
    for (const std::uint64_t bytes : sizes)
        for (const Kind& kind : kinds()) {
            const double bits = kind.bits_at(kind.bits_per_key);
            const std::uint64_t n_keys = bytes * 8 / 12;
            if (bytes != l1 && bits != 12 &&
                static_cast<double>(n_keys) * bits / 8 <= static_cast<double>(kind.max_bytes))
                plan.cases.push_back({&kind, n_keys, bits});
        }
    if (quick) add_banks(plan, {mib, 4 * mib, 8 * mib});
    else add_banks(plan, {mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib});
    // Equal FPR: the same keys for all.
    add_equal_fpr(plan, equal_fpr_keys[0]);
    if (!quick) add_equal_fpr(plan, equal_fpr_keys[1]);
    return plan;
}

Plan make_plan_for_keys(Depth depth, std::uint64_t keys_in_file) {
    Plan plan{};
    plan.depth = depth;
    plan.repetitions = depth == Depth::quick ? 5 : 9;
    plan.seconds_per_repetition = depth == Depth::quick ? 0.002 : 0.01;
    plan.fpr_probes = keys_in_file;  // all that are not inserted
    plan.most_keys_erased = 16'000'000;
    const std::uint64_t n = keys_in_file / 2;
    for (const double bits : equal_space)
        for (const Kind& kind : kinds()) {
            if (!is_compared(kind.role) || (bits != 12 && kind.bits_at(bits) != bits)) continue;
            Case c = at(kind, n, kind.bits_at(bits));
            if (bits == 12) c.every_isa = c.every_op = true;
            plan.cases.push_back(c);
        }
    add_equal_fpr(plan, n);
    for (const Kind& kind : kinds())
        if (!is_compared(kind.role) && kind.role != Role::bank)
            plan.cases.push_back(at(kind, n, kind.bits_per_key));
    return plan;
}

std::vector<std::vector<Case>> turns(const Plan& plan, const Machine& machine) {
    std::vector<std::vector<Case>> all;
    for (const char* const level : {"L1", "L2", "L3", "DRAM"}) {
        std::uint64_t bytes = machine.memory;  // no room: the first case opens a turn
        for (const Case& c : plan.cases) {
            if (machine.level(bytes_of(c)) != level) continue;
            if ((bytes += bytes_to_measure(c)) > machine.memory / 3) {
                all.emplace_back();
                bytes = bytes_to_measure(c);
            }
            all.back().push_back(c);
        }
    }
    return all;
}

bool is_timed(const Plan& plan, const Case& c, const LookupRow& row) {
    if ((row.batch == bank_batch) != (c.kind->role == Role::bank)) return false;
    if (c.kind->role == Role::bank) return row.output != Output::single;
    const bool usual = row.output == row.usual && row.hit_ratio == 0;
    if (c.kind->role == Role::engine)
        return row.batch == standard_batch && (usual || row.output == Output::single);
    if (row.batch != standard_batch)
        return c.every_op && row.best_isa && row.output == Output::bitmap && row.hit_ratio == 0;
    if (!row.best_isa) return usual || (plan.depth == Depth::full && c.every_op);
    if (!c.every_op) return usual;
    const Depth whole = c.kind->role == Role::relative ? Depth::full : Depth::standard;
    if (plan.depth >= whole) return true;
    switch (row.output) {
        case Output::bitmap:
            return true;
        case Output::count:
            return row.hit_ratio != 0.5;
        case Output::select:
            return row.hit_ratio != 1;
        case Output::single:
            return row.hit_ratio != 0.5 || row.usual == Output::single;
    }
    return false;
}

}  // namespace simdbloom::bench
