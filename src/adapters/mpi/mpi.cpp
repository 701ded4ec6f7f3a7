#include "simdbloom/adapters/mpi.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "any/filter_format.hpp"
#include "simdbloom/detail/errors.hpp"
#include "simdbloom/join/exchange.hpp"

namespace simdbloom {
namespace {

using Bytes = std::vector<std::byte>;

/// Throws std::runtime_error with MPI's message unless `code` is MPI_SUCCESS.
void check(int code, const char* what) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw std::runtime_error(detail::to_text("simdbloom: ", what, ": ",
                                             std::string(text, static_cast<std::size_t>(length))));
}

/// MPI counts in int.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

/// Calls use(data, n) for pieces of the bytes.
template <class Use>
void in_pieces(std::span<std::byte> bytes, const Use& use) {
    for (std::size_t first = 0; first < bytes.size(); first += most_at_once)
        use(bytes.data() + first, static_cast<int>(std::min(most_at_once, bytes.size() - first)));
}

/// Calls pass(data, n, type) for the number of the bytes, and then for the bytes in pieces. The
/// number that is received sets the size.
template <class Pass>
void pass_bytes(Bytes& bytes, const char* what, const Pass& pass) {
    std::uint64_t size = bytes.size();
    check(pass(&size, 1, MPI_UINT64_T), what);
    bytes.resize(static_cast<std::size_t>(size));
    in_pieces(bytes, [&](std::byte* data, int n) { check(pass(data, n, MPI_BYTE), what); });
}

/// The bytes that work() returns; none if it throws.
template <class Work>
Bytes or_none(const Work& work) {
    try {
        return work();
    } catch (const std::exception&) {
        return {};
    }
}

/// A filter to build, and who builds it.
struct Build {
    std::string_view spec;
    std::size_t keys;
    double bits_per_key;
    const Options& options;
    MPI_Comm communicator;
    int rank = 0, ranks = 0;

    void find_ranks() {
        check(MPI_Comm_rank(communicator, &rank), "counting ranks");
        check(MPI_Comm_size(communicator, &ranks), "counting ranks");
    }
    std::unique_ptr<JoinBuilder> builder() const {
        return std::make_unique<JoinBuilder>(spec, keys, bits_per_key, options);
    }
    /// The builder that this rank's `fill` filled; null if it threw or left partitions unsealed.
    std::unique_ptr<JoinBuilder> filled(const std::function<void(JoinBuilder&)>& fill) const {
        std::unique_ptr<JoinBuilder> made;
        try {
            made = builder();
        } catch (const std::bad_alloc&) {
            return nullptr;  // an error of this rank alone; other errors occur on every rank
        }
        try {
            fill(*made);
        } catch (...) {
            return nullptr;
        }
        return made->unsealed() == 0 ? std::move(made) : nullptr;
    }
};

/// Unites all parts on rank 0, by a binary tree. `sum` is empty if all its parts are missing.
void gather(const Build& build, Bytes& sum) {
    const int rank = build.rank, ranks = build.ranks;
    for (int step = 1; step < ranks; step *= 2) {
        if ((rank & step) != 0)
            return pass_bytes(sum, "sending a part", [&, to = rank - step](auto... what) {
                return MPI_Send(what..., to, 0, build.communicator);
            });
        if (rank + step >= ranks) continue;
        Bytes other;
        pass_bytes(other, "receiving a part", [&, from = rank + step](auto... what) {
            return MPI_Recv(what..., from, 0, build.communicator, MPI_STATUS_IGNORE);
        });
        if (sum.empty()) sum.swap(other);
        if (other.empty()) continue;
        sum = or_none([&] {
            (void)unite_saved(sum, other, *build.builder(), build.options).value();
            return std::move(sum);
        });
    }
}

/// The filter that rank 0 chooses for the parts of all ranks, on every rank. Ranks without a
/// builder are missing.
JoinFilter choose(const Build& build, std::unique_ptr<JoinBuilder> builder) {
    Bytes sum = or_none([&] {
        return builder ? save_part(std::move(*builder).part(), static_cast<std::size_t>(build.rank),
                                   static_cast<std::size_t>(build.ranks))
                       : Bytes();
    });
    builder.reset();
    gather(build, sum);
    if (build.rank == 0 && !sum.empty() && missing_parts(sum).value().empty())
        sum = or_none([&] {
            const auto whole = build.builder();
            whole->unite(load<JoinFilter>(sum, build.options).value());
            return save(std::move(*whole).finish());
        });
    pass_bytes(sum, "sending the filter",
               [&](auto... what) { return MPI_Bcast(what..., 0, build.communicator); });
    if (sum.empty()) return JoinFilter::accept_all();
    return load<JoinFilter>(sum, build.options).value();
}

/// One filter of known size on every rank: its bits are ORed.
JoinFilter reduce(const Build& build, std::unique_ptr<JoinBuilder> builder) {
    const auto sum = [&](std::uint64_t mine, const char* what) {
        check(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, build.communicator),
              what);
        return mine;
    };
    if (sum(builder ? 0 : 1, "finding missing ranks") != 0) {
        if (builder) builder->unite(JoinFilter::accept_all());  // a small part for the list
        return choose(build, std::move(builder));
    }
    AnyFilter filter = std::move(*builder).filter();
    const auto all_are = [](const AnyFilter& of, std::byte value) {
        return std::ranges::all_of(of.base().bytes(), [&](std::byte b) { return b == value; });
    };
    if (sum(all_are(filter, std::byte{0}) ? 0 : 1, "counting rows") == 0)
        return JoinFilter::accept_none();
    union_of_all_ranks(filter, build.communicator);
    if (all_are(filter, std::byte{0xFF})) return JoinFilter::accept_all();
    return JoinFilter(std::move(filter));
}

