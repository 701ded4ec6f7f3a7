#include "simdbloom/growing/growing_cuckoo.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/structure.hpp"
#include "growing/growing_table.hpp"
#include "simdbloom/cuckoo.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace detail {
SIMDBLOOM_SELECT_KERNELS(growing_kernels)
}  // namespace detail
namespace {

constexpr std::uint64_t max_buckets = 0xFFFFFFFFu;
constexpr unsigned all_slot_bits[] = {12, 16, 20};

std::string spec_of(unsigned slot_bits) { return "growing" + std::to_string(slot_bits); }

unsigned slot_bits_of(const Options& options) {
    if (options.spec.empty()) return 16;
    for (const unsigned bits : all_slot_bits)
        if (options.spec == spec_of(bits)) return bits;
    throw detail::argument_error("spec \"", options.spec,
                                 "\" is not one of growing12, growing16, growing20");
}

std::uint64_t bytes_of(std::uint64_t buckets, unsigned slot_bits) {
    return buckets * (slot_bits / 2);
}

unsigned growths_from(std::uint64_t buckets, unsigned slot_bits, std::size_t max_bytes) {
    unsigned n = 0;
    for (; buckets * 2 <= max_buckets &&
           (max_bytes == 0 || bytes_of(buckets * 2, slot_bits) <= max_bytes);
         buckets *= 2)
        ++n;
    return n;
}

double bound_of(unsigned slot_bits, unsigned growths) {
    return fpr::growing_cuckoo_bound(detail::growing_core_bits(slot_bits),
                                     detail::growing_movable_bits(slot_bits), growths);
}

detail::GrowingParts empty_table(std::size_t first_keys, const Options& options) {
    const std::uint64_t roots = detail::growing_roots_for(first_keys);
    const unsigned slot_bits = slot_bits_of(options);
    const std::uint64_t bytes = bytes_of(roots, slot_bits);
    if (options.max_bytes != 0 && bytes > options.max_bytes)
        throw detail::length_error(spec_of(slot_bits), " for ", first_keys, " keys begins with ",
                                   bytes, " bytes, above max_bytes=", options.max_bytes);
    return {.bits_ = detail::Storage(bytes, options),
            .roots_ = roots,
            .first_keys_ = first_keys,
            .slot_bits_ = slot_bits};
}

}  // namespace

std::uint64_t detail::growing_roots_for(std::size_t keys) {
    if (keys == 0) throw detail::argument_error("first_keys=0: a filter needs at least one key");
    const double roots = std::ceil(static_cast<double>(keys) / (4 * CuckooFilter::max_design_load));
    if (roots > static_cast<double>(max_buckets))
        throw detail::length_error("first_keys=", keys, " would need ", roots,
                                   " buckets; at most 2^32 - 1 can be addressed");
    return std::max(static_cast<std::uint64_t>(roots), detail::growing_min_roots);
}

GrowingCuckoo::GrowingCuckoo(detail::GrowingParts parts, const Options& options)
    : Interface(options),
      GrowingParts(std::move(parts)),
      max_bytes_(options.max_bytes),
      allocator_(options.allocator),
      huge_pages_(options.huge_pages) {
    static_assert(std::is_base_of_v<detail::GrowingLengths, decltype(slots_with_)>);
    use_isa(options.isa ? *options.isa : default_isa());
}

GrowingCuckoo::GrowingCuckoo(std::size_t first_keys, Options options)
    : GrowingCuckoo(empty_table(first_keys, options), options) {}

GrowingCuckoo GrowingCuckoo::with_bits_per_key(std::size_t n_keys, double bits_per_key,
                                               Options options) {
    if (!std::isfinite(bits_per_key))
        throw detail::argument_error("bits_per_key=", bits_per_key, " is not finite");
    const double usable = bits_per_key * CuckooFilter::max_design_load;
    unsigned bits = options.spec.empty() ? 20 : slot_bits_of(options);
    if (options.spec.empty())
        while (bits > 12 && usable < bits) bits -= 4;
    if (usable < bits)
        throw detail::argument_error("bits_per_key=", bits_per_key, " is below ",
                                     bits / CuckooFilter::max_design_load, ", the least of ",
                                     spec_of(bits));
    options.spec = spec_of(bits);
    const double keys = static_cast<double>(n_keys) * usable / bits;
    // The constructor throws for too many keys.
    return GrowingCuckoo(keys < 0x1p63 ? static_cast<std::size_t>(keys) : SIZE_MAX, options);
}

