#include "grams.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "simdbloom/detail/strings.hpp"
#include "terminal.hpp"

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

/// The text of a JSON object's member. An error shows the beginning of the line.
std::string member_of(std::string_view line, const std::string& field, std::uint64_t number) {
    const auto refuse = [&](const std::string& why) {
        throw std::runtime_error("item " + std::to_string(number) + " " + why + ": " +
                                 std::string(line.substr(0, 60)));
    };
    nlohmann::json object;
    try {
        object = nlohmann::json::parse(line);
    } catch (const nlohmann::json::exception& e) {
        const std::string_view why = e.what();  // "[json.exception.parse_error.101] parse error .."
        refuse("is not a JSON object: " + std::string(why.substr(why.find(']') + 2, 200)));
    }
    if (!object.is_object()) refuse("is not a JSON object");
    const auto member = object.find(field);
    if (member == object.end() || !member->is_string()) refuse("has no text in \"" + field + "\"");
    return member->get<std::string>();
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Hashes documents one after the other, and keeps what that allocates.
class DocumentHasher {
public:
    DocumentHasher(const Documents& documents, std::uint64_t seed, Isa isa)
        : documents_(documents), seed_(seed), isa_(isa) {}

    /// The hashes of the document's runs, each once, in ascending order. Of a blank line none.
    void hash(std::string_view text, std::uint64_t number, std::vector<std::uint64_t>& hashes) {
        hashes.clear();
        std::string member;
        if (!documents_.field.empty()) {
            if (std::ranges::all_of(text, is_blank)) return;  // between JSON objects
            text = member = member_of(text, documents_.field, number);
        }
        runs_.assign(1, text);
        if (documents_.ngram != 0) split_runs(text);
        hashes.resize(runs_.size());
        detail::hash_strings(runs_, {seed_, nullptr}, isa_, hashes.data());
        std::ranges::sort(hashes);
        hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
    }

private:
    /// The runs of words, which blanks of any kind and number separate. A text that is too short
    /// for a run is one.
    void split_runs(std::string_view text) {
        begins_.clear();
        words_.clear();
        for (auto at = text.begin();;) {
            at = std::find_if_not(at, text.end(), is_blank);
            if (at == text.end()) break;
            const auto end = std::find_if(at, text.end(), is_blank);
            begins_.push_back(words_.size());
            words_.append(at, end) += ' ';
            at = end;
        }
        const std::size_t n = documents_.ngram;
        begins_.push_back(words_.size());
        runs_.clear();
        const std::string_view words = words_;
        for (std::size_t i = 0; i + n < begins_.size(); ++i)
            runs_.push_back(words.substr(begins_[i], begins_[i + n] - begins_[i]));
        if (runs_.empty()) runs_.push_back(words);
    }

    const Documents& documents_;
    std::uint64_t seed_;
    Isa isa_;
    std::string words_;
    std::vector<std::size_t> begins_;
    std::vector<std::string_view> runs_;
};

/// hash(first, last) of pieces of [0, n) on so many threads. Returns when all are done.
template <class Hash>
void in_pieces(std::size_t n, std::size_t threads, const Hash& hash) {
    const auto piece = [&](std::size_t i) { hash(n * i / threads, n * (i + 1) / threads); };
    std::vector<std::jthread> others;
    std::size_t started = 1;
    for (; started < threads; ++started) {
        try {
            others.emplace_back(piece, started);
        } catch (const std::system_error&) {
            break;  // If no thread can be started, this one does the rest.
        }
    }
    piece(0);
    for (std::size_t i = started; i < threads; ++i) piece(i);
}

}  // namespace

Seen::Seen(ScalableBloom& filter, const Documents& documents)
    : filter_(filter),
      documents_(documents),
      fpr_(filter.expected_fpr()),
      stored_at_(filter.stored()) {
    if (!(documents.overlap > 0 && documents.overlap <= 1))
        throw std::runtime_error(
            formatted("overlap=%g is not above 0 and at most 1", documents.overlap));
}

bool Seen::insert_document(const std::vector<std::uint64_t>& hashes) {
    if (hashes.empty()) return false;
    const std::size_t found = filter_.count(Keys::hashes(hashes));
    const double all = static_cast<double>(hashes.size());
    // 0.8 * 10 is above 8 by rounding.
    const auto enough = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::ceil(documents_.overlap * all * (1 - 1e-12))));
    if (found >= enough) return false;
    (void)update_fpr(100 + filter_.stored() / 200);
    // Of documents that are hidden with probability p, p / (1 - p) are for each that is not.
    if (fpr_ > 0) {
        const double p = std::min(0.999, at_least(enough - found, hashes.size() - found, fpr_));
        lost_ += p / (1 - p);
    }
    filter_.insert(Keys::hashes(hashes));
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
    // A thread takes some 20 µs to start, and some 200 to hash as many bytes.
    constexpr std::size_t bytes_a_thread = 32 << 10;
    const auto texts = source.texts();
    const std::size_t n = texts.size();
    const auto bytes = n == 0 ? 0 : static_cast<std::size_t>(texts[n - 1].data() - texts[0].data());
    const std::size_t most =
        documents_.threads == 0 ? std::thread::hardware_concurrency() : documents_.threads;
    const auto threads = std::max<std::size_t>(1, std::min({bytes / bytes_a_thread, n, most}));
    hashes_.resize(std::max(hashes_.size(), n));
    std::vector<std::exception_ptr> faults(n);
    in_pieces(n, threads, [&](std::size_t first, std::size_t last) {
        DocumentHasher hasher(documents_, filter_.seed(), filter_.isa());
        for (std::size_t i = first; i < last; ++i) {
            try {
                hasher.hash(texts[i], keys_ + i + 1, hashes_[i]);
            } catch (...) {
                faults[i] = std::current_exception();
                return;  // the documents before it are inserted
            }
        }
    });
    for (std::size_t i = 0; i < n; ++i) {
        ++keys_;
        if (faults[i] != nullptr) std::rethrow_exception(faults[i]);
        if (insert_document(hashes_[i]))
            were_new[i / 8] = static_cast<std::uint8_t>(were_new[i / 8] | 1u << (i % 8));
    }
}

}  // namespace simdbloom::tools
