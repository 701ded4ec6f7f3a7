// Times. Every probe runs its members in rounds: A B .. B A, then A once more, which is the A/A
// pair.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "core/dispatch/tuner.hpp"
#include "engines/engine.hpp"
#include "harness/passes.hpp"
#include "replication/probes.hpp"
#include "simdbloom/simdbloom.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace simdbloom::replication {

using bench::Contestant;
using bench::Keys;
using bench::KeySource;
using bench::Rotation;

void print_rounds(Setup& s, std::vector<Contestant> members,
                  const std::function<double(const std::vector<double>&, double)>& extra) {
    const std::size_t n = members.size();
    bench::Turns turns(2 * n);
    for (std::size_t i = 0; i < n; ++i) turns[i] = turns[2 * n - 1 - i] = i;
    turns.push_back(n);
    members.push_back(members[0]);
    bench::Timer timer(static_cast<unsigned>(s.count("rounds", 11)), shortest_turn);
    const auto rounds = timer.run(members, turns);
    for (unsigned round = 0; round < timer.rounds(); ++round) {
        std::vector<double> ns;
        for (const Contestant& m : members) ns.push_back(rounded(m.ns_per_key[round]));
        Json sample;
        for (std::size_t i = 0; i < n; ++i) sample["ns"][members[i].name] = ns[i];
        sample["again"] = ns[n];
        sample["ghz"] = rounded(rounds.ghz[round]);
        if (extra) sample["value"] = rounded(extra(ns, rounds.ghz[round]));
        print(sample);
    }
}

namespace {

Isa isa_called(const std::string& name) {
    if (name == "best") return default_isa();
    for (const Isa isa : usable_isas())
        if (to_string(isa) == name) return isa;
    throw std::invalid_argument("this machine has no instruction set \"" + name + "\"");
}

/// Filters of one size, by what they do: "SPEC@ISA/WAY", of which ISA and way may be left
/// out. Ways are "single", one key a call; "touch", the lines alone; "build", making the filter and
/// inserting all keys. Members that name one spec share the filter.
class Bench {
public:
    explicit Bench(Setup& s)
        : keys_(s.has("keys") ? s.count("keys") : 0),
          bytes_(s.has("bytes") ? s.count("bytes") : 0),
          bits_(s.number("bits_per_key")),
          hits_(s.number("hits", 0)) {
        if ((keys_ == 0) == (bytes_ == 0))
            throw std::invalid_argument("a bench takes either keys or bytes");
    }

    Contestant member(const std::string& text) {
        const auto slash = text.find('/'), at = text.find('@');
        const std::string way = slash == std::string::npos ? "" : text.substr(slash + 1),
                          spec = text.substr(0, std::min(at, slash));
        const Isa isa = at == std::string::npos ? default_isa()
                                                : isa_called(text.substr(at + 1, slash - at - 1));
        if (!way.empty() && way != "single" && way != "touch" && way != "build")
            throw std::invalid_argument("no way \"" + way + "\" to ask");
        if (way == "build") return build(text, spec, isa);
        const auto filter = filled(spec);
        const auto keys = rotation(*filter);
        const auto answers = std::make_shared<bench::Answers>(batch);
        const auto ask = [=](Keys some) {
            if (filter->isa() != isa) filter->use_isa(isa);
            if (way.empty()) filter->contains(some, answers->bitmap);
            else if (way == "touch") bench::keep(bench::touch(filter->base(), some));
            else {
                std::uint64_t found = 0;
                for (const std::uint64_t key : some) found += filter->contains(key);
                bench::keep(found);
            }
        };
        return {text, bench::pieces(keys, batch, ask), false,
                bench::warm_seconds_of(filter->size_in_bytes())};
    }
    const AnyFilter& filter(const std::string& spec) { return *filled(spec); }

private:
    double bits_of(const std::string& spec) const {
        return std::max(bits_, Layout::parse(spec).least_bits_per_key());
    }
    std::uint64_t keys_of(const std::string& spec) const {
        if (keys_ != 0) return keys_;
        return keys_in(8 * bytes_, bits_of(spec));
    }
    Contestant build(const std::string& text, const std::string& spec, Isa isa) const {
        // Members share the keys: 800 MB of them for a hundred million.
        if (built_->size() < keys_of(spec)) *built_ = source_.keys(0, keys_of(spec));
        const double bits = bits_of(spec);
        return bench::contestant(text, keys_of(spec), [=, all = built_, n = keys_of(spec)] {
            auto filter = make_filter(spec, n, bits, {.isa = isa});
            filter.insert(Keys(*all).first(n));
            bench::keep(filter.size_in_bytes());
        });
    }
    std::shared_ptr<AnyFilter> filled(const std::string& spec) {
        auto& filter = filters_[spec];
        if (!filter) {
            const auto n = keys_of(spec);
            filter = std::make_shared<AnyFilter>(make_filter(spec, n, bits_of(spec)));
            bench::fill(*filter, source_, n);
        }
        return filter;
    }
    std::shared_ptr<Rotation> rotation(const AnyFilter& filter) const {
        return bench::rotation(source_, filter.n_keys(), filter.size_in_bytes(), hits_);
    }

