// gzip by zlib, and zstd.
#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

#include "input.hpp"
#if SIMDBLOOM_TOOL_HAS_ZLIB
#include <zlib.h>
#endif
#if SIMDBLOOM_TOOL_HAS_ZSTD
#include <zstd.h>
#endif

namespace simdbloom::tools {
namespace {

[[maybe_unused]] [[noreturn]] void damaged(const char* format, const char* why) {
    throw DecoderFault(std::string("damaged ") + format + " data" + (why ? ": " : "") +
                       (why ? why : ""));
}
[[maybe_unused]] [[noreturn]] void missing(const char* format, const char* library) {
    throw DecoderFault(std::string("it is compressed by ") + format +
                       ", and this program was built without " + library);
}

std::unique_ptr<Decoder> gzip_decoder() {
#if SIMDBLOOM_TOOL_HAS_ZLIB
    /// Members follow each other, as `cat a.gz b.gz` makes them.
    class Gzip final : public Decoder {
    public:
        Gzip() {
            if (inflateInit2(&state_, 15 + 16) != Z_OK) throw std::bad_alloc();  // 16: gzip
        }
        ~Gzip() override { inflateEnd(&state_); }
        Gzip(const Gzip&) = delete;
        Gzip& operator=(const Gzip&) = delete;

        std::size_t decode(std::string_view& in, char* to, std::size_t most) override {
            if (member_ended_ && in.empty()) return 0;
            if (std::exchange(member_ended_, false)) inflateReset(&state_);
            state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
            state_.avail_in = static_cast<uInt>(in.size());
            state_.next_out = reinterpret_cast<Bytef*>(to);
            const auto room = static_cast<uInt>(std::min<std::size_t>(most, 1 << 30));
            state_.avail_out = room;
            const int said = inflate(&state_, Z_NO_FLUSH);
            in.remove_prefix(in.size() - state_.avail_in);
            member_ended_ = said == Z_STREAM_END;
            if (said == Z_MEM_ERROR) throw std::bad_alloc();
            // Z_BUF_ERROR: it needs more bytes.
            if (said != Z_OK && said != Z_STREAM_END && said != Z_BUF_ERROR)
                damaged("gzip", state_.msg);
            return room - state_.avail_out;
        }
        bool may_end() const override { return member_ended_; }

    private:
        z_stream state_{};
        bool member_ended_ = false;
    };
    return std::make_unique<Gzip>();
#else
    missing("gzip", "zlib");
#endif
}

std::unique_ptr<Decoder> zstd_decoder() {
#if SIMDBLOOM_TOOL_HAS_ZSTD
    class Zstd final : public Decoder {
    public:
        std::size_t decode(std::string_view& in, char* to, std::size_t most) override {
            if (state_ == nullptr) throw std::bad_alloc();
            // Behind a frame, zstd would begin the next one without bytes of it.
            if (wanted_ == 0 && in.empty()) return 0;
            ZSTD_inBuffer from{in.data(), in.size(), 0};
            ZSTD_outBuffer out{to, most, 0};
            wanted_ = ZSTD_decompressStream(state_.get(), &out, &from);
            if (ZSTD_isError(wanted_) != 0) damaged("zstd", ZSTD_getErrorName(wanted_));
            in.remove_prefix(from.pos);
            return out.pos;
        }
        bool may_end() const override { return wanted_ == 0; }

    private:
        struct Free {
            void operator()(ZSTD_DStream* state) const { ZSTD_freeDStream(state); }
        };
        std::unique_ptr<ZSTD_DStream, Free> state_{ZSTD_createDStream()};
        std::size_t wanted_ = 1;  // 0 at the end of a frame
    };
    return std::make_unique<Zstd>();
#else
    missing("zstd", "libzstd");
#endif
}

/// The first bytes of a file in the format, where `mask` has bits, or all bits without a mask.
struct Magic {
    std::string_view format, bytes, mask;
    std::unique_ptr<Decoder> (*decoder)();  // null: the format is refused

    bool fits(std::string_view head) const {
        for (std::size_t i = 0; i < std::min(head.size(), bytes.size()); ++i)
            if (((head[i] ^ bytes[i]) & (mask.empty() ? '\xFF' : mask[i])) != 0) return false;
        return true;
    }
};
using namespace std::string_view_literals;
constexpr Magic magics[] = {
    {"gzip", "\x1F\x8B\x08\0"sv, "\xFF\xFF\xFF\xE0", gzip_decoder},  // three flags are reserved
    {"zstd", "\x28\xB5\x2F\xFD", "", zstd_decoder},
    {"zstd", "\x50\x2A\x4D\x18", "\xF0\xFF\xFF\xFF", zstd_decoder},  // by pzstd
    {"bzip2", "BZh01AY&SY", "\xFF\xFF\xFF\xF0\xFF\xFF\xFF\xFF\xFF\xFF", nullptr},
    {"bzip2", "BZh0\x17\x72\x45\x38\x50\x90", "\xFF\xFF\xFF\xF0\xFF\xFF\xFF\xFF\xFF\xFF",
     nullptr},  // of nothing
    {"lz4", "\x04\x22\x4D\x18", "", nullptr},
    {"xz",
     "\xFD"
     "7zXZ\0"sv,
     "", nullptr},
    {"zip", "PK\x03\x04", "", nullptr},
};

}  // namespace

std::unique_ptr<Decoder> decoder_of(std::string_view head) {
    for (const Magic& magic : magics)
        if (head.size() >= magic.bytes.size() && magic.fits(head)) {
            if (magic.decoder != nullptr) return magic.decoder();
            throw DecoderFault("it is compressed by " + std::string(magic.format) +
                               ": decompress it first");
        }
    return nullptr;
}

bool may_become_magic(std::string_view head) {
    return std::ranges::any_of(magics, [=](const Magic& magic) {
        return head.size() < magic.bytes.size() && magic.fits(head);
    });
}

}  // namespace simdbloom::tools
