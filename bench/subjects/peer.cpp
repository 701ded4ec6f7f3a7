#include "subjects/peer.hpp"

#include <dlfcn.h>
#include <malloc.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string_view>

#include "harness/passes.hpp"
#include "peers/simdbloom_peer.h"

namespace simdbloom::bench {
namespace {

using Interface = struct simdbloom_peer;
using Calls = simdbloom_peer_calls;
constexpr double no_bits = std::numeric_limits<double>::infinity();

/// What a child of in_child() says to its parent, in memory of both.
struct Watched {
    std::atomic<double> since = 0;  ///< seconds; when the call of a peer began, 0: in none
    std::atomic<bool> threw = false;
    char path[4096] = "";  ///< of the peer that was called last
};
Watched* watched = nullptr;  ///< of this process, if it is such a child

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Stands while a peer works. What is destroyed after an exception changes nothing.
class Call {
public:
    explicit Call(const std::string& path)
        : in_(std::uncaught_exceptions() == 0 ? watched : nullptr) {
        if (in_ == nullptr) return;
        before_ = in_->since;
        in_->path[path.copy(in_->path, sizeof in_->path - 1)] = 0;
        if (before_ == 0) in_->since = seconds();
    }
    ~Call() {
        if (in_ == nullptr) return;
        in_->since = before_;
        in_->threw = std::uncaught_exceptions() != 0;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

private:
    Watched* in_;
    double before_ = 0;
};

/// Why in_child() gives nothing.
struct Ended : std::runtime_error {
    Ended(const std::string& why, std::string peer = "")
        : std::runtime_error(why), path(std::move(peer)) {}
    std::string path;  ///< of the peer at fault, if one is
};

/// work() in a process of its own, which may crash, or hang in a Call. Returns what it returned;
/// throws Ended with what it threw or how it ended.
std::string in_child(const std::function<std::string()>& work) {
    const char* const limit = std::getenv("SIMDBLOOM_PEER_SECONDS");
    const double most_seconds = limit == nullptr ? 300 : std::atof(limit);
    if (!(most_seconds > 0))
        throw Ended(std::string("SIMDBLOOM_PEER_SECONDS=") + limit + " is no number above 0");
    void* const memory =
        mmap(nullptr, sizeof(Watched), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int ends[2];
    if (memory == MAP_FAILED || pipe(ends) != 0) throw Ended("no memory or pipe can be shared");
    const std::shared_ptr<Watched> shared(new (memory) Watched,
                                          [](Watched* old) { munmap(old, sizeof *old); });
    const pid_t child = fork();
    if (child < 0) {
        close(ends[0]), close(ends[1]);
        throw Ended("no process can be started");
    }
    if (child == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        watched = shared.get();
        std::string said;
        try {
            said = "+" + work();
        } catch (const std::exception& e) {
            const bool faulty = watched->threw || dynamic_cast<const Cheats*>(&e) != nullptr;
            if (!faulty) watched->path[0] = 0;
            said = std::string("-") + e.what();
        } catch (...) {
            said = "-threw something that is no std::exception";
        }
        const bool sent = write(ends[1], said.data(), said.size()) >= 0;
        _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    std::string said;
    int status = 0;
    bool late = false, gone = false;
    for (char text[512]; !late && !gone;) {
        pollfd ready{ends[0], POLLIN, 0};
        if (poll(&ready, 1, 1000) == 0) {  // a process of the peer's may keep the pipe open
            late = shared->since != 0 && seconds() - shared->since > most_seconds;
            gone = waitpid(child, &status, WNOHANG) == child;
            continue;
        }
        const ssize_t n = read(ends[0], text, sizeof text);
        if (n <= 0) break;
        said.append(text, static_cast<std::size_t>(n));
    }
    close(ends[0]);
    kill(-child, SIGKILL);
    if (!gone) waitpid(child, &status, 0);
    if (!said.empty() && said[0] == '+') return said.substr(1);
    char took[64];
    std::snprintf(took, sizeof took, "took more than %g s", most_seconds);
    throw Ended(!said.empty()         ? said.substr(1)
                : late                ? took
                : WIFSIGNALED(status) ? std::string("was ended by ") + strsignal(WTERMSIG(status))
                                      : "called exit(" + std::to_string(WEXITSTATUS(status)) + ")",
                shared->path);
}

struct Peer {
    const Interface* of;
    const Calls* calls;
    std::string name;  ///< with what it takes
    std::string path;
};

/// Throws std::runtime_error with what is wrong.
const Interface& load(const std::string& path) {
    // A path without a slash would be looked up where libraries are.
    void* const object = dlopen(path.find('/') == path.npos ? ("./" + path).c_str() : path.c_str(),
                                RTLD_NOW | RTLD_LOCAL);
    if (object == nullptr) throw std::runtime_error(dlerror());
    using Entry = const Interface*();
    const auto entry = reinterpret_cast<Entry*>(dlsym(object, "simdbloom_peer"));
    if (entry == nullptr) throw std::runtime_error("has no function simdbloom_peer");
    const Interface* const peer = entry();
    if (peer == nullptr) throw std::runtime_error("simdbloom_peer() returns NULL");
    if (peer->version != SIMDBLOOM_PEER_VERSION)
        throw std::runtime_error("has version " + std::to_string(peer->version) +
                                 "; this report takes version " +
                                 std::to_string(SIMDBLOOM_PEER_VERSION));
    const std::string_view name = peer->name == nullptr ? "" : peer->name;
    constexpr std::string_view marks = "._+-";
    if (name.empty() || name.size() > 40 || !std::ranges::all_of(name, [&](unsigned char c) {
            return std::isalnum(c) != 0 || marks.find(static_cast<char>(c)) != marks.npos;
        }))
        throw std::runtime_error("its name is not 1 to 40 letters, digits and ._+-");
    const double least = peer->least_bits_per_key;
    if (!(least >= 0 && least <= 1000))
        throw std::runtime_error("least_bits_per_key=" + std::to_string(least) +
                                 " is not from 0 to 1000");
    for (const Calls* calls : {&peer->keys, &peer->hashes})
        if (calls->insert != nullptr && calls->contains == nullptr)
            throw std::runtime_error("has insert without contains");
    if (peer->make == nullptr || peer->destroy == nullptr || peer->bytes == nullptr ||
        (peer->keys.insert == nullptr && peer->hashes.insert == nullptr))
        throw std::runtime_error("lacks make, destroy, bytes, or insert of keys and of hashes");
    return *peer;
}

std::shared_ptr<void> make(const Peer& peer, const Order& order) {
    const Call call(peer.path);
    const std::shared_ptr<void> filter(peer.of->make(order.n_keys, order.bits_per_key, order.seed),
                                       [of = peer.of, path = peer.path](void* old) {
                                           const Call last(path);
                                           if (old != nullptr) of->destroy(old);
                                       });
    const std::string what = std::to_string(order.n_keys) + " keys at " +
                             std::to_string(order.bits_per_key) + " bits a key";
    if (!filter) throw std::length_error("make() refuses " + what);
    for_keys(order.keys, 0, order.n_keys, [&](Keys piece) {
        if (peer.calls->insert(filter.get(), piece.data(), piece.size()) != 0)
            throw std::length_error("insert() finds no place for one of " + what);
    });
    const std::uint64_t bytes = peer.of->bytes(filter.get());
    if (bytes == 0 || bytes > (std::uint64_t{1} << 46))
        throw std::length_error("bytes() is " + std::to_string(bytes) + " for " + what);
    return filter;
}

double absent_found(const Peer& peer, const void* filter, const Order& order,
                    std::uint64_t probes) {
    double found = 0;
    for_keys(order.keys, order.n_keys, order.n_keys + probes, [&](Keys piece) {
        for (const std::uint64_t key : piece) found += peer.calls->contains(filter, key) != 0;
    });
    return found;
}

/// f: filled as ordered.
Subject subject(const Peer& peer, const Order& order, const std::shared_ptr<void>& f) {
    const Calls calls = *peer.calls;
    const std::string path = peer.path;
    Subject s;
    s.name = peer.name;
    s.bytes = peer.of->bytes(f.get());
    s.fpr = std::nan("");
    s[Output::single] = [f, calls, path](Keys keys, std::size_t, Answers&) {
        const Call call(path);
        if (calls.count != nullptr) return calls.count(f.get(), keys.data(), keys.size());
        std::uint64_t found = 0;
        for (const std::uint64_t key : keys) found += calls.contains(f.get(), key) != 0;
        return found;
    };
    if (calls.bitmap != nullptr)
        s[Output::bitmap] = [f, calls, path](Keys keys, std::size_t batch, Answers& a) {
            const Call call(path);
            // With room for all calls, the answers of each call follow those of the last.
            const std::size_t bytes = (batch + 7) / 8, n = keys.size(),
                              step = a.bitmap.size() < n / batch * bytes ? 0 : bytes;
            std::uint8_t* bits = a.bitmap.data();
            for (std::size_t at = 0; at < n; at += batch, bits += step)
                calls.bitmap(f.get(), keys.data() + at, std::min(batch, n - at), bits);
            return std::uint64_t{a.bitmap[0]};
        };
    const auto take = [path](auto go) {
        return [go, path](void* filter, Keys keys, bool each) {
            const Call call(path);
            if (!each) return (void)go(filter, keys.data(), keys.size());
            for (const std::uint64_t& key : keys) (void)go(filter, &key, 1);
        };
    };
    const auto insert = take(calls.insert);
    if (calls.erase == nullptr) {
        s.insert = [f, insert](Keys keys) { insert(f.get(), keys, false); };
        s.insert_each = [f, insert](Keys keys) { insert(f.get(), keys, true); };
    } else {
        s.round_trip = [insert, erase = take(calls.erase), of = peer, order,
                        copy = std::shared_ptr<void>()](Keys keys, bool each) mutable {
            if (!copy) copy = make(of, order);
            Subject::Seconds seconds{};
            constexpr auto all_threads = CLOCK_PROCESS_CPUTIME_ID;
            seconds.erase = cpu_seconds_of([&] { erase(copy.get(), keys, each); }, all_threads);
            seconds.insert = cpu_seconds_of([&] { insert(copy.get(), keys, each); }, all_threads);
            return seconds;
        };
    }
    s.sibling = [peer, order](std::uint64_t seed) {
        const Order other{order.keys, order.n_keys, order.bits_per_key, seed};
        return subject(peer, other, make(peer, other));
    };
    return s;
}

/// Of memory, that this process has.
double resident_bytes() {
    malloc_trim(0);
    double all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Keys can go in again. Bitmaps of every length up to 130 and of 1,000 keys are those of single
/// keys, and nothing is written behind them. With b bits a key no filter has an FPR below 2^-b.
/// It takes the memory that it says. Lookups go as they will be timed; between them, nothing works.
void examine(const Peer& peer, const Order& order) {
    const Call call(peer.path);
    const double before = resident_bytes();
    const auto filter = make(peer, order);
    for_keys(order.keys, 0, std::min<std::uint64_t>(order.n_keys, 100'000), [&](Keys piece) {
        const auto erase = peer.calls->erase;
        if (erase != nullptr && erase(filter.get(), piece.data(), piece.size()) != 0)
            throw std::length_error("erase() does not find a key");
        if (peer.calls->insert(filter.get(), piece.data(), piece.size()) != 0)
            throw std::length_error(erase != nullptr ? "insert() finds no place after erase()"
                                                     : "insert() finds no place for keys that are "
                                                       "in: it needs erase()");
    });
    std::vector<std::uint64_t> keys(1000);
    const auto half = std::min<std::uint64_t>(order.n_keys, keys.size() / 2);
    order.keys.fill(0, keys.data(), half);
    order.keys.fill(order.n_keys, keys.data() + half, keys.size() - half);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool in = peer.calls->contains(filter.get(), keys[i]) != 0;
        if (i < half && !in) throw std::length_error("an inserted key is not found");
        found += in;
    }
    if (peer.calls->count != nullptr &&
        peer.calls->count(filter.get(), keys.data(), keys.size()) != found)
        throw std::length_error("count() differs from contains()");
    for (std::size_t n = 1; peer.calls->bitmap != nullptr && n <= keys.size();
         n = n < 130 ? n + 1 : n + 870) {
        std::vector<std::uint8_t> bits((n + 7) / 8 + 64, 0xA5), expected(bits);
        std::fill_n(expected.begin(), (n + 7) / 8, std::uint8_t{0});
        const std::size_t first = keys.size() - n;
        for (std::size_t i = 0; i < n; ++i)
            if (peer.calls->contains(filter.get(), keys[first + i]) != 0)
                expected[i / 8] = static_cast<std::uint8_t>(expected[i / 8] | 1u << (i % 8));
        peer.calls->bitmap(filter.get(), keys.data() + first, n, bits.data());
        if (bits != expected)
            throw std::length_error("bitmap() of " + std::to_string(n) +
                                    " keys differs from contains(), or writes behind its end");
    }
    const auto filled = std::make_shared<Subject>(subject(peer, order, filter));
    const auto probes = std::min<std::uint64_t>(order.keys.size() - order.n_keys, 1'000'000);
    // What it takes, which may be more than it is made for.
    const double bits = 8 * static_cast<double>(filled->bytes) / static_cast<double>(order.n_keys),
                 least = static_cast<double>(probes) * std::exp2(-bits),
                 hits = absent_found(peer, filter.get(), order, probes);
    if (hits + 5 * std::sqrt(least) < least)
        throw std::length_error("finds " + std::to_string(std::lround(hits)) + " of " +
                                std::to_string(probes) +
                                " absent keys; no filter of its bytes() can");
    const double grown = resident_bytes() - before;
    // An allocator may round up to 2 MiB, and pages of programs that this process reads for the
    // first time take up to 1 MB.
    if (grown > 1.25 * static_cast<double>(filled->bytes) + 3e6)
        throw Cheats("takes " + std::to_string(std::lround(grown)) + " bytes; bytes() says " +
                     std::to_string(filled->bytes));
    CheckedLookups lookups(filled, order, rotation(order.keys, order.n_keys, 0, 0.5)->all());
    double seconds = 0;
    for (const Output output : {Output::single, Output::bitmap})
        if (const Pass pass = (*filled)[output] ? lookups.pass(output, standard_batch) : Pass())
            for (int i = 0; i < 4; ++i) (void)pass(&seconds);
    if (cpu_seconds_of([] { usleep(10'000); }, CLOCK_PROCESS_CPUTIME_ID) > 2e-3)
        throw Cheats("works while nobody calls it");
}

/// The fewest bits a key, to a hundredth, that reach the FPR with so many generated keys; infinity
/// if 40 do not.
double bits_for(const Peer& peer, std::uint64_t n_keys, double fpr) {
    const auto source = KeySource::generated(1);
    const auto reaches = [&](double bits) {
        const Order order{source, n_keys, bits};
        constexpr std::uint64_t probes = 1'000'000;
        return absent_found(peer, make(peer, order).get(), order, probes) <= fpr * probes;
    };
    double low = std::max(1.0, peer.of->least_bits_per_key), high = 40;
    if (low >= high || !reaches(high)) return no_bits;
    while (high - low > 0.01) {
        const double middle = (low + high) / 2;
        (reaches(middle) ? high : low) = middle;
    }
    return high;
}

Kind kind_of(const Peer& peer) {
    return {.name = peer.name,
            .role = peer.calls == &peer.of->keys ? Role::peer : Role::hashes,
            .make =
                [peer](const Order& order) {
                    try {
                        (void)in_child([&] {
                            examine(peer, order);
                            return std::string();
                        });
                    } catch (const std::runtime_error& e) {
                        throw std::length_error(e.what());
                    }
                    return subject(peer, order, make(peer, order));
                },
            .colour = "#000000",
            .least_bits = peer.of->least_bits_per_key,
            .fills_slowly = peer.calls->erase != nullptr,  // a table, as our cuckoo filters
            .bits_for =
                [peer](std::uint64_t n_keys, double fpr) {
                    try {
                        return std::stod(in_child([&] {
                            const Call call(peer.path);
                            return std::to_string(bits_for(peer, n_keys, fpr));
                        }));
                    } catch (const std::runtime_error&) {
                        return no_bits;  // the measurements name what is wrong
                    }
                }};
}

/// The main contenders, given hashes.
void add_hashed_contenders() {
    std::vector<Kind> all;
    for (Kind kind : kinds()) {
        if (kind.role == Role::hashes && kind.is_main) return;
        if (kind.role != Role::contender || !kind.is_main) continue;
        kind.name += ",hashes";
        kind.role = Role::hashes;
        kind.also_at.clear();
        kind.make = [make = kind.make](const Order& order) {
            Subject s = make(order);
            s.name += ",hashes";
            return s;
        };
        all.push_back(std::move(kind));
    }
    for (Kind& kind : all) ListEntry{std::move(kind)};
}

std::string named(const std::string& path, const std::exception& e) {
    return "--peer " + path + ": " + e.what();
}

}  // namespace

std::string add_peer(const std::string& path) {
    try {
        (void)in_child([&] {
            const Call call(path);
            const Interface& of = load(path);
            const auto keys = KeySource::generated(1);
            for (const Calls* calls : {&of.keys, &of.hashes})
                for (const std::uint64_t n : {1u, 1000u, 1'000'000u})
                    if (calls->insert != nullptr)
                        examine({&of, calls, "", path},
                                {keys, n, std::max(12.0, of.least_bits_per_key), 1});
            return std::string();
        });
        const Call call(path);
        const Interface& of = load(path);
        const std::string name = std::string("peer:") + of.name;
        for (const Kind& other : kinds())
            if (other.name == name || other.name == name + ",hashes")
                throw std::runtime_error("another peer is called " + name);
        if (of.keys.insert != nullptr) ListEntry{kind_of({&of, &of.keys, name, path})};
        if (of.hashes.insert != nullptr) {
            ListEntry{kind_of({&of, &of.hashes, name + ",hashes", path})};
            add_hashed_contenders();
        }
        return of.origin == nullptr ? "not said" : std::string(of.origin).substr(0, 400);
    } catch (const std::exception& e) {
        throw std::runtime_error(named(path, e));
    }
}

int outlive_peers(const std::function<int(const std::map<std::string, std::string>&)>& work) {
    for (std::map<std::string, std::string> faults;;) {
        try {
            return std::stoi(in_child([&] { return std::to_string(work(faults)); }));
        } catch (const Ended& e) {
            if (e.path.empty()) throw;
            faults[e.path] = named(e.path, e);
        }
    }
}

}  // namespace simdbloom::bench
