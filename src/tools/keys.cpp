#include "keys.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
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

#include "input.hpp"
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

/// place(p) for each `end` of [from, to). Bytes from `to` to the next multiple of 64 are read.
template <class Place>
void for_each_end(char end, const char* from, const char* to, const Place& place) {
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi8(end);
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
        const void* const found = std::memchr(from, end, static_cast<std::size_t>(to - from));
        if (found == nullptr) return;
        place(static_cast<const char*>(found));
        from = static_cast<const char*>(found) + 1;
    }
#endif
}
/// Bytes behind those that are read: what ends a key, and for_each_end's.
constexpr std::size_t margin = 64 + 2;

}  // namespace

struct KeySource::Reader {
    Reader(std::vector<std::string> paths, KeyFormat f, std::uint64_t s)
        : input(std::move(paths), f != KeyFormat::u64), format(f), seed(s) {}

    /// The next keys; false at the end.
    bool read(Batch& batch) {
        if (done) return false;
        // All keys of [0, whole) are complete.
        std::size_t had = rest.size(), whole = 0, limit = had + block_bytes;
        std::vector<char>& bytes = batch.bytes;
        bytes.resize(std::max(bytes.size(), limit + margin));
        std::copy(rest.begin(), rest.end(), bytes.begin());
        for (;;) {
            const std::size_t more = input.read(bytes.data() + had, limit - had);
            if (more == 0) {
                had = whole = end_file(bytes.data(), whole, had);
                done = !input.next();
                // Small files share a batch.
                if (done || had >= block_bytes / 2 || (whole != 0 && input.waits())) break;
                continue;
            }
            // Only the new bytes can hold the end of a long line.
            if (const std::size_t end = end_of_keys(bytes.data(), had, had + more); end != 0)
                whole = end;
            had += more;
            if (had < limit && (whole == 0 || !input.waits())) continue;
            if (whole != 0) break;
            limit *= 2;
            bytes.resize(limit + margin);
        }
        rest.assign(bytes.data() + whole, bytes.data() + had);
        batch.used = whole;
        batch.bytes_read = input.bytes_read();
        if (format == KeyFormat::u64) hash_numbers(batch);
        else hash_texts(batch);
        return whole != 0;
    }

    /// Ends the last key of a file, which begins at `whole`. Returns the end of the bytes.
    std::size_t end_file(char* bytes, std::size_t whole, std::size_t had) const {
        if (format == KeyFormat::u64) {
            if (had % 8 != 0)
                throw std::runtime_error("\"" + input.path() + "\" ends with " +
                                         std::to_string(had % 8) + " bytes of a 64-bit key");
        } else if (had != whole) {
            const std::string_view end = end_of(format);
            had += end.copy(bytes + had, end.size());
        }
        return had;
    }

    /// The end of the last key that ends within [from, to), or 0.
    std::size_t end_of_keys(const char* bytes, std::size_t from, std::size_t to) const {
        if (format == KeyFormat::u64) return to - to % 8;
        const std::string_view all(bytes, to);
        const char end = end_of(format)[0];
        for (std::size_t at = all.rfind(end); at != all.npos && at >= from;
             at = all.substr(0, at).rfind(end)) {
            const std::string_view before = key_of(all.substr(0, at));
            if (format != KeyFormat::paragraphs || before.ends_with(end)) return at + 1;
        }
        return 0;
    }

    void hash_texts(Batch& batch) const {
        auto& texts = batch.texts;
        texts.clear();
        const char* begin = batch.bytes.data();
        const char *const all = begin, *const behind = begin + batch.used;
        const auto until = [&](const char* end) {
            return std::string_view(begin, static_cast<std::size_t>(end - begin));
        };
        if (format == KeyFormat::lines) {
            for_each_end('\n', all, behind, [&](const char* end) {
                texts.push_back(key_of(until(end)));
                begin = end + 1;
            });
        } else if (format == KeyFormat::nul) {
            for_each_end('\0', all, behind, [&](const char* end) {
                texts.push_back(until(end));
                begin = end + 1;
            });
        } else {
            const char *line = begin, *last = nullptr;  // the end of the paragraph's last line
            for_each_end('\n', all, behind, [&](const char* end) {
                const bool blank = end - line == 0 || (end - line == 1 && *line == '\r');
                if (!blank) last = end;
                else if (last != nullptr) texts.push_back(key_of(until(last)));
                if (blank) begin = end + 1, last = nullptr;
                line = end + 1;
            });
        }
        batch.hashes.resize(texts.size());
        detail::hash_strings(texts, {seed, nullptr}, default_isa(), batch.hashes.data());
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
        const auto there = [&] { return ended || !ready.empty(); };
        if (!there()) {
            lock.unlock();
            (void)is_printed();
            lock.lock();
            moved.wait(lock, there);
        }
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
    std::vector<char> rest;  // the beginning of an unfinished key
    bool done = false;       // all files are read

    std::mutex mutex;
    std::condition_variable moved;
    std::deque<std::unique_ptr<Batch>> ready;
    std::vector<std::unique_ptr<Batch>> spare;
    bool ended = false, gone = false;
    std::exception_ptr fault;
    std::thread thread;
};

KeySource::KeySource(std::vector<std::string> paths, KeyFormat format, std::uint64_t seed,
                     unsigned threads)
    : reader_(std::make_shared<Reader>(std::move(paths), format, seed)) {
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
    if (reader_->input.is_regular()) reader_->thread.join();
    else reader_->thread.detach();
}

bool KeySource::next() {
    bool more;
    if (reader_->thread.joinable()) {
        more = reader_->take(batch_);
    } else {
        if (batch_ == nullptr) batch_ = std::make_unique<Batch>();
        (void)is_printed();
        more = reader_->read(*batch_);
    }
    if (more) bytes_read_ = batch_->bytes_read;
    else batch_ = nullptr;
    return more;
}

KeyFormat KeySource::format() const noexcept { return reader_->format; }

std::string_view KeySource::text(std::size_t i) const {
    if (format() == KeyFormat::u64) return number_ = std::to_string(batch_->numbers[i]);
    const std::string_view line = batch_->texts[i];
    // What ends the line, or the CR before it.
    const bool has_cr = format() != KeyFormat::nul && line.data()[line.size()] == '\r';
    return {line.data(), line.size() + has_cr};
}

std::uint64_t KeySource::bytes_in_all() const noexcept { return reader_->input.bytes(); }

std::optional<std::uint64_t> count_keys(const std::vector<std::string>& paths, KeyFormat format) {
    Input input(paths, format != KeyFormat::u64);
    if (!input.is_regular()) return {};
    if (format == KeyFormat::u64) return input.bytes() / 8;
    std::vector<char> block(block_bytes);
    const char end = end_of(format)[0];
    std::uint64_t keys = 0;
    do {
        char last = end;
        while (const std::size_t n = input.read(block.data(), block_bytes)) {
            keys += static_cast<std::uint64_t>(std::count(block.data(), block.data() + n, end));
            last = block[n - 1];
        }
        keys += last != end;
    } while (input.next());
    return keys;
}

}  // namespace simdbloom::tools