    KeySource source_ = KeySource::generated(1);
    std::uint64_t keys_, bytes_;
    double bits_, hits_;
    std::map<std::string, std::shared_ptr<AnyFilter>> filters_;
    std::shared_ptr<std::vector<std::uint64_t>> built_ =
        std::make_shared<std::vector<std::uint64_t>>();
};

std::vector<Contestant> members_of(Bench& bench, const std::vector<std::string>& texts) {
    std::vector<Contestant> members;
    for (const std::string& text : texts) members.push_back(bench.member(text));
    return members;
}

/// The times of all members named, e.g. "classic:k=8@scalar classic:k=8".
void run_times(Setup& s) {
    Bench bench(s);
    print_rounds(s, members_of(bench, s.words("members")));
}

/// rho = t_l + f t_w of the first member over that of the second, for work t_w in ns.
void run_rho(Setup& s) {
    Bench bench(s);
    const auto specs = s.words("members");
    const double work = s.number("work_ns");
    print_rounds(s, members_of(bench, specs), [&](const std::vector<double>& ns, double) {
        const auto rho = [&](std::size_t i) {
            return ns[i] + work * bench.filter(specs[i]).expected_fpr();
        };
        return rho(0) / rho(1);
    });
}

/// The least work t_w, in cycles, from which the first member has a lower rho than every other.
void run_crossing(Setup& s) {
    Bench bench(s);
    const auto specs = s.words("members");
    print_rounds(s, members_of(bench, specs), [&](const std::vector<double>& ns, double ghz) {
        double crossing = 0;
        const double fpr = bench.filter(specs[0]).expected_fpr();
        for (std::size_t i = 1; i < specs.size(); ++i)
            crossing =
                std::max(crossing, (ns[0] - ns[i]) / (bench.filter(specs[i]).expected_fpr() - fpr));
        return crossing * ghz;
    });
}

/// Eight words of a line, past the caches.
void store_line(std::uint64_t* to, const std::uint64_t* from) {
#ifdef __SSE2__
    for (int i = 0; i < 8; i += 2)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
#else
    std::memcpy(to, from, 64);
#endif
}

/// The hashes of a large batch, sorted by regions of the filter:
///
///     keys -> hash -> buffer of the region (a line) -> run of the region
class Runs {
public:
    Runs(std::size_t n, unsigned region_bits)
        : bits_(region_bits),
          room_((n / regions() + n / regions() / 8 + 512) & ~std::size_t{7}),
          hashes_(room_ * regions()),
          buffers_(8 * regions()),
          ends_(regions()) {}

    std::size_t regions() const { return std::size_t{1} << bits_; }

