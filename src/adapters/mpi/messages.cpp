// Parts of a filter as messages between two ranks, with a deadline.
#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "adapters/mpi/calls.hpp"
#include "core/models/number.hpp"
#include "simdbloom/join/exchange.hpp"

namespace simdbloom {
namespace {

using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;
using detail::check_mpi;
using Of = FilterMessage::Kind;

/// A message of 256 bytes, which MPI sends without waiting for the receiver. The bytes of a filter
/// follow only when the receiver has said that it waits for them.
struct Note {
    enum What : std::uint8_t { offer, go, too_large, failed, none };
    What what = none;
    std::uint32_t bytes = 0;  // of an offer
    std::string why{};        // of none
    int from = 0;

    static constexpr std::size_t size = 256, text_at = 5;
    Bytes packed() const {
        Bytes out(size);
        out[0] = static_cast<std::byte>(what);
        for (unsigned i = 0; i < 4; ++i) out[1 + i] = static_cast<std::byte>(bytes >> 8 * i);
        std::memcpy(out.data() + text_at, why.data(), std::min(why.size(), size - text_at - 1));
        return out;
    }
    static Note unpacked(const Bytes& in, int from) {
        Note note{static_cast<What>(in[0]), 0, reinterpret_cast<const char*>(&in[text_at]), from};
        for (unsigned i = 0; i < 4; ++i)
            note.bytes |= std::to_integer<std::uint32_t>(in[1 + i]) << 8 * i;
        return note;
    }
};

/// Calls is_done() until it is true or the deadline passes.
template <class IsDone>
bool wait_until(Clock::time_point deadline, const IsDone& is_done) {
    while (!is_done()) {
        if (Clock::now() >= deadline) return false;
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return true;
}

/// The messages of one call.
class Post {
public:
    Post(MPI_Comm communicator, int tag) : communicator_(communicator), tag_(tag) {}
    Post(const Post&) = delete;
    Post& operator=(const Post&) = delete;
    /// What nobody has received keeps its bytes: MPI cannot take a send back.
    ~Post() {
        static std::mutex mutex;
        static std::list<Sending> left;
        const std::lock_guard lock(mutex);
        all_sent();
        left.splice(left.end(), sendings_);
    }

    void send(int to, const Note& note) { send(to, note.packed(), tag_); }
    void send(int to, Bytes bytes) { send(to, std::move(bytes), tag_ + 1); }
    bool all_sent() {
        sendings_.remove_if([](Sending& sending) {
            int is_done = 0;
            return MPI_Test(&sending.request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
                   is_done != 0;
        });
        return sendings_.empty();
    }
    /// The next note; nothing if none comes before the deadline.
    std::optional<Note> next(Clock::time_point deadline) {
        MPI_Status status;
        const bool is_there = wait_until(deadline, [&] {
            int found = 0;
            check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag_, communicator_, &found, &status), waiting);
            return found != 0;
        });
        if (!is_there) return std::nullopt;
        Bytes bytes(Note::size);
        check_mpi(MPI_Recv(bytes.data(), Note::size, MPI_BYTE, status.MPI_SOURCE, tag_,
                           communicator_, &status),
                  waiting);
        return Note::unpacked(bytes, status.MPI_SOURCE);
    }
    /// Gives the offered bytes to the exchange.
    void receive(const Note& note, FilterExchange& exchange, std::size_t sender,
                 std::size_t max_bytes, Clock::time_point deadline) {
        const auto take = [&](Of kind, unsigned number = 0, std::span<const std::byte> of = {}) {
            exchange.take({kind, sender, 0, number, of});
        };
        if (note.what == Note::failed) return take(Of::failed);
        if (note.what != Note::offer || note.bytes > max_bytes) return take(Of::too_large);
        if (exchange.state() != FilterExchange::State::open) return;
        Bytes bytes(note.bytes);
        MPI_Request request;
        check_mpi(MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, note.from,
                            tag_ + 1, communicator_, &request),
                  waiting);
        send(note.from, Note{Note::go});
        int is_done = 0, cancelled = 0;
        MPI_Status status;
        const auto has_come = [&] {
            check_mpi(MPI_Test(&request, &is_done, &status), waiting);
            return is_done != 0;
        };
        if (!wait_until(deadline, has_come)) {
            check_mpi(MPI_Cancel(&request), waiting);
            check_mpi(MPI_Wait(&request, &status), waiting);
            check_mpi(MPI_Test_cancelled(&status, &cancelled), waiting);
        }
        if (cancelled != 0) return;
        take(Of::part, 0, bytes);
        take(Of::sealed, 1);
    }

private:
    static constexpr const char* waiting = "waiting for a part";
    struct Sending {
        Bytes bytes;
        MPI_Request request;
    };
    void send(int to, Bytes bytes, int tag) {
        Sending& sending = sendings_.emplace_back(Sending{std::move(bytes), MPI_REQUEST_NULL});
        check_mpi(MPI_Isend(sending.bytes.data(), static_cast<int>(sending.bytes.size()), MPI_BYTE,
                            to, tag, communicator_, &sending.request),
                  "sending a part");
    }