using Clock = std::chrono::steady_clock;
using State = FilterExchange::State;

/// A message of 256 bytes, which MPI sends without waiting for the receiver. The bytes of a filter
/// follow only when the receiver has said that it waits for them.
struct Note {
    enum What : std::uint32_t { offer, go, too_large, failed, none };
    What what = none;
    std::uint32_t bytes = 0;  // of an offer
    int from = 0;             // known to the receiver
    char why[244]{};          // of none
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

/// Gives a part to the exchange, or why there is none.
void take(FilterExchange& exchange, int from, Note::What what, const Bytes& part = {}) {
    using Kind = FilterMessage::Kind;
    const auto tell = [&](Kind kind, unsigned number = 0, std::span<const std::byte> bytes = {}) {
        exchange.take({kind, static_cast<std::size_t>(from), 0, number, bytes});
    };
    if (what == Note::failed) return tell(Kind::failed);
    if (what == Note::too_large) return tell(Kind::too_large);
    tell(Kind::part, 0, part);
    tell(Kind::sealed, 1);
}

/// The messages of one call.
class Post {
public:
    Post(MPI_Comm communicator, const MessageSettings& settings)
        : communicator_(communicator), settings_(settings) {}
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

    void send(int to, const Note& note) {
        const auto bytes = std::as_bytes(std::span(&note, 1));
        send(to, settings_.tag, {bytes.begin(), bytes.end()});
    }
    void send(int to, Bytes bytes) { send(to, settings_.tag + 1, std::move(bytes)); }
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
        Note note;
        const auto from = receive(&note, sizeof note, MPI_ANY_SOURCE, settings_.tag, deadline);
        if (!from) return std::nullopt;
        note.from = *from;
        return note;
    }
    /// Receives the part that a note offers; its sender waits for `go`.
    void answer(const Note& note, FilterExchange& exchange, Clock::time_point deadline) {
        if (note.what == Note::failed) return take(exchange, note.from, Note::failed);
        if (note.what != Note::offer || note.bytes > settings_.max_bytes)
            return take(exchange, note.from, Note::too_large);
        if (exchange.state() != State::open) return;
        Bytes bytes(note.bytes);
        send(note.from, Note{Note::go});
        if (receive(bytes.data(), bytes.size(), note.from, settings_.tag + 1, deadline))
            take(exchange, note.from, Note::offer, bytes);
    }

private:
    struct Sending {
        Bytes bytes;
        MPI_Request request;
    };
    void send(int to, int tag, Bytes bytes) {
        Sending& sending = sendings_.emplace_back(Sending{std::move(bytes), MPI_REQUEST_NULL});
        check(MPI_Isend(sending.bytes.data(), static_cast<int>(sending.bytes.size()), MPI_BYTE, to,
                        tag, communicator_, &sending.request),
              "sending a part");
    }
    /// The sender of a message that came before the deadline.
    std::optional<int> receive(void* data, std::size_t size, int from, int tag,
                               Clock::time_point deadline) {
        constexpr auto waiting = "waiting for a part";
        MPI_Status status;
        const auto is_there = [&] {
            int found = 0;
            check(MPI_Iprobe(from, tag, communicator_, &found, &status), waiting);
            return found != 0;
        };
        if (!wait_until(deadline, is_there)) return std::nullopt;
        check(MPI_Recv(data, static_cast<int>(size), MPI_BYTE, status.MPI_SOURCE, tag,
                       communicator_, &status),
              waiting);
        return status.MPI_SOURCE;
    }

