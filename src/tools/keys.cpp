#include "keys.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/detail/strings.hpp"
#include "simdbloom/hash.hpp"
#include "simdbloom/isa.hpp"
#include "terminal.hpp"

namespace simdbloom::tools {

namespace {

// Bytes read at a time: lines, offsets and hashes stay in the level-2 cache.
constexpr std::size_t block_bytes = 256 << 10;
// The most batches that wait for the caller.
constexpr std::size_t batches_ahead = 4;

[[noreturn]] void cannot_read(const std::string& path, int fault) {
    throw std::runtime_error("cannot read \"" + path +
                             "\": " + std::generic_category().message(fault));
}

/// place(p) for each LF of [from, to). Bytes from `to` to the next multiple of 64 are read.
template <class Place>
void for_each_line_end(const char* from, const char* to, const Place& place) {
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi8('\n');
    for (const char* p = from; p < to; p += 64) {
        std::uint64_t ends = 0;
        for (int i = 0; i < 4; ++i) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + i);
            const auto here =
                static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)));
            ends |= std::uint64_t{here} << (16 * i);
        }
        if (to - p < 64) ends &= (std::uint64_t{1} << (to - p)) - 1;
        for (; ends != 0; ends &= ends - 1) place(p + std::countr_zero(ends));
    }
#else
    while (from < to) {
        const void* const end = std::memchr(from, '\n', static_cast<std::size_t>(to - from));
        if (end == nullptr) return;
        place(static_cast<const char*>(end));
        from = static_cast<const char*>(end) + 1;
    }
#endif
}
constexpr std::size_t readable_behind = 64;

}  // namespace

/// A file that is open for reading.
struct KeySource::Input {
    explicit Input(const std::string& name) : path(name) {
        file = path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) cannot_read(path, errno);
        struct stat state {};
        if (::fstat(file, &state) != 0) cannot_read(path, errno);
        if (S_ISDIR(state.st_mode)) cannot_read(path, EISDIR);
        is_regular = S_ISREG(state.st_mode) && path != "-";
        if (is_regular) bytes = static_cast<std::uint64_t>(state.st_size);
    }
    ~Input() {
        if (path != "-") ::close(file);
    }
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    /// Fewer bytes than requested mean the end.
    std::size_t read(char* to, std::size_t most) {
        std::size_t had = 0;
        while (had < most) {
            const ssize_t n = ::read(file, to + had, most - had);
            if (n == 0) break;
            if (n < 0 && errno == EINTR) continue;
            if (n < 0)
                throw std::runtime_error("reading \"" + path +
                                         "\" failed: " + std::generic_category().message(errno));
            had += static_cast<std::size_t>(n);
        }
        return had;
    }

    std::string path;
    int file = -1;
    bool is_regular = false;
    std::uint64_t bytes = 0;
};

struct KeySource::Reader {
    Reader(const std::string& path, KeyFormat f, std::uint64_t s)
        : input(path), format(f), seed(s) {}

    /// The next keys; false at the end.
    bool read(Batch& batch) {
        std::size_t had = rest.size(), block = std::max(block_bytes, had);
        batch.bytes.resize(std::max(batch.bytes.size(), had + block + 1 + readable_behind));
        std::copy(rest.begin(), rest.end(), batch.bytes.begin());
        std::size_t whole = 0;
        for (bool ended = false; !ended && whole == 0;) {
            const std::size_t more = input.read(batch.bytes.data() + had, block);
            ended = more < block;
            // Only the new bytes can hold the end of a long line.
            whole = format == KeyFormat::u64 ? had + more : end_of_lines(batch, had, had + more);
            had += more;
            if (ended) {
                if (format == KeyFormat::lines && had != whole) batch.bytes[had++] = '\n';
                whole = had;
            }
            block = had;
            if (!ended && whole == 0) batch.bytes.resize(had + block + 1 + readable_behind);
        }
        if (format == KeyFormat::u64 && whole % 8 != 0)
            throw std::runtime_error("\"" + input.path + "\" ends with " +
                                     std::to_string(whole % 8) + " bytes of a 64-bit key");
        rest.assign(batch.bytes.data() + whole, batch.bytes.data() + had);
        batch.used = whole;
        if (whole == 0) return false;
        format == KeyFormat::lines ? hash_lines(batch) : hash_numbers(batch);
        return true;
    }

    static std::size_t end_of_lines(const Batch& batch, std::size_t from, std::size_t to) {
        const std::string_view fresh(batch.bytes.data() + from, to - from);
        const std::size_t last = fresh.rfind('\n');
        return last == std::string_view::npos ? 0 : from + last + 1;
    }

    void hash_lines(Batch& batch) const {
        batch.texts.clear();
        const char* begin = batch.bytes.data();
        for_each_line_end(begin, begin + batch.used, [&](const char* end) {
            batch.texts.push_back(key_of({begin, static_cast<std::size_t>(end - begin)}));
            begin = end + 1;
        });
        batch.hashes.resize(batch.texts.size());
        detail::hash_strings(batch.texts, {seed, nullptr}, default_isa(), batch.hashes.data());
    }