GrowingCuckoo GrowingCuckoo::for_fpr(std::size_t first_keys, double fpr, Options options) {
    if (!(fpr > 0 && fpr < 1)) throw detail::argument_error("fpr=", fpr, " is not inside (0, 1)");
    const std::uint64_t roots = detail::growing_roots_for(first_keys);
    const unsigned given = options.spec.empty() ? 0 : slot_bits_of(options);
    double best = 1;
    for (const unsigned bits : all_slot_bits) {
        if (given != 0 && bits != given) continue;
        best = bound_of(bits, growths_from(roots, bits, options.max_bytes));
        if (best > fpr) continue;
        options.spec = spec_of(bits);
        return GrowingCuckoo(first_keys, options);
    }
    throw detail::argument_error(
        "fpr=", fpr, " is below ", best, ", the bound of ", spec_of(given != 0 ? given : 20),
        " grown from ", first_keys, " keys to ",
        (options.max_bytes == 0 ? "2^32 - 1 buckets"
                                : "max_bytes=" + std::to_string(options.max_bytes)));
}

detail::GrowingTarget GrowingCuckoo::target() const noexcept {
    // Lookup kernels do not write through `bits`.
    return {const_cast<GrowingCuckoo*>(this)->bits_.data(), roots_, seed_, growths_,
            detail::prefetching_of(bits_.size())};
}

const detail::GrowingOperations& GrowingCuckoo::operations() const noexcept {
    return detail::growing_operations(slot_bits_);
}

detail::GrowingPlace GrowingCuckoo::place_of(std::uint64_t hash) const noexcept {
    return operations().place(hash, roots_, growths_);
}

std::uint64_t GrowingCuckoo::taken() const noexcept {
    return std::accumulate(slots_with_.begin(), slots_with_.end(), std::uint64_t{0});
}

unsigned GrowingCuckoo::growths_left() const noexcept {
    return growths_from(buckets(), slot_bits_, max_bytes_);
}

bool GrowingCuckoo::put(std::uint64_t hash) noexcept {
    if (!operations().insert(target(), place_of(hash))) return false;
    ++slots_with_[detail::growing_movable_bits(slot_bits_)];
    return true;
}

unsigned GrowingCuckoo::copies_in_table(std::uint64_t hash) const noexcept {
    // At most the table's limit for one key: further matches are other keys.
    return std::min(operations().copies(bits_.data(), place_of(hash)), detail::growing_max_copies);
}

unsigned GrowingCuckoo::copies_of(std::uint64_t hash) const noexcept {
    return copies_in_table(hash) + stash_.copies(hash);
}

InsertResult GrowingCuckoo::place_hash(std::uint64_t hash) {
    check_takes_keys();
    // A key with copies in the stash may fit into the table again.
    if (stash_.contains(hash) && copies_of(hash) >= max_copies)
        return InsertResult::too_many_copies;
    while (!put(hash)) {
        if (copies_of(hash) >= max_copies) return InsertResult::too_many_copies;
        const bool crowded =
            4 * (taken() + stash_.size()) >= 3 * slots() || 16 * stash_.size() >= slots();
        if (crowded && copies_in_table(hash) < detail::growing_max_copies) {
            if (growths_left() == 0) return InsertResult::full;
            grow();
            continue;
        }
        if (max_bytes_ != 0 && bits_.size() + stash_.bytes_with_one_more() > max_bytes_)
            return InsertResult::full;
        stash_.insert(hash);
        break;
    }
    ++stored_;
    return InsertResult::yes;
}

void GrowingCuckoo::grow() {
    Options options;
    options.huge_pages = huge_pages_;
    options.allocator = allocator_;
    detail::Storage larger(2 * bits_.size(), options);
    const std::vector<std::uint64_t> waiting = stash_.sorted();
    operations().split(bits_.data(), buckets(), larger.data());
    bits_.swap(larger);
    ++growths_;
    // Every slot loses one movable bit; slots without any are doubled.
    const std::uint64_t without = slots_with_[0];
    for (std::size_t l = 1; l < slots_with_.size(); ++l) slots_with_[l - 1] = slots_with_[l];
    slots_with_.back() = 0;
    slots_with_[0] += 2 * without;
    for (const std::uint64_t hash : waiting)
        if (put(hash)) stash_.erase(hash);
}

std::size_t GrowingCuckoo::take(const Keys& keys) {
    check_takes_keys();
    return detail::insert_parts(*this, isa_, keys,
                                [&](auto words, bool hashed) { return take_words(words, hashed); });
}

