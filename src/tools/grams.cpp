#include "grams.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "simdbloom/detail/strings.hpp"

namespace simdbloom::tools {
namespace {

/// The chance that at least `least` of n independent events happen, each of chance f, inside (0,
/// 1).
double at_least(std::size_t least, std::size_t n, double f) {
    double chance = 0;
    const auto log_factorial = [](std::size_t i) {
        return std::lgamma(static_cast<double>(i) + 1);
    };
    for (std::size_t i = least; i <= n; ++i) {
        const double term = std::exp(log_factorial(n) - log_factorial(i) - log_factorial(n - i) +
                                     static_cast<double>(i) * std::log(f) +
                                     static_cast<double>(n - i) * std::log1p(-f));
        chance += term;
        const bool falls = static_cast<double>(i) > f * static_cast<double>(n);
        if (falls && term < 1e-9 * chance) break;
    }
    return chance;
}

/// The text of a JSON object's member.
std::string member_of(std::string_view line, const std::string& field, std::uint64_t number) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    const auto refuse = [&](const std::string& why) {
        throw std::runtime_error("item " + std::to_string(number) + " " + why);
    };
    if (!object.is_object()) refuse("is no JSON object");
    const auto member = object.find(field);
    if (member == object.end() || !member->is_string()) refuse("has no text in \"" + field + "\"");
    return member->get<std::string>();
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

Seen::Seen(ScalableBloom& filter, const Documents& documents)
    : filter_(filter),
      documents_(documents),
      fpr_(filter.expected_fpr()),
      stored_at_(filter.stored()) {
    if (!(documents.overlap > 0 && documents.overlap <= 1))
        throw std::runtime_error("overlap=" + std::to_string(documents.overlap) +
                                 " is not above 0 and at most 1");
}

/// The runs of words, which blanks of any kind and number separate. A text that is too short for a
/// run is one.
void Seen::hash_runs(std::string_view text) {
    std::vector<std::size_t> begins;
    words_.clear();
    for (auto at = text.begin();;) {
        at = std::find_if_not(at, text.end(), is_blank);
        if (at == text.end()) break;
        const auto end = std::find_if(at, text.end(), is_blank);
        begins.push_back(words_.size());
        words_.append(at, end) += ' ';
        at = end;
    }
    const std::size_t n = documents_.ngram;
    begins.push_back(words_.size());
    runs_.clear();
    const std::string_view words = words_;
    for (std::size_t i = 0; i + n < begins.size(); ++i)
        runs_.push_back(words.substr(begins[i], begins[i + n] - begins[i]));
    if (runs_.empty()) runs_.push_back(words);
}

bool Seen::insert_document(std::string_view key) {
    std::string member;
    if (!documents_.field.empty()) key = member = member_of(key, documents_.field, keys_);
    runs_.assign(1, key);
    if (documents_.ngram != 0) hash_runs(key);
    hashes_.resize(runs_.size());
    detail::hash_strings(runs_, {filter_.seed(), nullptr}, filter_.isa(), hashes_.data());
    // A run that comes twice in one text counts once.
    std::ranges::sort(hashes_);
    hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
    const std::size_t found = filter_.count(Keys::hashes(hashes_));
    const double all = static_cast<double>(hashes_.size());
    // 0.8 * 10 is above 8 by rounding.
    const auto enough = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::ceil(documents_.overlap * all * (1 - 1e-12))));
    if (found >= enough) return false;
    (void)update_fpr(100 + filter_.stored() / 200);
    if (fpr_ > 0) lost_ += at_least(enough - found, hashes_.size() - found, fpr_);
    filter_.insert(Keys::hashes(hashes_));
    return true;
}

/// The model takes time: it is asked again when there are that many more keys. Returns how many new
/// keys the FPR hid since the last time.
double Seen::update_fpr(std::uint64_t least_more) {
    const std::uint64_t stored = filter_.stored(), more = stored - stored_at_;
    if (more < least_more) return 0;
    const double before = std::exchange(fpr_, filter_.expected_fpr());
    stored_at_ = stored;
    // Of n new keys that come, n f are hidden and n (1 - f) are stored.
    return static_cast<double>(more) * (before / (1 - before) + fpr_ / (1 - fpr_)) / 2;
}

double Seen::expected_lost() { return whole_keys() ? lost_ += update_fpr(0) : lost_; }

void Seen::insert_new(KeySource& source, std::span<std::uint8_t> were_new) {
    if (whole_keys()) {
        filter_.insert_if_new(Keys::hashes(source.hashes()), were_new);
        lost_ += update_fpr(1000 + filter_.stored() / 20);
        return;
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
        ++keys_;
        if (insert_document(source.texts()[i]))
            were_new[i / 8] = static_cast<std::uint8_t>(were_new[i / 8] | 1u << (i % 8));
    }
}

}  // namespace simdbloom::tools
