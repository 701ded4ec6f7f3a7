// The receiver of the parts of a distributed filter.
#include "simdbloom/join/exchange.hpp"

#include "join/bloom_choice.hpp"
#include "join/join_format.hpp"

namespace simdbloom {
namespace {

using Took = FilterExchange::Took;

std::invalid_argument none_of(const char* what) {
    return detail::argument_error("a filter exchange with ", what, "=0");
}

template <class Sender>
std::vector<Sender> so_many(std::size_t senders) {
    try {
        return std::vector<Sender>(senders);
    } catch (const std::exception&) {
        throw detail::length_error("a filter exchange with senders=", senders,
                                   ", more than memory has room for");
    }
}

/// The header of the filter in a part, without the kind of the keys, which may differ.
detail::Header comparable(std::span<const std::byte> header) {
    detail::Header h;
    std::ranges::copy(header.first(h.size()), h.begin());
    h[detail::CommonOffset::key_kind] = {};
    return h;
}

}  // namespace

FilterExchange::FilterExchange(std::size_t senders, std::size_t max_bytes, std::string_view spec,
                               std::size_t n_keys, double bits_per_key, Options options)
    : senders_(so_many<Sender>(senders)),
      max_bytes_(max_bytes),
      spec_(spec),
      n_keys_(n_keys),
      bits_per_key_(bits_per_key),
      options_(std::move(options)),
      sum_(save(JoinFilter::accept_none())) {
    if (senders == 0) throw none_of("senders");
    if (max_bytes == 0) throw none_of("max_bytes");
    if (n_keys == 0) throw none_of("n_keys");
    if (const auto filter = empty_part())
        header_ = comparable(detail::FilterFormat::header(filter->base()));
}

std::optional<AnyFilter> FilterExchange::empty_part() const {
    return detail::filter_of_part(spec_, n_keys_, bits_per_key_, options_);
}

bool FilterExchange::Sender::is_complete() const noexcept {
    return parts && !failed && static_cast<unsigned>(std::popcount(came)) == *parts;
}

std::size_t FilterExchange::waiting_for() const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(senders_, [](const Sender& sender) {
        return !sender.is_complete() && sender.fault.empty();
    }));
}

const FilterExchange::Sender& FilterExchange::checked(std::size_t sender) const {
    if (sender < senders_.size()) return senders_[sender];
    throw std::out_of_range(
        detail::to_text("simdbloom: no sender ", sender, ": there are ", senders_.size()));
}

bool FilterExchange::is_complete(std::size_t sender) const { return checked(sender).is_complete(); }

Took FilterExchange::take(const FilterMessage& message) {
    (void)checked(message.sender);
    const Took took = taken(message);
    ++counts_[static_cast<std::size_t>(took)];
    return took;
}

Took FilterExchange::taken(const FilterMessage& message) {
    using Kind = FilterMessage::Kind;
    Sender& sender = senders_[message.sender];
    if (state_ != State::open || message.attempt < sender.attempt) return Took::late;
    // The union keeps the bits of the attempt before: they are false positives at most.
    if (message.attempt > sender.attempt) sender = {.attempt = message.attempt};
    Took took = Took::counted;
    if (message.kind == Kind::part) {
        took = add_part(sender, message);
    } else if (message.kind == Kind::sealed && message.number <= most_parts) {
        if (sender.parts == message.number) return Took::duplicate;
        if (sender.parts) sender.failed = true;  // two numbers of parts: neither can be trusted
        sender.parts = message.number;
    } else if (message.kind == Kind::too_large) {
        end(State::too_large, detail::to_text("a part of sender ", message.sender,
                                              " is more than max_bytes=", max_bytes_));
    } else if (message.kind == Kind::failed) {
        if (sender.failed) return Took::duplicate;
        sender.fault = "failed";
        sender.failed = true;
    } else {
        sender.fault = "sent a message that does not exist";
        return Took::refused;
    }
    if (state_ != State::open) return took;
    if (sender.parts && *sender.parts < most_parts && sender.came >> *sender.parts != 0)
        sender.failed = true;
    if (sender.failed && sender.fault.empty()) sender.fault = "counts its parts in two ways";
    if (std::ranges::all_of(senders_, &Sender::is_complete)) publish();
    return took;
}

