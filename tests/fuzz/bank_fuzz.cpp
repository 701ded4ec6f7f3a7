// Random sequences of operations on a FilterBank or a CompactBank, against a filter of each set:
// every answer is that of the filters, on every instruction set.
#include <sys/mman.h>
#include <unistd.h>

#include "../bank/set_of_pairs.hpp"
#include "fuzz.hpp"
#include "simdbloom/detail/layout_traits.hpp"

namespace {

using namespace simdbloom;

template <class Bank, class Filter>
struct Subject {
    Bank bank;
    std::vector<Filter> filters{};  // one a set
    Options load_options{};
    static constexpr bool compact = std::same_as<Bank, CompactBank>,
                          of_core = std::same_as<Filter, AnyFilter>;

    /// Of a new set; those of a FilterBank are equal.
    static std::size_t keys_of(unsigned byte) {
        constexpr std::size_t sizes[] = {0, 1, 3, 300};
        return compact ? sizes[byte % 4] : 20;
    }
    void add_empty_filters() {
        while (filters.size() < bank.sets()) filters.push_back(empty(filters.size()));
    }
    Filter empty(std::size_t set) const { return test::filter_of_set<Filter>(bank, set); }
    void insert(std::size_t set, const KeyVector& keys, unsigned how) {
        auto hashes = keys;
        for (auto& x : hashes) x = bank.hash_of(x);
        if (how == 0) bank.insert(set, keys);
        else if (how == 1) bank.insert(set, Keys::hashes(hashes));
        else
            for (const auto key : keys) bank.insert(set, key);
        filters[set].insert(keys);
    }
    void ask(const KeyVector& keys, std::size_t least) {
        const std::size_t bytes = bank.bitmap_bytes(), sets = bank.sets();
        must(sets == filters.size() && bytes == (sets + 63) / 64 * 8);
        std::vector<std::uint8_t> expected(keys.size() * bytes), found(expected);
        std::vector<std::uint64_t> expected_counts(sets), counts(sets, 9);
        std::vector<std::uint32_t> all, of_many;
        for (std::size_t s = 0; s < sets; ++s) {
            for (std::size_t i = 0; i < keys.size(); ++i)
                if (filters[s].contains(keys[i])) {
                    ++expected_counts[s];
                    expected[i * bytes + s / 8] |= static_cast<std::uint8_t>(1u << s % 8);
                    if (i == 0) all.push_back(static_cast<std::uint32_t>(s));
                }
            if (expected_counts[s] >= least) of_many.push_back(static_cast<std::uint32_t>(s));
        }
        for (const Isa isa : usable_isas()) {
            bank.use_isa(isa);
            bank.contains(keys, found);
            must(found == expected);
            bank.count_per_set(keys, counts);
            must(counts == expected_counts);
            must(bank.select_sets(keys, least) == of_many);
            if (keys.empty()) continue;
            must(bank.select(keys[0]) == all && bank.count(keys[0]) == all.size());
            bank.contains(keys[0], std::span(found).first(bytes));
            must(found == expected);
        }
    }
    /// A change that is refused changes nothing.
    template <class Error, class Change>
    void must_refuse(const Change& change) {
        const auto before = save(bank);
        try {
            change();
        } catch (const Error&) {
            must(save(bank) == before);
            return;
        }
        must(false);
    }
    void resize(std::size_t sets, std::size_t keys) {
        const auto before = save(bank);
        try {
            if constexpr (compact) bank.resize(sets, keys);
            else bank.resize(sets);
        } catch (const std::length_error&) {  // max_bytes
            must(save(bank) == before);
            return;
        }
        while (filters.size() > sets) filters.pop_back();
        add_empty_filters();
    }
    void map_and_copy() {
        const auto bytes = save(bank);
        const int fd = ::memfd_create("bank", 0);
        must(::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
        auto mapped = map_file<Bank>("/proc/self/fd/" + std::to_string(fd), load_options).value();
        ::close(fd);
        bank = std::move(mapped);
        must_refuse<std::invalid_argument>([&] { bank.insert(0, std::uint64_t{1}); });
        must_refuse<std::invalid_argument>([&] { bank.clear_set(0); });
        must_refuse<std::invalid_argument>([&] { bank.clear(); });
        ask(some_keys(9), 1);
        bank = Bank(bank);
        must(save(bank) == bytes);
    }
};

template <class Filter, class Bank>
void run(Bank made, Input input, const Options& options) {
    Subject<Bank, Filter> subject{std::move(made), {}, options};
    auto& bank = subject.bank;
    subject.add_empty_filters();
    const auto keys = [&] {
        KeyVector some(input.byte() % 80);
        const std::uint64_t first = input.byte(), stride = input.byte();
        for (std::size_t i = 0; i < some.size(); ++i) some[i] = first + i * stride % 300;
        return some;
    };
    const auto set = [&] { return (input.byte() * 256u + input.byte()) % bank.sets(); };
    while (!input.left.empty()) {
        switch (const unsigned what = input.byte() % 12) {
            case 0:
            case 1:
            case 2: {
                const std::size_t into = set();
                subject.insert(into, keys(), what);
                break;
            }
            case 3: {
                const auto some = keys();
                subject.ask(some, input.byte() % 100);
                break;
            }
            case 4:
                subject.resize(bank.sets() + 1, subject.keys_of(input.byte()));
                break;
            case 5: {
                const std::size_t s = set();
                bank.clear_set(s);
                subject.filters[s] = subject.empty(s);
                break;
            }
            case 6: {
                const std::size_t sets = input.byte() * 3u + 1;
                subject.resize(sets, subject.keys_of(input.byte()));
                break;
            }
            case 7: {
                const auto bytes = save(bank);
                must(bytes.size() == saved_size(bank));
                bank = load<Bank>(bytes, options).value();
                must(save(bank) == bytes);
                break;
            }
            case 8:
                subject.map_and_copy();
                break;
            case 9: {
                Bank copy = bank;
                bank = copy;
                Bank& self = bank;
                bank = self;
                bank = std::move(copy);
                must(copy.sets() == 0 && copy.select(std::uint64_t{1}).empty());
                bank = std::move(self);
                break;
            }
            case 10:
                bank.clear();
                for (std::size_t s = 0; s < bank.sets(); ++s) subject.filters[s] = subject.empty(s);
                break;
            default:
                subject.template must_refuse<std::out_of_range>(
                    [&] { bank.insert(bank.sets() + input.byte(), keys()); });
                if constexpr (subject.compact) {
                    const std::size_t n = subject.keys_of(input.byte());
                    subject.resize(bank.sets() + 1, n);
                } else if constexpr (subject.of_core) {
                    std::vector<const FilterBase*> bases;
                    for (const auto& filter : subject.filters) bases.push_back(&filter.base());
                    const auto of = FilterBank::of(bases);
                    must(std::ranges::equal(of.bytes(), bank.bytes()));
                }
        }
    }
    subject.ask(some_keys(60), 1);
}

template <class Filter>
int run_either(const char* spec, Input input) {
    const Options options{.seed = input.byte(), .max_bytes = std::size_t{1} << 18, .spec = spec};
    const unsigned sets = input.byte() + 1;
    if (input.byte() % 2 == 0) {
        run<Filter>(FilterBank::with_bits_per_key(sets, 20, 12, options), input, options);
    } else {
        std::vector<std::size_t> sizes(sets);
        for (auto& n : sizes) n = Subject<CompactBank, Filter>::keys_of(input.byte());
        run<Filter>(CompactBank::with_bits_per_key(sizes, 12, options), input, options);
    }
    return 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input{std::span(data, size)};
    const unsigned number = input.byte() % (detail::n_layouts + 1);
    if (number == detail::n_layouts)
        return run_either<test::SetOfPairs>(input.byte() % 2 == 0 ? "paired512" : "paired512:k=4",
                                            input);
    const std::string name(detail::layout_traits[number].name);
    return Layout::parse(name).is_bloom() ? run_either<AnyFilter>(name.c_str(), input) : 0;
}
