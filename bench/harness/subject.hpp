// A subject: a structure under measurement, ours or a peer's. A file of bench/subjects/ makes one
// and puts its kind on the list; the harness asks the subject what it can do.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "harness/keys.hpp"
#include "simdbloom/any/any_filter.hpp"
#include "simdbloom/isa.hpp"
#include "touch/touch.hpp"

namespace simdbloom::bench {

/// What a lookup gives: a bit a key, how many are found, the positions of those found, or one
/// answer a call.
enum class Output { bitmap, count, select, single };
inline constexpr Output all_outputs[] = {Output::bitmap, Output::count, Output::select,
                                         Output::single};
/// As in the column `output`.
std::string_view to_string(Output output);

/// Where lookups put their answers.
struct Answers {
    explicit Answers(std::size_t batch, std::size_t sets = 1)
        : bitmap((batch * sets + 7) / 8), positions(batch), counts(sets) {}
    std::vector<std::uint8_t> bitmap;  ///< bit i * sets + s: whether set s may have key i
    std::vector<std::uint32_t> positions;
    std::vector<std::uint64_t> counts;  ///< of each set, where there are several
};

/// Looks the keys up in calls of `batch` keys; each call overwrites the answers of the one before.
/// Returns what keeps the compiler from leaving the work out; Output::single returns how many keys
/// are found.
using Lookup = std::function<std::uint64_t(Keys keys, std::size_t batch, Answers& answers)>;

/// One way to fill the structure from empty; returns the seconds.
struct Build {
    std::string output;  ///< as in the column `output`: "serial" or "parallel"
    unsigned threads;
    std::function<double(Keys)> run;
};

/// What a subject is made for: keys 0 .. n_keys - 1 of the source go in. The source outlives the
/// subject, which may read lines from it.
struct Order {
    const KeySource& keys;
    std::uint64_t n_keys;
    double bits_per_key;  ///< a kind that has one size takes no notice
    std::uint64_t seed = 0;
};

/// A filled structure. What it cannot do is an empty function.
struct Subject {
    std::string name;  ///< as in the column `filter`, parameters included: "bloomier:r=8,f=8"
    std::uint64_t bytes = 0;
    /// How many sets a lookup of a key asks. Their keys are equal parts of the order's.
    std::size_t sets = 1;
    /// The model's FPR, and the standard deviation of one filter's true FPR around it.
    double fpr = 0, deviation = 0;
    bool takes_text = false;  ///< it asks KeySource::text() for each key it is given
    std::vector<Isa> isas;    ///< empty: its rows say "native"
    std::function<void(Isa)> use_isa;
    std::array<Lookup, 4> lookups;
    std::function<std::uint64_t(Keys)> touch;
    /// Of keys that are in: the structure stays as it is. In one call, or a call a key.
    std::function<void(Keys)> insert, insert_each;
    /// Takes all these keys out and puts them in again, in two calls or in two calls a key; the
    /// seconds of each.
    struct Seconds {
        double erase, insert;
    };
    std::function<Seconds(Keys, bool each)> round_trip;
    std::vector<Build> builds;
    std::function<unsigned(std::uint64_t key)> lines;    ///< distinct 64-byte lines a lookup loads
    std::function<Subject(std::uint64_t seed)> sibling;  ///< the same with another seed

    Lookup& operator[](Output o) { return lookups[static_cast<std::size_t>(o)]; }
    const Lookup& operator[](Output o) const { return lookups[static_cast<std::size_t>(o)]; }
    /// The lookup that a program with many keys takes: into a bitmap, else key by key.
    Output usual() const { return (*this)[Output::bitmap] ? Output::bitmap : Output::single; }
    /// How many of the keys are found, in all sets together.
    std::uint64_t count(Keys keys) const;
};

enum class Role {
    contender,  ///< a filter that the report compares at equal space and equal FPR
    peer,       ///< a filter of a library on this system, compared at equal space
    relative,   ///< another structure of the family, measured beside the filters
    engine,     ///< what an engine ships, as this project writes it: in a section of its own
    hashes,     ///< a peer that is given hashes, and contenders beside it: likewise
    bank        ///< many sets, all asked with one key: likewise
};
std::string_view to_string(Role role);
/// Whether the report compares the kind with the other filters.
constexpr bool is_compared(Role role) { return role == Role::contender || role == Role::peer; }

/// One line of the list, which the pages read too (`subjects` in machine.json).
struct Kind {
    std::string name;  ///< in plans, after --only and in pages
    Role role;
    std::function<Subject(const Order&)> make;
    std::string colour{};      ///< in plots
    double bits_per_key = 12;  ///< where no comparison asks for others
    std::size_t sets = 1;      ///< as Subject::sets
    double least_bits = 0;     ///< bits per key below which it cannot be filled
    std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max();
    bool is_main = false;           ///< one of the few that short tables and long sweeps have
    bool fills_slowly = false;      ///< a minute in DRAM
    std::vector<double> also_at{};  ///< bits per key that it is measured at beside the plan's
    /// The bits per key that so many keys need for an FPR; empty if nobody compares it there.
    std::function<double(std::uint64_t n_keys, double fpr)> bits_for{};

