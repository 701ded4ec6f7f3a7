// Whether a peer may be timed: it is called in a process of its own, within limits.
#include "subjects/examination.hpp"

#include <malloc.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>

namespace simdbloom::bench::peers {

/// What a child of in_child() says to its parent, in memory of both.
struct Watched {
    std::atomic<double> since = 0;  ///< seconds; when the call of a peer began, 0: in none
    std::atomic<bool> threw = false;
    std::atomic<bool> is_cut_off = false;  ///< a peer closed the child's end of the pipe
    char path[4096] = "";                  ///< of the peer that was called last
    int end = -1;                          ///< of the pipe, the child's
    ino_t inode = 0;                       ///< of the pipe

    /// Ends the child if its end of the pipe is another file or none. The peer that was called last
    /// has closed it.
    void check_end() {
        struct stat now;
        is_cut_off = fstat(end, &now) != 0 || now.st_ino != inode;
        if (is_cut_off) _exit(1);
    }
};

namespace {

Watched* watched = nullptr;  ///< of this process, if it is such a child

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

Call::Call(const std::string& path) : in_(std::uncaught_exceptions() == 0 ? watched : nullptr) {
    if (in_ == nullptr) return;
    before_ = in_->since;
    if (path != in_->path) in_->check_end();
    in_->path[path.copy(in_->path, sizeof in_->path - 1)] = 0;
    if (before_ == 0) in_->since = seconds();
}
Call::~Call() {
    if (in_ == nullptr) return;
    in_->since = before_;
    in_->threw = std::uncaught_exceptions() != 0;
}

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
        struct stat pipe_file;
        fstat(ends[1], &pipe_file);
        watched->end = ends[1];
        watched->inode = pipe_file.st_ino;
        std::string said;
        try {
            said = "+" + work();
        } catch (const std::exception& e) {
            watched->check_end();
            const bool faulty = watched->threw || dynamic_cast<const Cheats*>(&e) != nullptr;
            if (!faulty) watched->path[0] = 0;
            said = std::string("-") + e.what();
        } catch (...) {
            said = "-threw something that is no std::exception";
        }
        watched->check_end();
        const bool sent = write(ends[1], said.data(), said.size()) >= 0;
        _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    std::string said;
    int status = 0;
    bool late = false, gone = false;
    for (char text[512]; !late && !gone;) {
        pollfd ready{ends[0], POLLIN, 0};
        if (poll(&ready, 1, 1000) == 0) {        // a process of the peer's may keep the pipe open
            const double since = shared->since;  // read once: the call may end meanwhile
            late = since != 0 && seconds() - since > most_seconds;
            gone = waitpid(child, &status, WNOHANG) == child;
            continue;
        }
        const ssize_t n = read(ends[0], text, sizeof text);
        if (n <= 0) break;
        said.append(text, static_cast<std::size_t>(n));
    }
    close(ends[0]);
    // A process that ends closes the pipe a moment before.
    for (int i = 0; i < 100 && said.empty() && !late && !gone; ++i) {
        gone = waitpid(child, &status, WNOHANG) == child;
        if (!gone) usleep(10'000);
    }
    const bool is_cut_off = said.empty() && !late && (!gone || shared->is_cut_off);
    kill(-child, SIGKILL);
    if (!gone) waitpid(child, &status, 0);
    if (!said.empty() && said[0] == '+') return said.substr(1);
    char took[64];
    std::snprintf(took, sizeof took, "took more than %g s", most_seconds);
    throw Ended(!said.empty()         ? said.substr(1)
                : late                ? took
                : is_cut_off          ? "closes files of the report"
                : WIFSIGNALED(status) ? std::string("was ended by ") + strsignal(WTERMSIG(status))
                                      : "called exit(" + std::to_string(WEXITSTATUS(status)) + ")",
                shared->path);
}

namespace {

double absent_found(const Peer& peer, const void* filter, const Order& order,
                    std::uint64_t probes) {
    double found = 0;
    for_keys(order.keys, order.n_keys, order.n_keys + probes, [&](Keys piece) {
        for (const std::uint64_t key : piece) found += peer.calls->contains(filter, key) != 0;
    });
    return found;
}

/// Of memory, that this process has.
double resident_bytes() {
    malloc_trim(0);
    double all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

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
    for_keys(order.keys, 0, std::min<std::uint64_t>(order.n_keys, 1'000'000), [&](Keys piece) {
        for (const std::uint64_t key : piece)
            if (peer.calls->contains(filter.get(), key) == 0)
                throw std::length_error("an inserted key is not found");
    });
    std::vector<std::uint64_t> keys(1000);
    const auto half = std::min<std::uint64_t>(order.n_keys, keys.size() / 2);
    order.keys.fill(0, keys.data(), half);
    order.keys.fill(order.n_keys, keys.data() + half, keys.size() - half);
    std::uint64_t found = 0;
    for (const std::uint64_t key : keys) found += peer.calls->contains(filter.get(), key) != 0;
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

}  // namespace simdbloom::bench::peers
