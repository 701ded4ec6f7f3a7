// What a filter with few bits set takes when it is sent: as it is, by zstd, by Rice codes of the
// gaps between its bits, and what the entropy of the bits leaves to be gained.
#include <zstd.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "experiments/experiment.hpp"
#include "simdbloom/cardinality.hpp"
#include "simdbloom/simdbloom.hpp"

namespace {

using namespace simdbloom;
using namespace simdbloom::bench;

constexpr std::size_t filter_bytes = std::size_t{4} << 20;
constexpr int passes = 5;

using Bytes = std::vector<std::byte>;

double seconds(auto&& work) {
    std::vector<double> times;
    for (int pass = 0; pass < passes; ++pass) {
        const auto start = std::chrono::steady_clock::now();
        work();
        times.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return median(times);
}

class BitWriter {
public:
    void put(std::uint64_t value, unsigned bits) {  // bits <= 32
        word_ |= value << used_;
        for (used_ += bits; used_ >= 8; used_ -= 8, word_ >>= 8)
            out.push_back(static_cast<std::byte>(word_));
    }
    Bytes finish() && {
        put(0, 7);
        return std::move(out);
    }

private:
    Bytes out;
    std::uint64_t word_ = 0;
    unsigned used_ = 0;
};

/// The gap before each set bit: g >> r ones and a zero, then the low r bits of g.
Bytes rice(std::span<const std::byte> bits, unsigned r) {
    BitWriter out;
    std::uint64_t gap = 0;
    for (std::size_t i = 0; i < bits.size(); i += 8) {
        auto word = detail::load_le<std::uint64_t>(bits.data() + i);
        unsigned at = 0;
        for (; word != 0; word &= word - 1) {
            const auto next = static_cast<unsigned>(std::countr_zero(word));
            gap += next - at;
            for (std::uint64_t ones = gap >> r; ones > 0;) {
                const auto some = static_cast<unsigned>(std::min<std::uint64_t>(ones, 32));
                out.put((std::uint64_t{1} << some) - 1, some);
                ones -= some;
            }
            out.put(0, 1);
            out.put(gap & ((std::uint64_t{1} << r) - 1), r);
            gap = 0;
            at = next + 1;
        }
        gap += 64 - at;
    }
    return std::move(out).finish();
}

/// The inverse, of `keys` gaps, into zeros.
void unrice(const Bytes& codes, unsigned r, std::uint64_t gaps, std::span<std::byte> bits) {
    // The next 57 bits at least, from whole bytes.
    const std::uint64_t last = codes.size() > 8 ? codes.size() - 8 : 0;
    std::uint64_t at = 0, position = 0;
    const auto peek = [&] {
        const std::uint64_t byte = std::min(at / 8, last);
        return detail::load_le<std::uint64_t>(codes.data() + byte) >> (at - 8 * byte);
    };
    for (; gaps > 0; --gaps) {
        std::uint64_t high = 0;
        for (;;) {
            const auto ones = static_cast<unsigned>(std::countr_one(peek()));
            const unsigned some = std::min(ones, 32u);
            high += some, at += some;
            if (some == ones) break;
        }
        ++at;
        position += high << r | (peek() & ((std::uint64_t{1} << r) - 1));
        at += r;
        bits[position / 8] |= static_cast<std::byte>(1u << position % 8);
        ++position;
    }
}

double entropy(double p) { return -p * std::log2(p) - (1 - p) * std::log2(1 - p); }

void check(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(what);
}

}  // namespace

int main() {
    std::printf(
        "`split256` of %zu MiB, filled with random keys until that share of its bits is set; bytes "
        "beside those of the filter. Rice codes of the gaps between bits, with the best parameter. "
        "Folded: to the fewest blocks whose FPR stays at most 0.5 %% (`folded_to_fpr`). Speeds in "
        "MB of filter a second, one thread, medians of %d passes; zstd %s.\n\n",
        filter_bytes >> 20, passes, ZSTD_versionString());
    print_header({"bits set", "FPR", "entropy", "Rice", "zstd -3", "zstd -19", "folded",
                  "folded, then zstd -3", "Rice : zstd -19", "decode Rice", "decode zstd -3",
                  "encode Rice", "encode zstd -3"});
    for (const double fill : {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5}) {
        const std::uint64_t blocks = filter_bytes / 32;
        const auto keys = static_cast<std::uint64_t>(static_cast<double>(blocks) *
                                                     std::log1p(-fill) / std::log1p(-1.0 / 32));
        auto filter = make_filter("split256", blocks, 256, {.seed = 7});
        const auto source = KeySource::generated(1);
        for (std::uint64_t i = 0; i < keys; ++i) filter.insert(source.key(i));
        const auto bits = filter.base().bytes();
        check(bits.size() == filter_bytes, "another size");
        std::uint64_t set = 0;
        for (std::size_t i = 0; i < bits.size(); i += 8)
            set += static_cast<unsigned>(
                std::popcount(detail::load_le<std::uint64_t>(bits.data() + i)));
        const double share = static_cast<double>(set) / (8.0 * filter_bytes);

        unsigned r = 0;
        for (unsigned other = 1; other < 8; ++other)
            if (rice(bits, other).size() < rice(bits, r).size()) r = other;
        Bytes codes;
        const double encode = seconds([&] { codes = rice(bits, r); });
        Bytes back(filter_bytes);
        const double decode = seconds([&] {
            std::ranges::fill(back, std::byte{0});
            unrice(codes, r, set, back);
        });
        check(std::ranges::equal(back, bits), "Rice codes lost bits");

        const auto zstd = [](std::span<const std::byte> from, int level) {
            Bytes to(ZSTD_compressBound(from.size()));
            to.resize(ZSTD_compress(to.data(), to.size(), from.data(), from.size(), level));
            return to;
        };
        Bytes fast;
        const double encode_zstd = seconds([&] { fast = zstd(bits, 3); });
        const double decode_zstd = seconds(
            [&] { (void)ZSTD_decompress(back.data(), back.size(), fast.data(), fast.size()); });
        check(std::ranges::equal(back, bits), "zstd lost bits");
        const Bytes best = zstd(bits, 19);
        const AnyFilter folded = filter.folded_to_fpr(0.005);
        const auto part = [&](std::size_t n) {
            return text("%.4f", static_cast<double>(n) / static_cast<double>(filter_bytes));
        };
        const auto speed = [&](double time) { return text("%.0f", filter_bytes / 1e6 / time); };
        print_row(
            {text("%.3g %%", 100 * share), text("%.2g", filter.estimated_fpr()),
             text("%.4f", entropy(share)), part(codes.size()), part(fast.size()), part(best.size()),
             part(folded.size_in_bytes()), part(zstd(folded.base().bytes(), 3).size()),
             text("%.3f", static_cast<double>(codes.size()) / static_cast<double>(best.size())),
             speed(decode), speed(decode_zstd), speed(encode), speed(encode_zstd)});
    }
    print_source("underfilled");
}
