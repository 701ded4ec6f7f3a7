// The size of a filter by the exact model.
#pragma once

namespace detail {

class FprOfLayout {
public:
    explicit FprOfLayout(layout of) : traits_(traits_of(of)) {}

    double expected(unsigned k, std::uint64_t n, std::uint64_t blocks) {
        fpr::Sum& chance = chance_[k];
        if (chance.empty()) {
            const unsigned words = traits_.block_bits / traits_.word_bits;
            chance = fpr::zoned_sum(words, traits_.word_bits, traits_.zones, k, k);
        }
        const double load = static_cast<double>(n) / static_cast<double>(blocks);
        return fpr::with_floor(fpr::binomial_mean(chance, n, blocks), fpr::hash_floor(load, 32));
    }
    /// The k of least FPR.
    size best(std::uint64_t n, std::uint64_t blocks, double* least) {
        size found{blocks, 0};
        *least = 2;
        for (unsigned k = traits_.k_min; k <= traits_.k_max; ++k) {
            const double f = expected(k, n, blocks);
            if (f < *least) *least = f, found.k = k;
        }
        return found;
    }

private:
    const LayoutTraits& traits_;
    fpr::Sum chance_[17];
};

}  // namespace detail

double expected_fpr(layout of, size s, std::uint64_t n_keys) {
    return s.blocks == 0 ? 0 : detail::FprOfLayout(of).expected(s.k, n_keys, s.blocks);
}

size size_for_bits(layout of, std::uint64_t n_keys, double bits_per_key) {
    if (n_keys == 0 || !(bits_per_key > 0)) return {};
    const double wanted =
        std::ceil(static_cast<double>(n_keys) * bits_per_key / detail::traits_of(of).block_bits);
    if (!(wanted <= static_cast<double>(detail::max_blocks))) return {};
    double least;
    const auto blocks = static_cast<std::uint64_t>(wanted);
    return detail::FprOfLayout(of).best(n_keys, blocks == 0 ? 1 : blocks, &least);
}

size size_for_fpr(layout of, std::uint64_t n_keys, double fpr) {
    if (n_keys == 0 || !(fpr >= 1e-12 && fpr < 1)) return {};
    detail::FprOfLayout model(of);
    size found;
    detail::fewest_blocks(1, detail::max_blocks, [&](std::uint64_t blocks) {
        double expected;
        const size s = model.best(n_keys, blocks, &expected);
        if (expected <= fpr) found = s;
        return expected <= fpr;
    });
    return found;
}