    MPI_Comm communicator_;
    const MessageSettings& settings_;
    std::list<Sending> sendings_;
};

/// Rank 0: unites the parts of all, and sends the filter to all.
void collect(Post& post, FilterExchange& exchange, int ranks, std::chrono::milliseconds timeout) {
    auto deadline = Clock::now() + timeout;
    std::vector<int> heard;
    while (static_cast<int>(heard.size()) + 1 < ranks) {
        const auto note = post.next(deadline);
        if (!note) break;
        heard.push_back(note->from);
        post.answer(*note, exchange, deadline);
    }
    exchange.close();
    const bool sealed = exchange.state() == State::sealed;
    const Bytes filter = sealed ? save(exchange.filter()) : Bytes();
    Note note{sealed ? Note::offer : Note::none, static_cast<std::uint32_t>(filter.size())};
    if (!sealed) exchange.why().copy(note.why, sizeof(note.why) - 1);
    for (const int rank : heard) post.send(rank, note);
    if (!sealed) return;
    deadline = Clock::now() + timeout;
    for (std::size_t served = 0; served < heard.size(); ++served) {
        const auto reply = post.next(deadline);
        if (!reply) break;
        if (reply->what == Note::go) post.send(reply->from, filter);
    }
    wait_until(deadline, [&] { return post.all_sent(); });
}

/// The other ranks. Returns why all rows are accepted, if they are.
std::string ask(Post& post, FilterExchange& exchange, const Note& mine, Bytes part,
                std::chrono::milliseconds timeout) {
    const auto deadline = Clock::now() + timeout;
    post.send(0, mine);
    while (const auto note = post.next(deadline)) {
        if (note->what == Note::none) return note->why;
        if (note->what == Note::go) {
            post.send(0, std::move(part));
            continue;
        }
        post.answer(*note, exchange, deadline);
        break;
    }
    if (exchange.state() == State::sealed) return {};
    return detail::to_text("all: no filter came from rank 0 in ", timeout.count(), " ms; ",
                           exchange.why());
}

}  // namespace

