// The peer libbloom, as installed on this system.
#include <bloom.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "harness/subject.hpp"
#include "simdbloom/fpr.hpp"

namespace simdbloom::bench {
namespace {

Subject make_libbloom(const Order& order) {
    const std::shared_ptr<bloom> b(new bloom{}, [](bloom* old) {
        bloom_free(old);
        delete old;
    });
    // libbloom is sized by error rate: the one whose optimal size is these bits.
    const double error = std::exp(-order.bits_per_key * std::numbers::ln2 * std::numbers::ln2);
    if (bloom_init(b.get(), static_cast<int>(order.n_keys), error) != 0)
        throw std::runtime_error("libbloom refuses " + std::to_string(order.n_keys) + " keys");
    Subject s;
    s.name = "libbloom";
    s.bytes = static_cast<std::uint64_t>(b->bytes);
    // Two independent 32-bit hashes: the classic formula holds.
    const auto k = static_cast<unsigned>(b->hashes);
    s.fpr = fpr::classic(b->bits, static_cast<double>(order.n_keys), k);
    s.deviation = fpr::deviation({LayoutKind::classic, k, 0}, order.n_keys,
                                 std::max<std::uint64_t>(1, s.bytes / 8));
    s.takes_text = true;
    s[Output::single] = by_texts(order.keys, [b](std::string_view key) {
        return bloom_check(b.get(), key.data(), static_cast<int>(key.size())) == 1;
    });
    s.insert_each = [b, &keys = order.keys](Keys some) {
        for (const std::uint64_t& x : some) {
            const auto key = keys.text(x);
            bloom_add(b.get(), key.data(), static_cast<int>(key.size()));
        }
    };
    for_keys(order.keys, 0, order.n_keys, s.insert_each, s.takes_text);
    return s;
}

// libbloom counts bits in an int.
const ListEntry libbloom_entry{{.name = "libbloom",
                                .role = Role::peer,
                                .make = make_libbloom,
                                .colour = "#bcbd22",
                                .max_bytes = std::uint64_t{200} << 20}};

}  // namespace
}  // namespace simdbloom::bench
