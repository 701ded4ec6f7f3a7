// Columns of every type of KeyColumn, each with what its rows are, said once more and row by row.
#pragma once

#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simdbloom/join/join_rows.hpp"
#include "support.hpp"

namespace simdbloom::test {

struct GivenColumn {
    std::string name;
    KeyColumn column;
    bool is_number;
    /// The key of a row, or the hash of its bytes; nothing of NULLs.
    std::function<std::optional<std::uint64_t>(std::size_t row)> word;
};

/// Makes columns and keeps their memory, in blocks of just as many bytes as are needed, so that
/// AddressSanitizer sees a byte too many.
class Givens {
public:
    Givens(std::size_t n, bool nulls, const RowHash& hash = {}, std::uint64_t seed = 0)
        : n_(n), nulls_(nulls), hash_(hash), seed_(seed) {}

    std::uint64_t hash_of(std::string_view bytes) const {
        return hash_.secret ? siphash(bytes, *hash_.secret) : hash_bytes(bytes, hash_.seed);
    }

    template <class T>
    GivenColumn numbers(const char* name) {
        const std::span<T> values = room<T>(n_);
        for (std::size_t row = 0; row < n_; ++row) {
            const std::uint64_t random = at_random(row);
            if constexpr (std::is_floating_point_v<T>) {
                constexpr T special[] = {T(-0.0), T(0.0), T(1.5), T(-7), T(NAN), -T(NAN), T(1e30)};
                values[row] = random % 3 == 0 ? special[random / 3 % 7]
                                              : static_cast<T>(random % 1000) / T(8);
            } else {
                values[row] = static_cast<T>(random % 5 == 0 ? 0 - random % 100 : random);
            }
        }
        return with_nulls({name, KeyColumn(values), true, [values](std::size_t row) {
                               if constexpr (std::is_floating_point_v<T>)
                                   return std::optional(join_key(double{values[row]}));
                               else
                                   return std::optional(
                                       static_cast<std::uint64_t>(std::int64_t(values[row])));
                           }});
    }

    GivenColumn booleans() {
        const std::span<std::uint8_t> bits = room<std::uint8_t>((n_ + 5 + 7) / 8);
        for (std::size_t i = 0; i < bits.size(); ++i)
            bits[i] = static_cast<std::uint8_t>(at_random(i));
        return with_nulls(
            {"booleans", KeyColumn::booleans(bits.data(), n_, 5), true, [bits](std::size_t row) {
                 return std::optional<std::uint64_t>(bits[(row + 5) / 8] >> (row + 5) % 8 & 1);
             }});
    }

    GivenColumn hashes() {
        const std::span<std::uint64_t> values = room<std::uint64_t>(n_);
        for (std::size_t row = 0; row < n_; ++row) values[row] = at_random(row);
        return with_nulls({"hashes", KeyColumn::hashes(values), false,
                           [values](std::size_t row) { return std::optional(values[row]); }});
    }

