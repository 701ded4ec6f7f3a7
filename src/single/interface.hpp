// The interface.
#pragma once

/// The layouts: how the bits of a key lie in a block. Their FPRs at 12 bits a key: 0.54 %, 0.42 %,
/// 0.41 %, 1.04 %.
enum class layout : std::uint8_t { split256, sector512, blocked512, register64 };

/// The instruction sets, slowest first of each processor.
enum class isa : std::uint8_t { scalar, sse42, avx2, avx512, avx512bitalg, neon };

/// Whether this header has kernels of that instruction set and this machine runs them.
bool can_run(isa) noexcept;
/// The instruction set that batches run on: the best that the machine has, or the one set.
isa active_isa() noexcept;
/// Runs all batches of the program on that instruction set, for tests; false, and no change, if
/// this machine cannot. Any thread may call it at any time. Results never depend on it.
bool set_isa(isa) noexcept;

/// Blocks and bits a key sets. 0 blocks: there is no such filter.
struct size {
    std::uint64_t blocks = 0;
    unsigned k = 0;
};
/// The fewest blocks whose expected FPR with n keys is at most `fpr`, and the best k for them. No
/// blocks for n = 0, for an FPR outside [1e-12, 1), and beyond 2^32 - 1 blocks.
size size_for_fpr(layout, std::uint64_t n_keys, double fpr);
/// The blocks for that many bits a key, rounded up, and the best k for them. No blocks for n = 0,
/// for bits that are not above 0, and beyond 2^32 - 1 blocks.
size size_for_bits(layout, std::uint64_t n_keys, double bits_per_key);
/// The exact model: the mean FPR of filters of n random keys.
double expected_fpr(layout, size, std::uint64_t n_keys);
/// The bytes of a block: 32, 64, 64 and 8.
constexpr std::size_t block_bytes(layout) noexcept;

/// The hash of a 64-bit integer: what the library gives with this seed.
constexpr std::uint64_t hash(std::uint64_t key, std::uint64_t seed = 0) noexcept;
/// hashes[i] = hash(keys[i], seed) for n keys, a vector at a time. The arrays may be the same.
void hash(const std::uint64_t* keys, std::size_t n, std::uint64_t* hashes,
          std::uint64_t seed = 0) noexcept;

/// A filter whose bits belong to somebody else. Hashes have 64 good bits: those of hash(), or of
/// any function as good. Any number of threads may call const members at the same time; no other
/// member may run at the same time as any other call.
class view {
public:
    view() = default;
    /// `bits` has size.blocks * block_bytes(of) bytes and lies on a multiple of 64. Bits that are
    /// all 0 are a filter of no keys.
    view(layout of, size s, void* bits) noexcept
        : bits_(static_cast<std::byte*>(bits)), size_(s), layout_(of) {}

    layout kind() const noexcept { return layout_; }
    unsigned k() const noexcept { return size_.k; }
    std::uint64_t blocks() const noexcept { return size_.blocks; }
    std::byte* data() noexcept { return bits_; }
    const std::byte* data() const noexcept { return bits_; }
    std::size_t bytes() const noexcept {
        return static_cast<std::size_t>(blocks()) * block_bytes(layout_);
    }
    /// Whether there is a filter at all. No other member may be called without one.
    explicit operator bool() const noexcept { return bits_ != nullptr; }

    bool contains(std::uint64_t hash) const noexcept;
    void insert(std::uint64_t hash) noexcept;

    // Batches of n hashes. Each returns how many of them are found. The output must not overlap
    // the hashes.
    std::size_t count(const std::uint64_t* hashes, std::size_t n) const noexcept;
    /// Bit i % 8 of byte i / 8 says whether hash i is found. Writes (n + 7) / 8 bytes.
    std::size_t contains(const std::uint64_t* hashes, std::size_t n,
                         std::uint8_t* bitmap) const noexcept;
    /// Writes the positions of the hashes found, ascending. There must be room for all n, and n is
    /// at most 2^32.
    std::size_t select(const std::uint64_t* hashes, std::size_t n,
                       std::uint32_t* positions) const noexcept;
    void insert(const std::uint64_t* hashes, std::size_t n) noexcept;

    /// Union: afterwards the filter has the keys of both. False, and no change, unless both have
    /// the same layout, k and number of blocks. The caller must know that the hashes are the same.
    bool merge(const view& other) noexcept;
    void clear() noexcept { std::memset(bits_, 0, bytes()); }

protected:
    std::byte* bits_ = nullptr;
    size size_;
    layout layout_ = layout::split256;
};

/// Why saved bytes are not read.
enum class load_error : std::uint8_t {
    none,
    too_short,  ///< fewer bytes than a header and a checksum
    foreign,    ///< not the saved bytes of a filter
    version,    ///< of another version of the format
    layout,     ///< a layout that this header does not have
    hash,       ///< a keyed hash, or an older one
    parameter,  ///< a number outside its range, or reserved bytes that are not 0
    size,       ///< more or fewer bytes than the header says
    checksum,   ///< something was changed
    memory,     ///< there is not enough
};
const char* to_string(load_error) noexcept;

/// A filter that owns its bits. It can be moved, and copied by copy(). What was moved from, or
/// could not be made, is no filter: operator bool says so.
class filter : public view {
public:
    filter() = default;
    /// No filter where `s` has no blocks or there is no memory. n_keys and seed are only saved.
    filter(layout, size s, std::uint64_t n_keys, std::uint64_t seed = 0) noexcept;
    filter(filter&& other) noexcept { *this = static_cast<filter&&>(other); }
    filter& operator=(filter&& other) noexcept;
    ~filter();

    /// The smallest filter whose expected FPR with n keys is at most `fpr`; as size_for_fpr says.
    static filter for_fpr(layout, std::uint64_t n_keys, double fpr, std::uint64_t seed = 0);
    static filter with_bits_per_key(layout, std::uint64_t n_keys, double bits,
                                    std::uint64_t seed = 0);

    /// The keys it was made for, and the seed that the caller hashes with.
    std::uint64_t n_keys() const noexcept { return n_keys_; }
    std::uint64_t seed() const noexcept { return seed_; }
    /// The hash of a key with the seed of this filter.
    std::uint64_t hash_of(std::uint64_t key) const noexcept { return hash(key, seed_); }

    filter copy() const noexcept { return folded(1); }
    /// A filter of the same keys with a `parts`-th of the size. None unless `parts` divides
    /// blocks().
    filter folded(std::uint64_t parts) const noexcept;

    /// The library's own bytes (format.md).
    std::size_t saved_size() const noexcept { return bytes() + 72; }
    /// Writes saved_size() bytes.
    void save(void* to) const noexcept;
    /// Reads n bytes into `to`, which is left as it was unless `none` is returned.
    static load_error load(const void* from, std::size_t n, filter& to) noexcept;

private:
    void* memory_ = nullptr;
    std::uint64_t n_keys_ = 0, seed_ = 0;
    std::uint8_t key_kind_ = 0;  // of the saved bytes
};
