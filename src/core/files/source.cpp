#include "core/files/source.hpp"

#include <cstring>

namespace simdbloom::detail {

std::array<std::byte, 8> Memory::magic() {
    std::array<std::byte, 8> magic{};
    std::ranges::copy(rest_.first(std::min(rest_.size(), magic.size())), magic.begin());
    return magic;
}

std::optional<LoadError> Memory::read(std::span<std::byte> to) {
    std::ranges::copy(rest_.first(to.size()), to.begin());
    rest_ = rest_.subspan(to.size());
    return std::nullopt;
}

Loaded<SavedBody> Memory::body(Fields header, std::uint64_t n, std::optional<std::uint64_t> behind,
                               const Options& options) {
    const auto bits = rest_.first(static_cast<std::size_t>(n)),
               second = rest_.subspan(bits.size(), static_cast<std::size_t>(behind.value_or(0)));
    rest_ = rest_.subspan(bits.size() + second.size());
    if (const auto misplaced = reinterpret_cast<std::uintptr_t>(bits.data()) % 64;
        borrows_ && misplaced != 0)
        return fault(LoadFault::alignment, "the bytes begin at " + std::to_string(misplaced) +
                                               " modulo 64; a view needs 0");
    SavedBody body;
    (void)read(checksum);
    std::uint64_t hash = hash_bytes(bits, hash_bytes(header));
    if (behind) hash = hash_bytes(second, hash);
    if (checksum != checksum_bytes_of(hash)) return wrong_checksum();
    body.behind.assign(second.begin(), second.end());
    if (borrows_) {
        body.bits = Storage::borrow(bits.data(), bits.size());
    } else {
        body.bits = Storage(n, options);
        if (n != 0) std::memcpy(body.bits.data(), bits.data(), bits.size());
    }
    return body;
}

}  // namespace simdbloom::detail
