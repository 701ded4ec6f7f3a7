#include "input.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tools/os/program.hpp"

namespace simdbloom::tools {

namespace fs = std::filesystem;

void cannot_read(const std::string& path, int fault) {
    throw std::runtime_error("cannot read \"" + path +
                             "\": " + std::generic_category().message(fault));
}

Input::Input(std::vector<std::string> paths, bool decodes)
    : paths_(std::move(paths)), decodes_(decodes) {
    for (const auto& path : paths_) {
        std::error_code fault;
        const auto kind = path == "-" ? fs::file_type::fifo : fs::status(path, fault).type();
        if (kind == fs::file_type::not_found) cannot_read(path, ENOENT);
        if (kind == fs::file_type::directory) cannot_read(path, EISDIR);
        if (fault) cannot_read(path, fault.value());
        is_regular_ &= kind == fs::file_type::regular;
        if (kind == fs::file_type::regular) bytes_ += fs::file_size(path);
    }
    if (!is_regular_) bytes_ = 0;
    open();
}

void Input::open() {
    if (path() == "-") {
        descriptor_ = 0;
    } else {
        file_ = detail::open_to_read(path(), true);
        if (!file_) cannot_read(path(), errno);
        descriptor_ = file_.get();
    }
    begins_ = decodes_;
    decoder_ = nullptr;
    pending_ = {};
}

bool Input::next() {
    if (at_ + 1 == paths_.size()) return false;
    ++at_;
    open();
    return true;
}

std::size_t Input::read_raw(char* to, std::size_t most) {
    const auto n = detail::read_some(descriptor_, std::as_writable_bytes(std::span(to, most)));
    if (n < 0)
        throw std::runtime_error("reading \"" + path() +
                                 "\" failed: " + std::generic_category().message(errno));
    bytes_read_ += static_cast<std::size_t>(n);
    return static_cast<std::size_t>(n);
}

bool Input::waits() const {
    return !is_regular_ && pending_.empty() && detail::would_wait(descriptor_);
}

void Input::look_for_magic() {
    buffer_.resize(64 << 10);
    std::size_t had = 0;
    do {
        const std::size_t n = read_raw(buffer_.data() + had, buffer_.size() - had);
        if (n == 0) break;
        had += n;
    } while (may_become_magic({buffer_.data(), had}));
    pending_ = {buffer_.data(), had};
    decoder_ = decoder_of(pending_);
}

std::size_t Input::read(char* to, std::size_t most) {
    try {
        if (std::exchange(begins_, false)) look_for_magic();
        if (decoder_ == nullptr) {
            if (pending_.empty()) return read_raw(to, most);
            const std::size_t n = pending_.copy(to, most);
            pending_.remove_prefix(n);
            return n;
        }
        for (;;) {
            if (const std::size_t n = decoder_->decode(pending_, to, most); n != 0) return n;
            if (!pending_.empty()) continue;
            pending_ = {buffer_.data(), read_raw(buffer_.data(), buffer_.size())};
            if (!pending_.empty()) continue;
            if (!decoder_->may_end()) throw DecoderFault("it ends within compressed data");
            return 0;
        }
    } catch (const DecoderFault& e) {
        throw std::runtime_error("reading \"" + path() + "\" failed: " + e.what());
    }
}

}  // namespace simdbloom::tools
