// The table of formats, and the public calls.
#include "simdbloom/foreign/foreign.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/extension.hpp"
#include "foreign/model.hpp"

namespace simdbloom {
namespace foreign {
namespace {

const std::array<const Format*, 11> formats{
    &leveldb_format,  &rocksdb_format, &rocksdb_legacy_format, &parquet_format,
    &kudu_format,     &impala_format,  &guava_format,          &spark_v1_format,
    &spark_v2_format, &milvus_format,  &bits_and_blooms_format};

const Format& row_of(ForeignFormat format) { return *formats[static_cast<std::size_t>(format)]; }

std::string names_of(std::span<const ForeignFormat> some) {
    std::string names;
    for (const ForeignFormat format : some)
        names += (names.empty() ? "" : ", ") + std::string(to_string(format));
    return names;
}

/// Calls `make`. A refusal becomes std::length_error, because the caller chose the size.
Made made(const Format& row, Made (*make)(std::size_t, double, const Options&), const char* other,
          std::size_t n_keys, double size, const Options& options) {
    if (make == nullptr)
        throw detail::argument_error("filters of ", row.name, " are sized by ", other);
    if (n_keys == 0) throw detail::argument_error("a filter of ", row.name, " for 0 keys");
    try {
        return make(n_keys, size, options);
    } catch (const Refused& e) {
        throw detail::length_error(e.error().message);
    }
}

}  // namespace

void check_limit(std::uint64_t bytes, const Options& options) {
    if (bytes > std::numeric_limits<std::size_t>::max() / 2 ||
        (options.max_bytes != 0 && bytes > options.max_bytes))
        throw Refused(LoadFault::limit, bytes,
                      " bytes of bits are more than max_bytes=", options.max_bytes);
}

void check_fpr(const char* system, double fpr) {
    if (!(fpr > 0 && fpr < 1))
        throw detail::argument_error("fpr=", fpr, " is not inside (0, 1), the range of ", system);
}

void check_same(const char* what, std::uint64_t one, std::uint64_t other) {
    if (one != other)
        throw Refused(LoadFault::unlike, what, " ", one, " is not ", what, " ", other);
}

double bits_for_fpr(std::size_t n_keys, double fpr) {
    return -static_cast<double>(n_keys) * std::log(fpr) / (std::numbers::ln2 * std::numbers::ln2);
}

unsigned checked_k(const char* system, const std::string& asks, double k, std::uint64_t most) {
    if (k > static_cast<double>(most))
        throw detail::argument_error(asks, " asks for k=", k, ", and ", system, " takes at most ",
                                     most);
    return std::max(1u, static_cast<unsigned>(k));
}

std::uint64_t whole_bits(const char* system, double bits, std::uint64_t most) {
    if (!(bits >= 0)) throw detail::argument_error(bits, " bits for a filter of ", system);
    if (bits > static_cast<double>(most))
        throw Refused(LoadFault::limit, bits, " bits are more than the ", most,
                      " that a filter of ", system, " has");
    return static_cast<std::uint64_t>(bits);
}

}  // namespace foreign

std::string_view to_string(ForeignFormat format) noexcept { return foreign::row_of(format).name; }

std::span<const ForeignFormat> foreign_formats() noexcept {
    static const auto all = [] {
        std::array<ForeignFormat, foreign::formats.size()> ids;
        std::ranges::transform(foreign::formats, ids.begin(), &foreign::Format::id);
        return ids;
    }();
    return all;
}

ForeignFormat parse_foreign_format(std::string_view name) {
    for (const ForeignFormat format : foreign_formats())
        if (to_string(format) == name) return format;
    throw detail::argument_error("\"", name, "\" is not one of ",
                                 foreign::names_of(foreign_formats()));
}

bool takes_bits_per_key(ForeignFormat format) noexcept {
    return foreign::row_of(format).by_bits != nullptr;
}

std::vector<ForeignFormat> foreign_formats_of(std::span<const std::byte> bytes) {
    std::vector<ForeignFormat> found;
    for (const foreign::Format* row : foreign::formats)
        if (row->fits != nullptr && row->fits(bytes)) found.push_back(row->id);
    return found;
}

ForeignFilter::ForeignFilter(std::unique_ptr<foreign::Model> model) noexcept
    : model_(std::move(model)) {}
ForeignFilter::ForeignFilter(const ForeignFilter& other)
    : model_(other.model_ == nullptr ? nullptr : other.model_->copy()) {}
ForeignFilter::ForeignFilter(ForeignFilter&& other) noexcept = default;
ForeignFilter& ForeignFilter::operator=(const ForeignFilter& other) {
    return *this = ForeignFilter(other);
}
ForeignFilter& ForeignFilter::operator=(ForeignFilter&& other) noexcept = default;
ForeignFilter::~ForeignFilter() = default;

ForeignFilter ForeignFilter::with_bits_per_key(ForeignFormat format, std::size_t n_keys,
                                               double bits_per_key, const Options& options) {
    const auto& row = foreign::row_of(format);
    return ForeignFilter(foreign::made(row, row.by_bits, "FPR", n_keys, bits_per_key, options));
}

ForeignFilter ForeignFilter::for_fpr(ForeignFormat format, std::size_t n_keys, double fpr,
                                     const Options& options) {
    const auto& row = foreign::row_of(format);
    return ForeignFilter(foreign::made(row, row.by_fpr, "bits per key", n_keys, fpr, options));
}

ForeignFormat ForeignFilter::format() const noexcept { return model_->format(); }
std::size_t ForeignFilter::size_in_bytes() const noexcept { return model_->bits().size(); }
unsigned ForeignFilter::k() const noexcept { return model_->k(); }
double ForeignFilter::estimated_fpr() const { return model_->estimated_fpr(); }
std::string ForeignFilter::details() const { return model_->details(); }
std::vector<std::byte> ForeignFilter::write() const { return model_->write(); }
const SplitBlockBloom* ForeignFilter::split_blocks() const noexcept {
    return model_->split_blocks();
}

void ForeignFilter::insert(const Keys& keys) { model_->insert(unhashed(keys)); }

std::size_t ForeignFilter::count(const Keys& keys) const {
    return model_->answer(unhashed(keys), detail::Output::count, nullptr);
}
std::size_t ForeignFilter::contains(const Keys& keys, std::span<std::uint8_t> bitmap) const {
    detail::check_bitmap(keys.size(), bitmap.size());
    detail::check_apart(keys.memory(), std::as_bytes(bitmap));
    return model_->answer(unhashed(keys), detail::Output::bitmap, bitmap.data());
}
std::size_t ForeignFilter::select(const Keys& keys, std::span<std::uint32_t> positions) const {
    detail::check_positions(keys.size(), positions.size());
    detail::check_apart(keys.memory(), std::as_bytes(positions));
    return model_->answer(unhashed(keys), detail::Output::select, positions.data());
}

const Keys& ForeignFilter::unhashed(const Keys& keys) const {
    if (keys.are_hashes() || keys.form() == Keys::Form::others)
        throw detail::argument_error(
            "a filter of ", to_string(format()),
            " hashes integers and texts itself, and takes no hashes and no keys with a hasher");
    return keys;
}

ForeignFilter& ForeignFilter::operator|=(const ForeignFilter& other) {
    if (format() != other.format())
        throw detail::argument_error("a filter of ", to_string(format()), " and one of ",
                                     to_string(other.format()), " cannot be united");
    try {
        model_->unite(*other.model_);
    } catch (const foreign::Refused& e) {
        throw detail::argument_error("filters of ", to_string(format()),
                                     " cannot be united: ", e.error().message);
    }
    return *this;
}

namespace {

/// Calls `work`; a Refused becomes an error value.
template <class Work>
Loaded<ForeignFilter> refusals_as_values(const Work& work) noexcept {
    return detail::without_throwing<ForeignFilter>([&]() -> Loaded<ForeignFilter> {
        try {
            return ForeignFilter(work());
        } catch (const foreign::Refused& e) {
            return e.error();
        }
    });
}

}  // namespace

Loaded<ForeignFilter> read_foreign(std::span<const std::byte> bytes, ForeignFormat format,
                                   const Options& options) noexcept {
    return refusals_as_values([&] { return foreign::row_of(format).read(bytes, options); });
}

Loaded<ForeignFilter> read_foreign(std::span<const std::byte> bytes,
                                   const Options& options) noexcept {
    return refusals_as_values([&] {
        const auto found = foreign_formats_of(bytes);
        if (found.size() != 1)
            throw foreign::Refused(
                LoadFault::foreign,
                found.empty()
                    ? std::to_string(bytes.size()) + " bytes in none of the formats " +
                          foreign::names_of(foreign_formats())
                    : "bytes that fit each of " + foreign::names_of(found) + ": name the format");
        return foreign::row_of(found[0]).read(bytes, options);
    });
}

Loaded<ForeignFilter> convert(const ForeignFilter& filter, ForeignFormat to,
                              KeyKind keys) noexcept {
    return refusals_as_values([&] {
        const foreign::Model& from = filter.model();
        if (from.format() == to) return from.copy();
        const auto &here = foreign::row_of(from.format()), &there = foreign::row_of(to);
        const auto differ = [&](const std::string& what, const char* one, const char* other) {
            throw foreign::Refused(
                LoadFault::unlike, "a filter of ", here.name, " cannot become one of ", there.name,
                ": the keys are gone, and ", what, " differ (", one, "; ", other, ")");
        };
        if (std::string_view(here.hash) != there.hash) differ("the hashes", here.hash, there.hash);
        if (std::string_view(here.bits) != there.bits) differ("the bits", here.bits, there.bits);
        return there.from(from, keys);
    });
}

ForeignFilter ForeignFilter::from_split_blocks(ForeignFormat format, SplitBlockBloom filter,
                                               KeyKind keys) {
    if (format != ForeignFormat::parquet && format != ForeignFormat::milvus)
        throw detail::argument_error("a filter of ", to_string(format), " has no bits of split256");
    if (filter.spec() != "split256" || filter.hashing() == Hashing::keyed || filter.seed() != 0)
        throw detail::argument_error(
            "a filter of Parquet or Milvus is a split256 with seed 0, this one is ", filter.spec(),
            " with seed ", filter.seed());
    ForeignFilter parquet(foreign::parquet_of(std::move(filter)));
    if (format == ForeignFormat::parquet) return parquet;
    auto milvus = simdbloom::convert(parquet, format, keys);
    if (!milvus) throw detail::argument_error(milvus.error().message);
    return std::move(*milvus);
}

namespace {

/// The format is named, or the bytes name it.
Loaded<ForeignFilter> of_file(const FileName& name, std::optional<ForeignFormat> format,
                              const Options& options) noexcept {
    return detail::without_throwing<ForeignFilter>([&]() -> Loaded<ForeignFilter> {
        const std::filesystem::path path = name.native();
        const auto opened = detail::open_regular(path, 1);
        if (!opened) return opened.error();
        // The bits, with room for header and trailer.
        if (options.max_bytes != 0 && (*opened).bytes / 2 > options.max_bytes)
            return detail::in_file(
                path, detail::fault(LoadFault::limit, (*opened).bytes,
                                    " bytes are more than max_bytes=", options.max_bytes));
        detail::Storage bytes((*opened).bytes);
        const std::span<std::byte> all(bytes.data(), bytes.size());
        if (!detail::read_at((*opened).file.get(), 0, all)) return detail::not_read(path);
        auto filter = format ? read_foreign(all, *format, options) : read_foreign(all, options);
        if (!filter) return detail::in_file(path, filter.error());
        return filter;
    });
}

}  // namespace

Loaded<ForeignFilter> read_foreign_file(const FileName& name, ForeignFormat format,
                                        const Options& options) noexcept {
    return of_file(name, format, options);
}

Loaded<ForeignFilter> read_foreign_file(const FileName& name, const Options& options) noexcept {
    return of_file(name, std::nullopt, options);
}

void save_file(const ForeignFilter& filter, const FileName& name) {
    const auto bytes = filter.write();
    detail::save_whole(name.native(), [&](int file) { return detail::write_all(file, bytes); });
}

}  // namespace simdbloom