    /// The bits per key it is measured at where so many are wanted.
    double bits_at(double wanted) const { return std::max(wanted, least_bits); }
};

/// The list, contenders first. Programs that want it link the object library simdbloom_subjects.
const std::vector<Kind>& kinds();
/// Throws std::out_of_range naming it if there is none.
const Kind& kind(const std::string& name);

/// A static object of this type puts kinds on the list.
struct ListEntry {
    ListEntry(std::initializer_list<Kind> kinds);
};

/// A Lookup made of ask(keys, answers), which answers one call.
template <class Ask>
Lookup by_batches(Ask ask) {
    return [ask](Keys keys, std::size_t batch, Answers& answers) {
        std::uint64_t sum = 0;
        for (std::size_t at = 0; at < keys.size(); at += batch)
            sum += ask(keys.subspan(at, std::min(batch, keys.size() - at)), answers);
        return sum;
    };
}

/// A Lookup of one key a call, has(text), for subjects that take text.
template <class Has>
Lookup by_texts(const KeySource& keys, Has has) {
    return [has, &keys](Keys some, std::size_t, Answers&) {
        std::uint64_t found = 0;
        for (const std::uint64_t& x : some) found += has(keys.text(x));
        return found;
    };
}

/// Seconds that work() takes.
double seconds_of(const std::function<void()>& work);
/// Seconds that this thread, or by CLOCK_PROCESS_CPUTIME_ID all threads, run in work(). The turns
/// of other programs on a busy machine are not among them.
double cpu_seconds_of(const std::function<void()>& work, clockid_t clock = CLOCK_THREAD_CPUTIME_ID);

template <class F>
void insert_one_by_one(F& f, Keys keys, bool hashed) {
    for (const std::uint64_t k : keys) hashed ? (void)f.insert_hash(k) : (void)f.insert(k);
}

/// The subject of a filled structure with the interface that ours share. What F lacks stays empty,
/// and what makes F special the caller sets.
template <class F>
Subject subject_of(std::shared_ptr<F> f, const Order& order) {
    const bool hashed = order.keys.hashed();
    const std::uint64_t key = 0;
    Subject s;
    s.bytes = f->size_in_bytes();
    if constexpr (requires { f->spec(); }) s.name = f->spec();
    if constexpr (requires { f->expected_fpr(); }) s.fpr = f->expected_fpr();
    if constexpr (requires { f->use_isa(Isa::scalar); }) {
        s.isas.assign(usable_isas().begin(), usable_isas().end());
        s.use_isa = [f](Isa isa) { f->use_isa(isa); };
    }
    s[Output::bitmap] = by_batches([f, hashed](Keys keys, Answers& a) {
        f->contains({keys, hashed}, a.bitmap);
        return a.bitmap[0];
    });
    s[Output::count] = by_batches([f, hashed](Keys keys, Answers&) {
        return f->count({keys, hashed});
    });
    if constexpr (requires(Answers a) { f->select(Keys(), a.positions); })
        s[Output::select] = by_batches([f, hashed](Keys keys, Answers& a) {
            return f->select({keys, hashed}, a.positions);
        });
    s[Output::single] = [f, hashed](Keys keys, std::size_t, Answers&) {
        std::uint64_t found = 0;
        for (const std::uint64_t k : keys) found += hashed ? f->contains_hash(k) : f->contains(k);
        return found;
    };
    if constexpr (std::derived_from<F, FilterBase>)
        s.touch = [f, hashed](Keys keys) {
            return hashed ? touch_hashes(*f, keys) : touch(*f, keys);
        };
    if constexpr (requires {
                      f->erase(key);
                      f->insert(Keys());
                  }) {
        // A copy: the lookups of the same group find the structure as it was filled.
        s.round_trip = [f, hashed, copy = std::shared_ptr<F>()](Keys keys, bool each) mutable {
            if (!copy) copy = std::make_shared<F>(*f);
            Subject::Seconds seconds{};
            seconds.erase = cpu_seconds_of([&] {
                if constexpr (requires { f->erase(keys); })
                    if (!each) return (void)(copy->erase({keys, hashed}));
                for (const std::uint64_t k : keys)
                    (void)(hashed ? copy->erase_hash(k) : copy->erase(k));
            });
            seconds.insert = cpu_seconds_of([&] {
                if (each) return insert_one_by_one(*copy, keys, hashed);
                copy->insert({keys, hashed});
            });
            return seconds;
        };
    } else if constexpr (requires { f->insert(Keys()); }) {
        s.insert = [f, hashed](Keys keys) { f->insert({keys, hashed}); };
        s.insert_each = [f, hashed](Keys keys) { insert_one_by_one(*f, keys, hashed); };
    }
    return s;
}

}  // namespace simdbloom::bench