    void partition(Keys keys, std::uint64_t seed) {
        std::ranges::fill(ends_, 0);
        for (const std::uint64_t key : keys) {
            const std::uint64_t hash = hash_key(key, seed);
            const std::size_t region = hash >> (64 - bits_), end = ends_[region]++;
            std::uint64_t* const line = buffers_.data() + 8 * region;
            line[end % 8] = hash;
            if (end % 8 == 7) {
                if (end >= room_) throw std::runtime_error("a run is full");
                store_line(hashes_.data() + room_ * region + end - 7, line);
            }
        }
        for (std::size_t r = 0; r < regions(); ++r)
            std::copy_n(buffers_.data() + 8 * r, ends_[r] % 8,
                        hashes_.data() + room_ * r + (ends_[r] & ~std::size_t{7}));
#ifdef __SSE2__
        _mm_sfence();
#endif
    }
    std::span<const std::uint64_t> hashes(std::size_t region) const {
        return {hashes_.data() + room_ * region, ends_[region]};
    }

private:
    unsigned bits_;
    std::size_t room_;
    bench::engines::Words<std::uint64_t> hashes_;
    bench::engines::Words<std::uint64_t> buffers_;  // a line a region
    std::vector<std::size_t> ends_;
};

/// How many times as fast a large batch is if it is partitioned, into the better number of regions.
/// Neither way prefetches, and the filter has small pages. "count" counts keys that are absent but
/// for `hits` of them, "insert" inserts present ones.
void run_partitioned(Setup& s) {
    constexpr std::size_t large = 16 << 20;
    const std::uint64_t n = s.count("keys");
    const std::string operation = s.text("operation");
    if (operation != "count" && operation != "insert")
        throw std::invalid_argument("no operation \"" + operation + "\"");
    const bool inserts = operation == "insert";
    const double hits = inserts ? 1 : s.number("hits", 0);
    AnyFilter filter =
        make_filter(s.text("spec"), n, s.number("bits_per_key"), {.huge_pages = false});
    const auto source = KeySource::generated(1), choice = KeySource::generated(9);
    bench::fill(filter, source, n);
    filter.use_isa(isa_called(s.text("isa")));
    detail::fix_prefetch(detail::Prefetch::none);
    bench::engines::Words<std::uint64_t> memory(large);
    const std::span<std::uint64_t> keys(memory.data(), large);
    for (std::size_t i = 0; i < large; ++i) {
        const std::uint64_t r = choice.key(i);
        keys[i] = source.key(static_cast<double>(r >> 40) < hits * (1 << 24) ? r % n : n + i);
    }
    std::optional<std::uint64_t> right;
    const auto member = [&](const std::string& name, const std::function<std::uint64_t()>& work) {
        return bench::contestant(name, large, [&right, work] {
            const std::uint64_t found = work();
            if (right.value_or(found) != found) throw std::runtime_error("answers differ");
            right = found;
        });
    };
    const auto ask = [&](simdbloom::Keys some) -> std::uint64_t {
        if (!inserts) return filter.count(some);
        filter.insert(some);
        return some.size();
    };
    std::vector<Contestant> members{member("whole", [&] { return ask(simdbloom::Keys(keys)); })};
    for (const unsigned bits : {8U, 10U})
        members.push_back(member(std::to_string(1U << bits),
                                 [&, bits, runs = std::make_shared<Runs>(large, bits)] {
                                     runs->partition(keys, filter.seed());
                                     std::uint64_t found = 0;
                                     for (std::size_t r = 0; r < runs->regions(); ++r)
                                         found += ask(simdbloom::Keys::hashes(runs->hashes(r)));
                                     return found;
                                 }));
    print_rounds(s, members, [](const std::vector<double>& ns, double) {
        return ns[0] / std::min(ns[1], ns[2]);
    });
}

const Probes timed_probes{{"times", run_times, true},
                          {"rho", run_rho, true},
                          {"crossing", run_crossing, true},
                          {"partitioned", run_partitioned, true}};

}  // namespace
}  // namespace simdbloom::replication