Took FilterExchange::add_part(Sender& sender, const FilterMessage& message) {
    const std::uint64_t bit = message.number < most_parts ? std::uint64_t{1} << message.number : 0;
    if ((sender.came & bit) != 0) return Took::duplicate;
    const std::string part = "part " + std::to_string(message.number);
    if (bit == 0) {
        sender.fault = part + ": there may be " + std::to_string(most_parts) + " parts";
        return Took::refused;
    }
    if (auto error = unite(message.bytes)) {
        if (error->fault == LoadFault::limit) {
            end(State::too_large,
                part + " of sender " + std::to_string(message.sender) + ": " + error->message);
            return Took::counted;
        }
        sender.fault = part + ": " + error->message;
        return Took::refused;
    }
    sender.came |= bit;
    return Took::counted;
}

/// Unites the part into sum_, which stays as it is if there is an error.
std::optional<LoadError> FilterExchange::unite(std::span<const std::byte> part) {
    using namespace detail;
    const auto too_large = [&](std::size_t bytes) {
        return fault(LoadFault::limit, bytes, " bytes are more than max_bytes=", max_bytes_);
    };
    if (part.size() > max_bytes_) return too_large(part.size());
    if (part.size() < framing_bytes) return too_short(part.size());
    const auto parsed = JoinFormat::parse(part.first<header_bytes>(), part.size(), {});
    if (!parsed) return parsed.error();
    if ((*parsed).body == JoinFormat::Body::filter) {
        const auto filter = part.subspan(header_bytes, (*parsed).bits_bytes);
        if (auto error = check_saved_bloom(filter)) return error;
        if (comparable(filter) != header_) {
            const auto theirs =
                FilterFormat::parse(filter.first<header_bytes>(), filter.size(), {}, Use::unite);
            return unlike((*theirs).geometry.layout.spec(), " of ", (*theirs).geometry.blocks,
                          " blocks with seed ", (*theirs).hash.seed, " is not the filter of \"",
                          spec_, "\" for ", n_keys_, " keys");
        }
    }
    Options bounded = options_;
    bounded.max_bytes = max_bytes_;
    auto united = unite_saved(sum_, part, bounded);
    if (!united && united.error().fault == LoadFault::unlike) {
        // Lists and bitmaps that are too far apart: a filter receives the keys of both.
        auto filter = empty_part();
        if (!filter) return united.error();
        const std::size_t size = saved_size(*filter) + framing_bytes;
        if (size > max_bytes_) return too_large(size);
        auto both = save(JoinFilter(std::move(*filter)));
        for (const auto keys : {std::span<const std::byte>(sum_), part})
            if (auto into = unite_saved(both, keys, bounded); !into) return into.error();
        sum_ = std::move(both);
    } else if (!united) {
        return united.error();
    }
    if (sum_.size() > max_bytes_) return too_large(sum_.size());
    return std::nullopt;
}

void FilterExchange::publish() {
    auto filter = load<JoinFilter>(sum_, options_);
    if (!filter) return end(State::too_large, "the union: " + filter.error().message);
    filter_ = *filter;
    sum_ = {};
    state_ = State::sealed;
}

void FilterExchange::end(State state, std::string why) {
    filter_ = JoinFilter(detail::Everything{}, {}, "all: " + std::move(why));
    sum_ = {};
    state_ = state;
}

void FilterExchange::close() {
    if (state_ == State::open) end(State::late, "closed when " + missing());
}

std::string FilterExchange::missing() const {
    std::string text;
    std::size_t n = 0;
    for (std::size_t i = 0; i < senders_.size(); ++i) {
        if (senders_[i].is_complete() || ++n > 8) continue;
        text += (n == 1 ? ": " : ", ") + std::to_string(i);
        if (!senders_[i].fault.empty()) text += " (" + senders_[i].fault + ")";
    }
    return detail::to_text(n, " of ", senders_.size(), " senders were missing", text,
                           (n > 8 ? ", .." : ""));
}

std::string FilterExchange::why() const {
    return state_ == State::open ? "all: " + missing() : filter_.why();
}

std::string_view to_string(FilterExchange::State state) noexcept {
    constexpr std::string_view names[] = {"open", "sealed", "late", "too large"};
    return names[static_cast<std::size_t>(state)];
}

}  // namespace simdbloom
