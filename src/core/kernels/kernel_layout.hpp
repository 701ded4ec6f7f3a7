// What a layout must have so that the driver takes batches through it. It may have
//   tests_hashes, true         batches of hashes have a loop of their own
//   insert_chunk               inserts are staged in chunks of fewer keys than chunk_keys
#pragma once

#include <concepts>
#include <type_traits>

#include "core/kernels/ops/scalar.hpp"
#include "core/kernels/table.hpp"

namespace simdbloom::detail {
namespace {

/// The kernel of a variant of a layout, over the operations O of an ISA: `type`, beside the kernel.
template <class O, LayoutKind kind, unsigned variant>
struct KernelOf;

template <class L>
struct TargetOfLayout : std::type_identity<Target> {};
template <class L>
requires requires { typename L::Target; }
struct TargetOfLayout<L> : std::type_identity<typename L::Target> {};
/// What the kernels of L see: L::Target if L has one.
template <class L>
using TargetOf = typename TargetOfLayout<L>::type;

/// has<Member, L>: whether L has that member. In C++17, as the driver is: src/single.
template <template <class> class Member, class L, class = void>
constexpr bool has = false;
template <template <class> class Member, class L>
constexpr bool has<Member, L, std::void_t<Member<L>>> = true;

template <class L>
using StageInsert = decltype(&L::stage_insert);
template <class L>
using OwnLookup = decltype(&L::lookup);
template <class L>
using TestHashes = std::enable_if_t<L::tests_hashes>;
template <class L>
using TestKey = decltype(&L::test_key);
template <class L>
using FewInsertsBelow = decltype(L::few_inserts_below);

/// What every layout has that kernels look things up in.
template <class L, class O>
concept LookupLayout = requires(const TargetOf<L>& t, typename O::V hashes,
                                typename L::Stage& stage, const typename L::Stage& staged,
                                std::size_t i) {
    // Arrays for one chunk. stage() fills those of the keys i .. i + O::lanes.
    L::stage(t, hashes, stage, i);
    // Prefetches the lines of these keys.
    L::prefetch(t, staged, i);
    // Batches of fewer keys go key by key: few() of driver.hpp.
    { L::few_below } -> std::convertible_to<std::uint32_t>;
}
&&
    // Tests the keys staged from `at` on; answers go to bit i and those after it. Or a whole batch.
    (
        requires(const TargetOf<L>& t, const typename L::Stage& staged, std::size_t i,
                 typename L::Answers& answers) {
            L::test(t, staged, i, answers, i);
            { answers.hits() } -> std::same_as<std::uint64_t>;
        } ||
        requires(const TargetOf<L>& t, const Batch& batch, Output output, void* out) {
            { L::lookup(t, batch, output, out) } -> std::same_as<std::size_t>;
        }) &&
    // One key, or the same layout over other operations, which few() asks for one key.
    (
        requires(const TargetOf<L>& t, std::uint64_t hash) {
            { L::test_key(t, hash) } -> std::convertible_to<bool>;
        } ||
        requires { typename L::template Over<Ops<ScalarArch>>; });

/// A layout that is filled by kernels too.
template <class L, class O>
concept KernelLayout = LookupLayout<L, O> &&
    requires(const TargetOf<L>& t, const typename L::Stage& staged, std::size_t i, std::size_t n) {
    // Inserts n <= O::lanes keys from i on; returns how many went in. A layout whose inserts
    // need another stage has stage_insert() too.
    { L::insert(t, staged, i, n) } -> std::same_as<std::size_t>;
};

}  // namespace
}  // namespace simdbloom::detail