std::size_t GrowingCuckoo::take_words(std::span<const std::uint64_t> words, bool hashed) {
    std::size_t done = 0;
    while (done < words.size()) {
        // Kernels ignore copies in the stash.
        if (stash_.empty()) {
            const std::size_t here = detail::tuned_insert(
                *kernels_, nullptr, target(), {words.data() + done, words.size() - done, hashed});
            slots_with_[detail::growing_movable_bits(slot_bits_)] += here;
            stored_ += here;
            done += here;
            if (done == words.size()) break;
        }
        if (!try_insert_hash(hashed ? words[done] : hash_of(words[done]))) break;
        ++done;
    }
    return done;
}

std::string GrowingCuckoo::refusal(const Keys& key) const {
    const std::uint64_t word = key.words()[0];
    const bool hashed = key.are_hashes();
    const std::string which = (hashed ? "hash " : "key ") + std::to_string(word);
    if (copies_of(hashed ? word : hash_of(word)) >= max_copies)
        return detail::to_text(spec(), " holds ", max_copies, " copies of ", which, " already");
    return detail::to_text(spec(), " has no place for ", which, " with ", stored(),
                           " keys at a load of ", std::to_string(load()), " in ", size_in_bytes(),
                           " bytes, and cannot grow ",
                           (max_bytes_ != 0 && 2 * bits_.size() > max_bytes_
                                ? "within max_bytes=" + std::to_string(max_bytes_)
                                : "beyond 2^32 - 1 buckets"));
}

bool GrowingCuckoo::erase_hash(std::uint64_t hash) noexcept {
    if (!stash_.erase(hash)) {
        const int length = operations().erase(bits_.data(), place_of(hash));
        if (length < 0) return false;
        --slots_with_[static_cast<std::size_t>(length)];
    }
    // For a key never inserted that matched the second copy of a doubled slot.
    if (stored_ != 0) --stored_;
    return true;
}

void GrowingCuckoo::clear() noexcept {
    std::memset(bits_.data(), 0, bits_.size());
    slots_with_.fill(0);
    stash_.clear();
    stored_ = 0;
}

double GrowingCuckoo::load() const noexcept {
    return static_cast<double>(taken()) / static_cast<double>(slots());
}

double GrowingCuckoo::bits_per_key() const noexcept {
    const std::size_t bytes = size_in_bytes();
    return bytes == 0 ? 0 : 8.0 * static_cast<double>(bytes) / static_cast<double>(stored());
}

std::string GrowingCuckoo::spec() const { return spec_of(slot_bits_); }

double GrowingCuckoo::expected_fpr() const {
    return fpr::growing_cuckoo(detail::growing_core_bits(slot_bits_), roots_, growths_,
                               slots_with_);
}

double GrowingCuckoo::fpr_bound() const { return bound_of(slot_bits_, growths_); }
double GrowingCuckoo::final_fpr_bound() const {
    return bound_of(slot_bits_, growths_ + growths_left());
}

void GrowingCuckoo::use_isa(Isa isa) {
    const detail::GrowingKernels& kernels = detail::growing_kernels(isa);
    kernels_ = slot_bits_ == 12 ? &kernels.of12 : slot_bits_ == 16 ? &kernels.of16 : &kernels.of20;
    isa_ = isa;
}

bool GrowingCuckoo::contains_hash(std::uint64_t hash) const noexcept {
    return operations().contains(bits_.data(), place_of(hash)) ||
           (!stash_.empty() && stash_.contains(hash));
}

std::size_t GrowingCuckoo::answer(const Keys& keys, detail::Output output, void* out) const {
    if (stash_.empty()) return detail::answer(*kernels_, target(), *this, isa_, keys, output, out);
    // The stash completes the bitmap of each piece.
    return detail::answer_pieces(*this, isa_, keys, output, out, [&](auto piece, void* to) {
        detail::PieceBitmap in_table;
        kernels_->lookup(target(), {piece.data(), piece.size(), true}, detail::Output::bitmap,
                         in_table.bytes().data());
        return detail::answer_by_hits(
            piece.size(), output, to, [&](std::size_t first, std::size_t n) {
                std::uint64_t hits = in_table.hits(first, n);
                std::uint64_t absent = ~hits & ~std::uint64_t{0} >> (64 - n);
                for (; absent != 0; absent &= absent - 1)
                    if (stash_.contains(
                            piece[first + static_cast<std::size_t>(std::countr_zero(absent))]))
                        hits |= absent & (0 - absent);
                return hits;
            });
    });
}

template class Interface<GrowingCuckoo, detail::KeyHash>;

}  // namespace simdbloom
