// Random sequences of operations on one filter a usable ISA, against a std::multiset: no key is
// lost, and the bits and answers of all ISAs stay the same.
#include <set>

#include "fuzz.hpp"
#include "simdbloom/detail/layout_traits.hpp"

namespace {

using namespace simdbloom;

struct Subject {
    std::vector<AnyFilter> filters;  // one an ISA
    std::multiset<std::uint64_t> oracle;
    std::uint64_t seed;
    Layout layout;

    std::vector<std::uint64_t> keys_from(Input& input) const {
        std::vector<std::uint64_t> keys(input.byte());
        const std::uint64_t first = input.byte() * 16u, stride = input.byte();
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = first + i * stride % 3000;
        return keys;
    }
    void check_all() const {
        std::vector<std::uint64_t> keys(oracle.begin(), oracle.end());
        for (const auto& filter : filters) {
            must(filter.count(keys) == keys.size());
            must(std::ranges::equal(filter.base().bytes(), filters[0].base().bytes()));
        }
    }
    void insert(std::span<const std::uint64_t> keys, bool singly, bool hashed) {
        std::size_t in = keys.size();
        for (auto& filter : filters) {
            std::size_t done = 0;
            if (singly)
                while (done < keys.size() && filter.try_insert(keys[done])) ++done;
            else if (hashed) done = filter.try_insert(Keys::hashes(hashes(keys)));
            else done = filter.try_insert(keys);
            must(&filter == filters.data() || done == in);
            in = done;
        }
        oracle.insert(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(in));
    }
    std::vector<std::uint64_t> hashes(std::span<const std::uint64_t> keys) const {
        std::vector<std::uint64_t> all(keys.begin(), keys.end());
        for (auto& x : all) x = hash_key(x, seed);
        return all;
    }
    void ask(std::span<const std::uint64_t> keys) const {
        for (const auto& filter : filters)
            must_answer(filter, keys, keys.size(), [&](auto i) {
                const bool hit = filters[0].contains(keys[i]);
                must(hit == filter.contains(keys[i]) && (hit || !oracle.contains(keys[i])));
                return hit;
            });
    }
    // Only of keys that are in: erasing others may take an absent key's place away.
    void erase(std::size_t first, std::size_t n) {
        if (layout.is_bloom() || oracle.empty()) return;
        const auto it =
            std::next(oracle.begin(), static_cast<std::ptrdiff_t>(first % oracle.size()));
        const std::vector<std::uint64_t> keys(
            it, std::next(it, std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(n),
                                                       std::distance(it, oracle.end()))));
        for (auto& filter : filters)
            must(n == 1 ? filter.erase(keys[0]) : filter.erase(keys) == keys.size());
        for (const auto key : keys) oracle.erase(oracle.find(key));
    }
    // A key that is in no filter is erased from none, or is found and so may be erased.
    void erase_stranger(std::uint64_t key) {
        if (layout.is_bloom() || oracle.contains(key)) return;
        for (const auto& filter : filters) {
            AnyFilter copy = filter;
            must(copy.erase(key) ? filter.contains(key)
                                 : std::ranges::equal(copy.base().bytes(), filter.base().bytes()));
        }
    }
    void unite(std::span<const std::uint64_t> keys) {
        if (layout.is_table()) return;
        for (auto& filter : filters) {
            AnyFilter other = filter;
            other.clear();
            other.insert(keys);
            if (auto* counting = filter.get_if<CountingBloom>())
                *counting += *other.get_if<CountingBloom>();
            else filter |= other;
        }
        oracle.insert(keys.begin(), keys.end());
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input{std::span(data, size)};
    const std::string spec(detail::layout_traits[input.byte() % detail::n_layouts].name);
    const std::size_t n = input.byte() * 8u + 1;
    const std::uint64_t seed = input.byte();
    const Layout layout = Layout::parse(spec);
    Subject subject{{}, {}, seed, layout};
    for (const Isa isa : usable_isas())
        subject.filters.push_back(make_filter(spec, n, std::max(18.0, layout.least_bits_per_key()),
                                              {.isa = isa, .seed = seed, .fold_levels = 3}));
    while (!input.left.empty()) {
        switch (const unsigned what = input.byte() % 12) {
            case 0:
            case 1:
            case 2:
                subject.insert(subject.keys_from(input), what == 2, what == 1);
                break;
            case 3:
            case 4:
                subject.ask(subject.keys_from(input));
                break;
            case 5:
                subject.erase(input.byte(), 1);
                break;
            case 6:
                subject.erase_stranger(input.byte() * 12u);
                subject.erase(input.byte(), 70);
                break;
            case 7: {
                const auto saved = save(subject.filters[0]);
                for (auto& filter : subject.filters) {
                    const Isa isa = filter.isa();
                    must(save(filter) == saved);
                    filter = std::move(load(saved, {.isa = isa})).value();
                }
                break;
            }
            case 8:
                subject.unite(subject.keys_from(input));
                break;
            case 9:
                if (layout.is_bloom() && subject.filters[0].base().blocks() % 2 == 0)
                    for (auto& filter : subject.filters) filter = filter.folded(2);
                break;
            case 10:
                for (auto& filter : subject.filters) filter.clear();
                subject.oracle.clear();
                break;
            default:
                for (auto& filter : subject.filters) {
                    AnyFilter copy = filter;
                    filter = std::move(copy);
                }
        }
    }
    subject.check_all();
    return 0;
}
