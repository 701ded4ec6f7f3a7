// Times. Every probe runs its members in rounds: A B .. B A, then A once more, which is the A/A
// pair, and a chain of dependent multiplications, which gives the clock.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <sstream>

#include "harness/clock.hpp"
#include "harness/keys.hpp"
#include "harness/passes.hpp"
#include "harness/subject.hpp"
#include "replication/probes.hpp"
#include "simdbloom/simdbloom.hpp"

namespace simdbloom::replication {
namespace {

using bench::Keys;
using bench::KeySource;
using bench::Rotation;

constexpr std::size_t batch = 16'384;
constexpr double shortest_pass = 4e-3;  // seconds

struct Member {
    std::string name;
    std::function<void()> work;    // some keys
    double keys;                   // how many
    std::function<void()> warm{};  // brings the filter back after others have used the caches
    unsigned repeats = 1;
    double ns = 0;  // a key, of this round

    double pass() {
        if (warm) warm();
        const double seconds = bench::cpu_seconds_of([&] {
            for (unsigned i = 0; i < repeats; ++i) work();
        });
        return seconds / repeats / keys * 1e9;
    }
};

/// One object a round; extra(members) may add a number called "value".
void print_rounds(Setup& s, std::vector<Member>& members,
                  const std::function<double(const std::vector<Member>&, double)>& extra = {}) {
    for (Member& m : members) {
        const double seconds = m.pass() * m.keys / 1e9;
        m.repeats = static_cast<unsigned>(std::clamp(shortest_pass / seconds, 1.0, 1e5));
    }
    for (std::uint64_t round = 0, rounds = s.count("rounds", 21); round < rounds; ++round) {
        for (Member& m : members) m.ns = m.pass() / 2;
        for (std::size_t i = members.size(); i-- > 0;) members[i].ns += members[i].pass() / 2;
        const double again = members[0].pass(), ghz = bench::clock_ghz();
        std::printf("{\"ns\": {");
        for (const Member& m : members)
            std::printf("%s\"%s\": %.6g", &m == members.data() ? "" : ", ", m.name.c_str(), m.ns);
        std::printf("}, \"again\": %.6g, \"ghz\": %.4g", again, ghz);
        if (extra) std::printf(", \"value\": %.6g", extra(members, ghz));
        std::printf("}\n");
    }
}

std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

/// Filters of one size, by what is asked of them: "SPEC@ISA/WAY", of which ISA and way may be left
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

    Member member(const std::string& text) {
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
        const std::size_t all = keys->all().size() / batch;
        const auto ask = [=](std::size_t batches) {
            return [=] {
                if (filter->isa() != isa) filter->use_isa(isa);
                for (std::size_t i = 0; i < batches; ++i) {
                    const Keys some = keys->next(batch);
                    if (way.empty()) filter->contains(some, answers->bitmap);
                    else if (way == "touch") bench::keep(bench::touch(filter->base(), some));
                    else {
                        std::uint64_t found = 0;
                        for (const std::uint64_t key : some) found += filter->contains(key);
                        bench::keep(found);
                    }
                }
            };
        };
        const std::size_t batches = std::min<std::size_t>(4, all);
        // Two passes over all keys bring a filter back into its cache; larger ones are in none.
        return {text, ask(batches), static_cast<double>(batches * batch),
                ask(std::min<std::size_t>(64, 2 * all))};
    }
    const AnyFilter& filter(const std::string& spec) { return *filled(spec); }

private:
    static Isa isa_called(const std::string& name) {
        if (name == "best") return default_isa();
        for (const Isa isa : usable_isas())
            if (to_string(isa) == name) return isa;
        throw std::invalid_argument("this machine has no instruction set \"" + name + "\"");
    }
    double bits_of(const std::string& spec) const {
        return std::max(bits_, Layout::parse(spec).least_bits_per_key());
    }
    std::uint64_t keys_of(const std::string& spec) const {
        if (keys_ != 0) return keys_;
        return static_cast<std::uint64_t>(8 * static_cast<double>(bytes_) / bits_of(spec));
    }
    Member build(const std::string& text, const std::string& spec, Isa isa) const {
        const auto keys = std::make_shared<std::vector<std::uint64_t>>(keys_of(spec));
        source_.fill(0, keys->data(), keys->size());
        const double bits = bits_of(spec);
        const auto work = [=] {
            auto filter = make_filter(spec, keys->size(), bits, {.isa = isa});
            filter.insert(*keys);
            bench::keep(filter.size_in_bytes());
        };
        return {text, work, static_cast<double>(keys->size())};
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
};

/// The times of all members named, e.g. "classic:k=8@scalar classic:k=8".
void run_times(Setup& s) {
    Bench bench(s);
    std::vector<Member> members;
    for (const std::string& text : words_of(s.text("members")))
        members.push_back(bench.member(text));
    print_rounds(s, members);
}

/// rho = t_l + f t_w of the first member over that of the second, for work t_w in ns.
void run_rho(Setup& s) {
    Bench bench(s);
    const auto specs = words_of(s.text("members"));
    std::vector<Member> members;
    for (const std::string& spec : specs) members.push_back(bench.member(spec));
    const double work = s.number("work_ns");
    print_rounds(s, members, [&](const std::vector<Member>& timed, double) {
        const auto rho = [&](std::size_t i) {
            return timed[i].ns + work * bench.filter(specs[i]).expected_fpr();
        };
        return rho(0) / rho(1);
    });
}

/// The least work t_w, in cycles, from which the first member has a lower rho than every other.
void run_crossing(Setup& s) {
    Bench bench(s);
    const auto specs = words_of(s.text("members"));
    std::vector<Member> members;
    for (const std::string& spec : specs) members.push_back(bench.member(spec));
    print_rounds(s, members, [&](const std::vector<Member>& timed, double ghz) {
        double crossing = 0;
        const double fpr = bench.filter(specs[0]).expected_fpr();
        for (std::size_t i = 1; i < timed.size(); ++i)
            crossing = std::max(crossing, (timed[0].ns - timed[i].ns) /
                                              (bench.filter(specs[i]).expected_fpr() - fpr));
        return crossing * ghz;
    });
}

/// Building a fuse filter and a split block filter of the same keys and asking each a number of
/// keys for each key that was built in: ns a key built.
void run_build_and_ask(Setup& s) {
    const std::uint64_t n = s.count("keys"), probes = s.count("probes_per_key") * n;
    const unsigned check = s.small("check");
    const double bits = s.number("bits_per_key");
    const auto source = KeySource::generated(1);
    std::vector<std::uint64_t> keys(n), strangers(probes);
    source.fill(0, keys.data(), keys.size());
    source.fill(n, strangers.data(), strangers.size());
    const auto count = static_cast<double>(n);
    std::vector<Member> members{
        {"fuse", [&] { bench::keep(BloomierMap::build_filter(keys, check).count(strangers)); },
         count},
        {"split256",
         [&] {
             auto filter = SplitBlockBloom::with_bits_per_key(n, bits);
             filter.insert(keys);
             bench::keep(filter.count(strangers));
         },
         count}};
    print_rounds(s, members);
}

constexpr Probe timed_list[] = {{"times", run_times},
                                {"rho", run_rho},
                                {"crossing", run_crossing},
                                {"build_and_ask", run_build_and_ask}};

}  // namespace

std::span<const Probe> timed_probes() { return timed_list; }

}  // namespace simdbloom::replication
