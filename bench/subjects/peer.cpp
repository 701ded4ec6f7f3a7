#include "subjects/peer.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "subjects/examination.hpp"

namespace simdbloom::bench {
namespace peers {

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

namespace {

using Interface = struct simdbloom_peer;

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
}  // namespace peers

std::string add_peer(const std::string& path) {
    using namespace peers;
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
    using namespace peers;
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