    /// Texts of 0 to 40 bytes, half of them alike.
    std::string text(std::size_t row) const {
        const std::uint64_t random = at_random(row / 2);
        std::string text(random % 41, ' ');
        for (std::size_t i = 0; i < text.size(); ++i)
            text[i] = static_cast<char>(at_random(row / 2 + i) >> 13);
        return text;
    }
    GivenColumn of_texts(const char* name, const KeyColumn& column) {
        return with_nulls({name, column, false,
                           [this](std::size_t row) { return std::optional(hash_of(text(row))); }});
    }
    template <class Offset>
    GivenColumn strings(const char* name) {
        std::vector<Offset> offsets{3};
        std::string all = "abc";
        for (std::size_t row = 0; row < n_; ++row) {
            all += text(row);
            offsets.push_back(static_cast<Offset>(all.size()));
        }
        return of_texts(name, KeyColumn::strings(
                                  keep(all.data(), all.size()).data(),
                                  std::span<const Offset>(keep(offsets.data(), offsets.size()))));
    }
    GivenColumn views() {
        const std::span<std::string_view> views = room<std::string_view>(n_);
        for (std::size_t row = 0; row < n_; ++row) views[row] = kept_text(row);
        return of_texts("views", KeyColumn(views));
    }
    GivenColumn inlined() {
        const std::span<char> records = room<char>(16 * n_);
        for (std::size_t row = 0; row < n_; ++row) {
            if (is_null(row)) {  // not to be followed
                std::memset(&records[16 * row], 0x7F, 16);
                continue;
            }
            const auto view = kept_text(row);
            const auto size = static_cast<std::uint32_t>(view.size());
            const char* const bytes = view.data();
            std::memcpy(&records[16 * row], &size, 4);
            if (size <= 12) std::copy_n(bytes, size, &records[16 * row + 4]);
            else std::memcpy(&records[16 * row + 8], &bytes, sizeof bytes);
        }
        return of_texts("inlined", KeyColumn::inlined(records.data(), n_));
    }
    GivenColumn arrow_views() {
        const std::span<std::int32_t> records = room<std::int32_t>(4 * n_);
        std::string buffer[2] = {"x", ""};
        for (std::size_t row = 0; row < n_; ++row) {
            std::int32_t* const record = &records[4 * row];
            std::fill_n(record, 4, -1);
            if (is_null(row)) continue;
            const std::string bytes = text(row);
            record[0] = static_cast<std::int32_t>(bytes.size());
            if (bytes.size() <= 12) {
                std::memcpy(record + 1, bytes.data(), bytes.size());
                continue;
            }
            record[2] = static_cast<std::int32_t>(row % 2);
            record[3] = static_cast<std::int32_t>(buffer[row % 2].size());
            buffer[row % 2] += bytes;
        }
        const std::span<const void*> buffers = room<const void*>(2);
        const std::span<std::int64_t> sizes = room<std::int64_t>(2);
        for (std::size_t i = 0; i < 2; ++i) {
            buffers[i] = keep(buffer[i].data(), buffer[i].size()).data();
            sizes[i] = static_cast<std::int64_t>(buffer[i].size());
        }
        return of_texts("arrow_views",
                        KeyColumn::arrow_views(records.data(), n_, buffers.data(), sizes));
    }
    GivenColumn fixed() {
        const std::span<char> bytes = room<char>(3 * n_);
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<char>(at_random(i) % 4);
        return with_nulls(
            {"fixed", KeyColumn::fixed(bytes.data(), 3, n_), false, [this, bytes](std::size_t row) {
                 return std::optional(hash_of({bytes.data() + 3 * row, 3}));
             }});
    }
    GivenColumn wide() {
        const std::span<std::uint64_t> halves = room<std::uint64_t>(2 * n_);
        for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = at_random(i);
        // Some fit into 64 bits.
        for (std::size_t row = 0; row < n_; row += 3)
            halves[2 * row + (std::endian::native == std::endian::little)] = 0;
        return with_nulls(
            {"wide", KeyColumn::wide(halves.data(), n_), true, [halves](std::size_t row) {
                 std::uint64_t low = halves[2 * row], high = halves[2 * row + 1];
                 if (std::endian::native == std::endian::big) std::swap(low, high);
                 if (high == 0) return std::optional(low);
                 char bytes[16];
                 for (unsigned i = 0; i < 8; ++i) {
                     bytes[i] = static_cast<char>(low >> 8 * i);
                     bytes[8 + i] = static_cast<char>(high >> 8 * i);
                 }
                 return std::optional(hash_bytes(std::string_view(bytes, 16)));
             }});
    }
    /// Codes of `words`, which has at least one row where not all rows are NULL.
    template <class Code>
    GivenColumn dictionary(const GivenColumn& words) {
        const std::span<Code> codes = room<Code>(n_);
        for (std::size_t row = 0; row < n_; ++row)
            codes[row] = is_null(row) || words.column.size() == 0
                             ? static_cast<Code>(-7)
                             : static_cast<Code>(at_random(row) % words.column.size());
        return with_nulls({"dictionary of " + std::to_string(words.column.size()) + " " +
                               words.name + " by codes of " + std::to_string(sizeof(Code)),
                           KeyColumn::dictionary(codes, words.column), words.is_number,
                           [codes, words](std::size_t row) {
                               return words.word(static_cast<std::size_t>(codes[row]));
                           }});
    }

    bool is_null(std::size_t row) const { return nulls_ && at_random(row + 1'000'000) % 4 == 0; }

    /// One of every type that is not a dictionary.
    std::vector<GivenColumn> every_type() {
        return {numbers<std::int8_t>("i8"),
                numbers<std::uint8_t>("u8"),
                numbers<std::int16_t>("i16"),
                numbers<std::uint16_t>("u16"),
                numbers<std::int32_t>("i32"),
                numbers<std::uint32_t>("u32"),
                numbers<std::int64_t>("i64"),
                numbers<std::uint64_t>("u64"),
                numbers<float>("f32"),
                numbers<double>("f64"),
                booleans(),
                hashes(),
                strings<std::int32_t>("strings32"),
                strings<std::int64_t>("strings64"),
                views(),
                inlined(),
                arrow_views(),
                fixed(),
                wide()};
    }

private:
    std::uint64_t at_random(std::size_t i) const { return random_key(i + 10'000'000 * seed_); }

    template <class T>
    std::span<T> room(std::size_t n) {
        memory_.push_back(std::make_shared<std::vector<std::byte>>(n * sizeof(T)));
        return {reinterpret_cast<T*>(memory_.back()->data()), n};
    }
    template <class T>
    std::span<T> keep(const T* from, std::size_t n) {
        const std::span<T> to = room<T>(n);
        std::copy_n(from, n, to.data());
        return to;
    }
    std::string_view kept_text(std::size_t row) {
        const std::string bytes = text(row);
        const auto to = keep(bytes.data(), bytes.size());
        return {to.data(), to.size()};
    }
    /// A validity that begins at an odd bit.
    GivenColumn with_nulls(GivenColumn given) {
        if (!nulls_) return given;
        constexpr std::size_t offset = 11;
        const std::span<std::uint8_t> valid = room<std::uint8_t>((n_ + offset + 7) / 8);
        for (std::size_t row = 0; row < n_; ++row)
            if (!is_null(row))
                valid[(offset + row) / 8] |= static_cast<std::uint8_t>(1u << (offset + row) % 8);
        given.column = given.column.with_validity(valid.data(), offset);
        given.name += " with NULLs";
        given.word = [this, word = given.word](std::size_t row) {
            return is_null(row) ? std::nullopt : word(row);
        };
        return given;
    }

    std::size_t n_;
    bool nulls_;
    RowHash hash_;
    std::uint64_t seed_;
    std::vector<std::shared_ptr<std::vector<std::byte>>> memory_;
};

}  // namespace simdbloom::test
