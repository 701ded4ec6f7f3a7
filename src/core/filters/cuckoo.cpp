#include "simdbloom/cuckoo.hpp"

#include "core/filters/batches.hpp"
#include "core/filters/eviction.hpp"
#include "core/filters/interface.hpp"
#include "core/layouts/cuckoo_bucket.hpp"
#include "simdbloom/cardinality.hpp"
#include "simdbloom/detail/layout_traits.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom {
namespace detail {
namespace {

template <unsigned bits>
struct CuckooTable {
    const Target& t;
    CuckooBucket<bits> load(std::uint64_t bucket) const noexcept {
        return CuckooBucket<bits>::load(t.bits, bucket);
    }
    void store(std::uint64_t bucket, const CuckooBucket<bits>& b) const noexcept {
        b.store(t.bits, bucket);
    }
    std::uint64_t other(std::uint64_t bucket, std::uint32_t tag) const noexcept {
        return cuckoo_alternate(bucket, tag, t.blocks);
    }
};

}  // namespace

// 500 steps look at 2,000 buckets. The 500 steps of Fan et al. 2014 look at one each: they ended at
// a load of 0.9493 with 340 million keys, because the longest of many walks is longer.
bool cuckoo_evict(const Target& t, unsigned fingerprint_bits, std::uint64_t bucket,
                  std::uint64_t other, std::uint32_t tag) noexcept {
    const auto evicts = [&](auto table) { return evict<500>(table, bucket, other, tag); };
    return fingerprint_bits == 8    ? evicts(CuckooTable<8>{t})
           : fingerprint_bits == 12 ? evicts(CuckooTable<12>{t})
                                    : evicts(CuckooTable<16>{t});
}

}  // namespace detail

namespace {

struct Place {
    std::uint64_t bucket, other;
    std::uint32_t tag;
};

Place place_of(std::uint64_t hash, std::uint64_t buckets, unsigned bits) noexcept {
    const std::uint64_t bucket = detail::block_index(hash, buckets);
    const std::uint32_t tag = detail::fingerprint_of(static_cast<std::uint32_t>(hash), bits);
    return {bucket, detail::cuckoo_alternate(bucket, tag, buckets), tag};
}

}  // namespace

CuckooFilter::CuckooFilter(const detail::Geometry& geometry, const Options& options,
                           detail::Storage bits)
    : Interface(geometry, options, std::move(bits)) {
    stored_ = with_width<std::uint64_t>([&]<unsigned bits>() {
        std::uint64_t stored = 0;
        for (std::uint64_t i = 0; i < blocks_; ++i) {
            const auto bucket = detail::CuckooBucket<bits>::load(bits_.data(), i);
            for (unsigned slot = 0; slot < 4; ++slot) stored += bucket.tag(slot) != 0;
        }
        return stored;
    });
}

bool CuckooFilter::try_insert_hash(std::uint64_t hash) {
    check_takes_keys();
    const bool placed = with_width([&]<unsigned bits>() {
        const Place p = place_of(hash, blocks_, bits);
        return detail::cuckoo_place<bits>(target(), p.bucket, p.other, p.tag);
    });
    stored_ += placed;
    return placed;
}

double CuckooFilter::estimated_fpr() const {
    return blocks_ == 0 ? 0 : fpr::expected(layout_, stored_, blocks_);
}

Cardinality CuckooFilter::estimate_keys() const { return {static_cast<double>(stored_), 0}; }

std::size_t CuckooFilter::take(const Keys& keys) {
    check_takes_keys();
    const std::size_t taken = detail::take(*kernels_, target(), *this, isa_, keys);
    stored_ += taken;
    return taken;
}

bool CuckooFilter::erase_hash(std::uint64_t hash) noexcept {
    return with_width([&]<unsigned bits>() {
        const Place p = place_of(hash, blocks_, bits);
        for (const std::uint64_t index : {p.bucket, p.other}) {
            auto bucket = detail::CuckooBucket<bits>::load(bits_.data(), index);
            const std::uint64_t holding = bucket.holding(p.tag);
            if (holding == 0) continue;
            bucket.set(static_cast<unsigned>(__builtin_ctzll(holding)) / bits, 0);
            bucket.store(bits_.data(), index);
            --stored_;
            return true;
        }
        return false;
    });
}

template class Interface<CuckooFilter, FilterBase>;

}  // namespace simdbloom
