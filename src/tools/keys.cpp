#include "keys.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include "simdbloom/detail/little_endian.hpp"
#include "simdbloom/detail/strings.hpp"
#include "simdbloom/hash.hpp"
#include "simdbloom/isa.hpp"
#include "terminal.hpp"

namespace simdbloom::tools {

KeySource::KeySource(std::string path, KeyFormat format) : path_(std::move(path)), format_(format) {
    if (format == KeyFormat::lines) lines_.resize(batch_keys);
    else numbers_.resize(batch_keys);
    hashes_.resize(batch_keys);
    if (path_ == "-") return;
    // Opening a folder succeeds; reading it does not.
    errno = EISDIR;
    if (!std::filesystem::is_directory(path_)) file_.open(path_, std::ios::binary);
    if (!file_.is_open())
        throw std::runtime_error("cannot read \"" + path_ +
                                 "\": " + std::generic_category().message(errno));
    if (std::filesystem::is_regular_file(path_)) bytes_in_all_ = std::filesystem::file_size(path_);
}

std::istream& KeySource::in() noexcept { return path_ == "-" ? std::cin : file_; }

bool KeySource::next() {
    n_ = 0;
    if (format_ == KeyFormat::lines) {
        while (n_ < batch_keys && std::getline(in(), lines_[n_]))
            bytes_read_ += lines_[n_++].size() + 1;
    } else {
        in().read(reinterpret_cast<char*>(numbers_.data()), batch_keys * 8);
        const auto bytes = static_cast<std::size_t>(in().gcount());
        bytes_read_ += bytes;
        if (bytes % 8 != 0)
            throw std::runtime_error("\"" + path_ + "\" ends with " + std::to_string(bytes % 8) +
                                     " bytes of a 64-bit key");
        n_ = bytes / 8;
        for (std::size_t i = 0; i < n_; ++i)
            numbers_[i] = detail::load_le<std::uint64_t>(&numbers_[i]);
    }
    if (in().bad()) throw std::runtime_error("reading \"" + path_ + "\" failed");
    return n_ != 0;
}

std::span<const std::uint64_t> KeySource::hashes(std::uint64_t seed) {
    if (format_ == KeyFormat::lines)
        detail::hash_views(n_, {seed, nullptr}, default_isa(), hashes_.data(),
                           [&](std::size_t i) { return key_of(lines_[i]); });
    else
        for (std::size_t i = 0; i < n_; ++i) hashes_[i] = hash_key(numbers_[i], seed);
    return {hashes_.data(), n_};
}

std::span<const std::string_view> KeySource::texts() {
    texts_.clear();
    for (std::size_t i = 0; i < n_; ++i) texts_.push_back(key_of(lines_[i]));
    return texts_;
}

std::uint64_t KeySource::count_keys() {
    if (path_ == "-" || !std::filesystem::is_regular_file(path_))
        throw std::runtime_error("the number of keys in \"" + path_ +
                                 "\" is not known beforehand: give --keys");
    if (format_ == KeyFormat::u64) return bytes_in_all_ / 8;
    std::uint64_t keys = 0;
    while (next()) keys += n_;
    file_.clear();
    file_.seekg(0);
    bytes_read_ = 0;
    return keys;
}

Progress::Progress(std::string what, bool wanted)
    : what_(std::move(what)), on_(wanted || shows_progress()) {}

Progress::~Progress() {
    if (on_ && shown_ != Clock::time_point{}) std::fputc('\n', stderr);
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
        // A last line without an end counts one byte that does not exist.
        const double share =
            std::min(1.0, static_cast<double>(source.bytes_read()) / static_cast<double>(all));
        const auto filled = static_cast<std::size_t>(30 * share);
        char percent[8];
        std::snprintf(percent, sizeof percent, "%3.0f%%", 100 * share);
        bar = "[" + std::string(filled, '=') + std::string(30 - filled, ' ') + "] " + percent + " ";
    }
    std::fprintf(stderr, "\r%s %s%.1f M keys, %.1f M keys/s", what_.c_str(), bar.c_str(), millions,
                 millions / seconds);
}

}  // namespace simdbloom::tools
