// A Bloom filter that is filled while it is asked.
#pragma once

#include "simdbloom/any/frozen.hpp"

namespace simdbloom::detail {
struct SharedLock;
}

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// A Bloom filter of any layout that threads fill and ask at the same time.
///
/// A key is found by every question that happens after its insert; and of all calls of
/// insert_if_new with one hash at most one returns true, exactly one unless other keys had set all
/// its bits before.
///
/// Every member except freeze() and the destructor may be called by any number of threads at the
/// same time, in batches and singly. An insert that is under way may be found or not. The bits are
/// those of a filter that one thread fills. A key that is found says nothing of other memory: what
/// the thread that inserted it wrote before may not be seen yet.
///
/// insert_if_new takes a lock of one of 256 for a new key, except in the register layouts, where
/// one atomic OR decides; all other calls take none. The locks need 16 KiB. After fork() the child
/// may not call insert_if_new while threads of the parent did: a lock that one of them held stays
/// held.
class ConcurrentBloom : public Interface<ConcurrentBloom, detail::NoBase> {
public:
    /// As make_filter. Throws std::invalid_argument too for a spec that is no Bloom filter.
    ConcurrentBloom(std::string_view spec, std::size_t n_keys, double bits_per_key,
                    Options options = {});
    /// Goes on with the keys of a Bloom filter, for instance of a loaded one or of
    /// make_filter_for_fpr(). Throws std::invalid_argument for any other, and for one that was
    /// moved from.
    explicit ConcurrentBloom(AnyFilter filter);
    // Threads know it by its address.
    ConcurrentBloom(const ConcurrentBloom&) = delete;
    ConcurrentBloom& operator=(const ConcurrentBloom&) = delete;
    ~ConcurrentBloom();

    bool contains_hash(std::uint64_t hash) const noexcept;  ///< whether the key of a hash is found
    void insert_hash(std::uint64_t hash);                   ///< inserts the key of a hash
    bool insert_hash_if_new(std::uint64_t hash);  ///< the same; returns whether it was new

    /// A filter of all keys whose inserts happened before this call. Of inserts that are under way
    /// it may have some bits; no key is missed for that, and the FPR counts them. Its bits come
    /// from the operating system.
    AnyFilter snapshot() const;
    /// The filter itself, without a copy. All other calls have returned, and what follows finds no
    /// keys and takes none (std::invalid_argument, as of a second call).
    FrozenFilter freeze() &&;

    /// The hash of a key, as the calls that take hashes want it.
    template <detail::Key K>
    std::uint64_t hash_of(const K& key) const {
        return bits_->hash_of(key);
    }
    std::uint64_t seed() const noexcept { return bits_->seed(); }      ///< of its hash
    Hashing hashing() const noexcept { return bits_->hashing(); }      ///< how keys are hashed
    KeyKind key_kind() const noexcept { return bits_->key_kind(); }    ///< what the keys are
    std::string spec() const { return bits_->spec(); }                 ///< the layout as text
    const Layout& layout() const noexcept { return bits_->layout(); }  ///< with the k that is used
    Isa isa() const noexcept { return bits_->isa(); }                  ///< whose kernels answer
    std::size_t size_in_bytes() const noexcept { return bits_->size_in_bytes(); }  ///< of the bits
    double bits_per_key() const noexcept { return bits_->bits_per_key(); }  ///< for n_keys() keys
    /// The number of keys that the filter was made for.
    std::uint64_t n_keys() const noexcept { return bits_->n_keys(); }
    /// The FPR with n_keys() keys. That of the keys it has: snapshot().estimated_fpr().
    double expected_fpr() const { return bits_->expected_fpr(); }
    // For the library's own code.
    const detail::KeyHash& key_hash() const noexcept { return *bits_; }
    /// As Interface asks for.
    std::size_t answer(const Keys& keys, detail::Output output, void* out) const;
    std::size_t take(const Keys& keys);

private:
    AnyFilter filter_;
    FilterBase* const bits_;                             // the part of filter_ that has them
    const std::unique_ptr<detail::SharedLock[]> locks_;  // null where a key has one word
};

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