    MPI_Comm communicator_;
    int tag_;
    std::list<Sending> sendings_;
};

/// Rank 0: unites the parts of all, and sends the filter to all.
void collect(Post& post, FilterExchange& exchange, const Note& mine, const Bytes& part,
             std::size_t ranks, const MessageSettings& settings) {
    if (mine.what != Note::offer) {
        exchange.take({mine.what == Note::failed ? Of::failed : Of::too_large, 0});
    } else {
        exchange.take({Of::part, 0, 0, 0, part});
        exchange.take({Of::sealed, 0, 0, 1});
    }
    const auto deadline = Clock::now() + settings.timeout;
    std::vector<int> heard;
    while (heard.size() + 1 < ranks) {
        const auto note = post.next(deadline);
        if (!note) break;
        heard.push_back(note->from);
        post.receive(*note, exchange, static_cast<std::size_t>(note->from), settings.max_bytes,
                     deadline);
    }
    exchange.close();
    if (exchange.state() != FilterExchange::State::sealed) {
        for (const int rank : heard) post.send(rank, Note{Note::none, 0, exchange.why()});
        return;
    }
    const Bytes filter = save(exchange.filter());
    const auto until = Clock::now() + settings.timeout;
    for (const int rank : heard)
        post.send(rank, Note{Note::offer, static_cast<std::uint32_t>(filter.size())});
    for (std::size_t served = 0; served < heard.size(); ++served) {
        const auto note = post.next(until);
        if (!note) break;
        if (note->what == Note::go) post.send(note->from, filter);
    }
    wait_until(until, [&] { return post.all_sent(); });
}

/// The other ranks. Returns why all rows are accepted, if they are.
std::string ask(Post& post, FilterExchange& exchange, const Note& mine, Bytes part,
                const MessageSettings& settings) {
    const auto deadline = Clock::now() + 2 * settings.timeout;
    post.send(0, mine);
    while (const auto note = post.next(deadline)) {
        if (note->what == Note::none) return note->why;
        if (note->what == Note::go) {
            post.send(0, std::move(part));
            continue;
        }
        post.receive(*note, exchange, 0, settings.max_bytes, deadline);
        break;
    }
    if (exchange.state() == FilterExchange::State::sealed) return {};
    return detail::to_text("all: no filter came from rank 0 in ", 2 * settings.timeout.count(),
                           " ms; ", exchange.why());
}

}  // namespace

JoinFilter build_by_messages(std::string_view spec, std::size_t keys_of_all_ranks,
                             double bits_per_key, const std::function<void(JoinBuilder&)>& fill,
                             MPI_Comm communicator, const MessageSettings& settings,
                             Options options) {
    if (settings.max_bytes > MessageSettings::most_bytes)
        throw detail::argument_error("max_bytes=", settings.max_bytes,
                                     " is more than the 2^30 of a message");
    int rank = 0, ranks = 0;
    check_mpi(MPI_Comm_rank(communicator, &rank), "counting ranks");
    check_mpi(MPI_Comm_size(communicator, &ranks), "counting ranks");
    // Rank 0 expects a part of every rank, the others the filter of rank 0.
    FilterExchange exchange(rank == 0 ? static_cast<std::size_t>(ranks) : 1, settings.max_bytes,
                            spec, keys_of_all_ranks, bits_per_key, options);
    Note mine{Note::failed};
    Bytes part;
    try {
        if (auto builder = detail::filled(
                [&] {
                    return std::make_unique<JoinBuilder>(spec, keys_of_all_ranks, bits_per_key,
                                                         options);
                },
                fill)) {
            part = save(std::move(*builder).part());
            mine.what = part.size() > settings.max_bytes ? Note::too_large : Note::offer;
            mine.bytes = static_cast<std::uint32_t>(part.size());
        }
    } catch (const std::bad_alloc&) {
    }
    Post post(communicator, settings.tag);
    if (rank == 0) {
        collect(post, exchange, mine, part, static_cast<std::size_t>(ranks), settings);
        return exchange.filter();
    }
    if (std::string why = ask(post, exchange, mine, std::move(part), settings); !why.empty())
        return JoinFilter(detail::Everything{}, {}, std::move(why));
    return exchange.filter();
}

}  // namespace simdbloom
