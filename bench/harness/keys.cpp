#include "harness/keys.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>

#include "simdbloom/hash.hpp"

namespace simdbloom::bench {
namespace {

std::uint64_t splitmix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

}  // namespace

KeySource KeySource::generated(std::uint64_t seed) {
    KeySource source;
    source.seed_ = seed;
    source.description_ = "generated 64-bit keys (splitmix64, seed " + std::to_string(seed) + ")";
    return source;
}

KeySource KeySource::from_file(const std::string& path, std::uint64_t seed) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error("cannot open the key file \"" + path +
                                 "\": " + std::strerror(errno));
    KeySource source;
    for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (!line.empty()) source.lines_.push_back(line);
    }
    if (file.bad())
        throw std::runtime_error("cannot read the key file \"" + path +
                                 "\": " + std::strerror(errno));
    const std::size_t read = source.lines_.size();
    std::sort(source.lines_.begin(), source.lines_.end());
    source.lines_.erase(std::unique(source.lines_.begin(), source.lines_.end()),
                        source.lines_.end());
    const std::size_t distinct = source.lines_.size();
    if (distinct < 2)
        throw std::runtime_error("the key file \"" + path + "\" holds " + std::to_string(distinct) +
                                 " distinct keys; at least 2 are needed");
    std::shuffle(source.lines_.begin(), source.lines_.end(), std::mt19937_64(seed));
    for (const auto& line : source.lines_) source.hashes_.push_back(hash_bytes(line, seed));
    source.description_ =
        path + " (" + std::to_string(read) + " lines, " + std::to_string(distinct) + " distinct)";
    return source;
}

std::uint64_t KeySource::key(std::uint64_t i, bool for_text) const noexcept {
    if (from_file()) return for_text ? i : hashes_[i];
    return splitmix((i + 1 + (seed_ << 40)) * 0x9E3779B97F4A7C15u);
}

void KeySource::fill(std::uint64_t first, std::uint64_t* out, std::size_t n,
                     bool for_text) const noexcept {
    for (std::size_t i = 0; i < n; ++i) out[i] = key(first + i, for_text);
}

std::string_view KeySource::text(const std::uint64_t& key) const noexcept {
    if (from_file()) return lines_[key];
    return {reinterpret_cast<const char*>(&key), 8};
}

}  // namespace simdbloom::bench