void union_of_all_ranks(AnyFilter& filter, MPI_Comm communicator) {
    // The header of a saved filter has all that must agree, and whether it is a Bloom filter.
    const auto mine = detail::FilterFormat::header(filter.base());
    auto of_rank_0 = mine;
    check(MPI_Bcast(of_rank_0.data(), static_cast<int>(mine.size()), MPI_BYTE, 0, communicator),
          "comparing filters");
    int alike = mine == of_rank_0;
    check(MPI_Allreduce(MPI_IN_PLACE, &alike, 1, MPI_INT, MPI_LAND, communicator),
          "comparing filters");
    if (alike == 0)
        throw detail::argument_error(
            "the filters of the ranks differ in spec, size, number of keys, seed or key; here: ",
            filter.spec(), ", ", filter.base().blocks(), " blocks, ", filter.base().n_keys(),
            " keys, seed ", filter.seed());
    if (!filter.base().layout().is_bloom())
        throw detail::argument_error("filters of \"", filter.spec(), "\" cannot be united");
    auto& all = filter.base().parts().bits_;
    // MPI combines words faster than bytes, so whole words are sent as words.
    in_pieces({all.data(), all.size()}, [&](std::byte* data, int n) {
        const bool words = n % 8 == 0;
        check(MPI_Allreduce(MPI_IN_PLACE, data, words ? n / 8 : n, words ? MPI_UINT64_T : MPI_BYTE,
                            MPI_BOR, communicator),
              "uniting filters");
    });
}

JoinFilter build_on_all_ranks(std::string_view spec, std::size_t keys_of_all_ranks,
                              double bits_per_key, const std::function<void(JoinBuilder&)>& fill,
                              MPI_Comm communicator, Options options) {
    const bool chooses = spec == "auto" || spec.starts_with("auto:");
    if (chooses && keys_of_all_ranks == 0)
        throw detail::argument_error("keys_of_all_ranks=0: parts of \"", spec,
                                     "\" have the size for the keys of all");
    Build build{spec, keys_of_all_ranks, bits_per_key, options, communicator};
    build.find_ranks();
    return (chooses ? choose : reduce)(build, build.filled(fill));
}

JoinFilter build_on_all_ranks(std::string_view spec, std::size_t keys_of_all_ranks,
                              double bits_per_key, const JoinColumn& rows, MPI_Comm communicator,
                              Options options) {
    return build_on_all_ranks(
        spec, keys_of_all_ranks, bits_per_key,
        [&](JoinBuilder& builder) { builder.insert(rows, 1); }, communicator, std::move(options));
}

JoinFilter build_by_messages(std::string_view spec, std::size_t keys_of_all_ranks,
                             double bits_per_key, const std::function<void(JoinBuilder&)>& fill,
                             MPI_Comm communicator, const MessageSettings& settings,
                             Options options) {
    if (settings.max_bytes > MessageSettings::most_bytes)
        throw detail::argument_error("max_bytes=", settings.max_bytes,
                                     " is more than the 2^30 of a message");
    Build build{spec, keys_of_all_ranks, bits_per_key, options, communicator};
    build.find_ranks();
    // Rank 0 expects a part of every rank, the others the filter of rank 0.
    FilterExchange exchange(build.rank == 0 ? static_cast<std::size_t>(build.ranks) : 1,
                            settings.max_bytes, spec, keys_of_all_ranks, bits_per_key, options);
    auto builder = build.filled(fill);
    Bytes part = or_none([&] { return builder ? save(std::move(*builder).part()) : Bytes(); });
    builder.reset();
    const Note mine{part.empty()                       ? Note::failed
                    : part.size() > settings.max_bytes ? Note::too_large
                                                       : Note::offer,
                    static_cast<std::uint32_t>(part.size())};
    Post post(communicator, settings);
    if (build.rank == 0) {
        take(exchange, 0, mine.what, part);
        collect(post, exchange, build.ranks, settings.timeout);
    } else if (std::string why = ask(post, exchange, mine, std::move(part), 2 * settings.timeout);
               !why.empty()) {
        return JoinFilter(detail::Everything{}, {}, std::move(why));
    }
    return exchange.filter();
}

}  // namespace simdbloom
