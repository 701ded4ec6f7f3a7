#include <algorithm>
#include <utility>

#include "keys.hpp"
#include "terminal.hpp"

namespace simdbloom::tools {

Progress::Progress(std::string what, bool wanted, bool unwanted)
    : what_(std::move(what)), wanted_(wanted), on_(wanted || (!unwanted && shows_progress())) {}

Progress::~Progress() {
    if (is_shown_) print_own(stderr, is_screen(2) ? "\r\033[K" : "\n");
}

void Progress::show(const KeySource& source, bool last) {
    if (!on_) return;
    keys_ += last ? 0 : source.size();
    const auto now = Clock::now();
    const auto pause = std::chrono::milliseconds(is_shown_ ? 100 : wanted_ ? 0 : 1000);
    if (!(last && (is_shown_ || wanted_)) && now - shown_ < pause) return;
    is_shown_ = true;
    shown_ = now;
    const double seconds = std::max(1e-9, std::chrono::duration<double>(now - began_).count());
    const double millions = static_cast<double>(keys_) / 1e6;
    std::string text = formatted("%.1f M keys, %.1f M keys/s", millions, millions / seconds);
    // The last column stays free: some terminals go to the next line behind it.
    const std::size_t room = columns(2) - 1, others = what_.size() + 1 + text.size();
    if (const auto all = source.bytes_in_all(); all != 0) {
        // The file may have grown.
        const double share =
            std::min(1.0, static_cast<double>(source.bytes_read()) / static_cast<double>(all));
        const std::string percent = formatted("%3.0f%% ", 100 * share);
        const std::size_t taken = others + percent.size() + 3;  // [, ] and a blank
        const std::size_t width = std::min<std::size_t>(30, room - std::min(room, taken));
        const auto filled = static_cast<std::size_t>(static_cast<double>(width) * share);
        if (width < 5) text = percent + text;
        else
            text = "[" + std::string(filled, '=') + std::string(width - filled, ' ') + "] " +
                   percent + text;
    }
    print_own(stderr, "\r" + (what_ + " " + text).substr(0, room) + (is_screen(2) ? "\033[K" : ""));
}

}  // namespace simdbloom::tools