    void hash_numbers(Batch& batch) const {
        const std::size_t n = batch.used / 8;
        batch.numbers.resize(n);
        batch.hashes.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            batch.numbers[i] = detail::load_le<std::uint64_t>(batch.bytes.data() + 8 * i);
            batch.hashes[i] = hash_key(batch.numbers[i], seed);
        }
    }

    /// On the second thread: reads until the end, an error, or the caller's exit.
    void run() {
        std::unique_lock lock(mutex, std::defer_lock);
        try {
            for (;;) {
                lock.lock();
                moved.wait(lock, [&] { return gone || ready.size() < batches_ahead; });
                if (gone) return;
                std::unique_ptr<Batch> batch;
                if (!spare.empty()) {
                    batch = std::move(spare.back());
                    spare.pop_back();
                }
                lock.unlock();
                if (batch == nullptr) batch = std::make_unique<Batch>();
                if (!read(*batch)) break;
                lock.lock();
                ready.push_back(std::move(batch));
                moved.notify_all();
                lock.unlock();
            }
        } catch (...) {
            fault = std::current_exception();
        }
        if (!lock.owns_lock()) lock.lock();
        ended = true;
        moved.notify_all();
    }

    /// On the caller's thread: exchanges the last batch for the next one.
    bool take(std::unique_ptr<Batch>& batch) {
        std::unique_lock lock(mutex);
        if (batch != nullptr) spare.push_back(std::move(batch));
        moved.wait(lock, [&] { return ended || !ready.empty(); });
        if (!ready.empty()) {
            batch = std::move(ready.front());
            ready.pop_front();
            moved.notify_all();
            return true;
        }
        if (fault != nullptr) std::rethrow_exception(std::exchange(fault, nullptr));
        return false;
    }

    Input input;
    KeyFormat format;
    std::uint64_t seed;
    std::vector<char> rest;  // the beginning of an unfinished line

    std::mutex mutex;
    std::condition_variable moved;
    std::deque<std::unique_ptr<Batch>> ready;
    std::vector<std::unique_ptr<Batch>> spare;
    bool ended = false, gone = false;
    std::exception_ptr fault;
    std::thread thread;
};

KeySource::KeySource(const std::string& path, KeyFormat format, std::uint64_t seed,
                     unsigned threads)
    : reader_(std::make_shared<Reader>(path, format, seed)) {
    if (threads <= 1) return;
    try {
        reader_->thread = std::thread([reader = reader_] { reader->run(); });
    } catch (const std::system_error&) {
        // If no thread can be started, the caller reads.
    }
}

KeySource::~KeySource() {
    if (!reader_->thread.joinable()) return;
    {
        const std::lock_guard lock(reader_->mutex);
        reader_->gone = true;
    }
    reader_->moved.notify_all();
    // A pipe may block for ever. Its thread owns what it needs.
    if (reader_->input.is_regular) reader_->thread.join();
    else reader_->thread.detach();
}

bool KeySource::next() {
    bool more;
    if (reader_->thread.joinable()) {
        more = reader_->take(batch_);
    } else {
        if (batch_ == nullptr) batch_ = std::make_unique<Batch>();
        more = reader_->read(*batch_);
    }
    if (more) bytes_read_ += batch_->used;
    else batch_ = nullptr;
    return more;
}

KeyFormat KeySource::format() const noexcept { return reader_->format; }

std::string KeySource::text(std::size_t i) const {
    if (format() == KeyFormat::u64) return std::to_string(batch_->numbers[i]);
    const std::string_view line = batch_->texts[i];
    // The LF of the line, or the CR before it.
    return std::string(line) + (line.data()[line.size()] == '\r' ? "\r" : "");
}

std::uint64_t KeySource::bytes_in_all() const noexcept { return reader_->input.bytes; }

std::optional<std::uint64_t> count_keys(const std::string& path, KeyFormat format) {
    KeySource::Input input(path);
    if (!input.is_regular) return {};
    if (format == KeyFormat::u64) return input.bytes / 8;
    std::vector<char> block(block_bytes);
    std::uint64_t keys = 0;
    char last = '\n';
    for (std::size_t n = block_bytes; n == block_bytes;) {
        n = input.read(block.data(), block_bytes);
        keys += static_cast<std::uint64_t>(std::count(block.data(), block.data() + n, '\n'));
        if (n != 0) last = block[n - 1];
    }
    return keys + (last != '\n');
}

Progress::Progress(std::string what, bool wanted, bool unwanted)
    : what_(std::move(what)), on_(wanted || (!unwanted && shows_progress())) {}

Progress::~Progress() {
    if (on_ && shown_ != Clock::time_point{}) print_own(stderr, "\n");
}

void Progress::show(const KeySource& source, bool last) {
    if (!on_) return;
    keys_ += last ? 0 : source.size();
    const auto now = Clock::now();
    if (!last && now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    const double seconds = std::max(1e-9, std::chrono::duration<double>(now - began_).count());
    const double millions = static_cast<double>(keys_) / 1e6;
    std::string bar;
    if (const auto all = source.bytes_in_all(); all != 0) {
        // A last line without LF counts one byte that does not exist.
        const double share =
            std::min(1.0, static_cast<double>(source.bytes_read()) / static_cast<double>(all));
        const auto filled = static_cast<std::size_t>(30 * share);
        bar = "[" + std::string(filled, '=') + std::string(30 - filled, ' ') +
              formatted("] %3.0f%% ", 100 * share);
    }
    print_own(stderr, formatted("\r%s %s%.1f M keys, %.1f M keys/s", what_.c_str(), bar.c_str(),
                                millions, millions / seconds));
}

}  // namespace simdbloom::tools
