// The receiver of a filter whose build rows are on several machines. The protocol is in
// src/join/exchange/protocol.md.
#pragma once

#include <array>

#include "simdbloom/join/saved_union.hpp"

SIMDBLOOM_EXPORTS_BEGIN
namespace simdbloom {

/// A message of a sender to a FilterExchange.
struct FilterMessage {
    /// What it says.
    enum class Kind : std::uint8_t {
        part,       ///< `bytes` are those of save(std::move(builder).part())
        sealed,     ///< the attempt has `number` parts and no other rows
        too_large,  ///< a part has more bytes than the limit, and will not be sent
        failed,     ///< the attempt will never be sealed
    };
    Kind kind{};                         ///< what it says
    std::size_t sender = 0;              ///< from 0 to senders - 1
    std::uint64_t attempt = 0;           ///< rises when a sender starts again
    unsigned number = 0;                 ///< which part, from 0; if sealed, how many there are
    std::span<const std::byte> bytes{};  ///< only read by take()
};

/// Receives the filter of all senders. Until every sender has sealed its last attempt and all parts
/// were checked, filter() accepts all rows. Messages may come in any order, late, twice and
/// damaged. Not thread-safe; copies of filter() are.
class FilterExchange {
public:
    /// open is the first; the others are final.
    enum class State : std::uint8_t {
        open,       ///< takes messages
        sealed,     ///< all senders are complete: filter() is their filter
        late,       ///< closed before that
        too_large,  ///< a part or the union had more bytes than the limit
    };
    /// What became of a message.
    enum class Took : std::uint8_t {
        counted,    ///< changed what is known
        duplicate,  ///< was known
        late,       ///< of an attempt that another one replaced, or after state() left open
        refused,    ///< damaged, or not like the parts of this exchange: it is still missing
    };
    static constexpr unsigned most_parts = 64;  ///< of an attempt; their numbers are 0 to 63

    /// Senders make their parts by JoinBuilder(spec, n_keys, bits_per_key, options): n_keys counts
    /// the keys of all, and options must have the seed or secret if it is random. `max_bytes`
    /// limits a message and the union. Throws as JoinBuilder, std::invalid_argument if senders,
    /// max_bytes or n_keys is 0, std::length_error for more senders than fit into memory.
    FilterExchange(std::size_t senders, std::size_t max_bytes, std::string_view spec,
                   std::size_t n_keys, double bits_per_key, Options options = {});

    /// Takes a message. Throws std::out_of_range for a sender that is not expected, and changes
    /// nothing; throws std::bad_alloc, and filter() is as before or accepts all rows.
    Took take(const FilterMessage& message);
    void close();  ///< the deadline: unless sealed, all rows are accepted for good

    State state() const noexcept { return state_; }  ///< at present
    /// The filter at present. Once state() is not open, it never changes.
    const JoinFilter& filter() const noexcept { return filter_; }
    /// What the filter is, or why all rows are accepted, with the missing senders.
    std::string why() const;
    /// The senders that are neither complete nor known to have a fault. If there are none, waiting
    /// helps only if a sender starts again or sends a part again.
    std::size_t waiting_for() const noexcept;
    /// Whether the sender's last attempt is sealed and all its parts are united. Throws
    /// std::out_of_range.
    bool is_complete(std::size_t sender) const;
    std::size_t bytes() const noexcept { return sum_.size(); }  ///< of the union; 0 unless open
    /// How many messages take() said this of.
    std::uint64_t count(Took took) const noexcept {
        return counts_[static_cast<std::size_t>(took)];
    }

private:
    struct Sender {
        std::uint64_t attempt = 0, came = 0;  // a bit for each part
        std::optional<unsigned> parts{};
        bool failed = false;
        std::string fault{};
        bool is_complete() const noexcept;
    };
    const Sender& checked(std::size_t sender) const;
    Took taken(const FilterMessage& message);
    Took add_part(Sender& sender, const FilterMessage& message);
    std::optional<LoadError> unite(std::span<const std::byte> part);
    std::optional<AnyFilter> empty_part() const;
    std::string missing() const;
    void publish();
    void end(State state, std::string why);

    std::vector<Sender> senders_;
    std::size_t max_bytes_;
    std::string spec_;
    std::size_t n_keys_;
    double bits_per_key_;
    Options options_;
    std::array<std::byte, 64> header_{};  // of the filter of a part; zeros if there is none
    State state_ = State::open;
    std::vector<std::byte> sum_;
    JoinFilter filter_ = JoinFilter::accept_all();
    std::array<std::uint64_t, 4> counts_{};
};

/// "open", "sealed", "late" or "too large".
std::string_view to_string(FilterExchange::State state) noexcept;

}  // namespace simdbloom
SIMDBLOOM_EXPORTS_END
