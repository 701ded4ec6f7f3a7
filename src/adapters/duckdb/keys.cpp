#include "adapters/duckdb/keys.hpp"

DUCKDB_EXTENSION_EXTERN

namespace simdbloom::duckdb {

std::string_view text_of(duckdb_string_t& string) noexcept { return {duckdb_string_t_data(&string), duckdb_string_t_length(string)}; }

VectorKeys::VectorKeys(duckdb_type type, duckdb_vector vector, std::size_t rows) : rows_(rows), valid_(duckdb_vector_get_validity(vector)) {
    void* const data = duckdb_vector_get_data(vector);
    const auto convert = [&]<class T>(T* from, const auto& key) {
        values_.resize(rows);
        for (std::size_t row = 0; row < rows; ++row)
            // What stands in the place of a NULL is not always a value.
            if (valid_ == nullptr || (valid_[row / 64] >> (row % 64) & 1) != 0) values_[row] = key(from[row]);
    };
    switch (type) {
        case DUCKDB_TYPE_DOUBLE: convert(static_cast<double*>(data), [](double value) { return join_key(value); }); break;
        case DUCKDB_TYPE_DATE: convert(static_cast<std::int32_t*>(data), [](std::int32_t days) { return static_cast<std::uint64_t>(std::int64_t{days}); }); break;
        case DUCKDB_TYPE_VARCHAR:
        case DUCKDB_TYPE_BLOB:
            hashed_ = true;
            convert(static_cast<duckdb_string_t*>(data), [](duckdb_string_t& string) { return hash_bytes(text_of(string)); });
            break;
        default: borrowed_ = static_cast<const std::uint64_t*>(data);
    }
}

JoinColumn VectorKeys::column() const noexcept {
    // DuckDB's 64-bit words of validity are, on little-endian machines, the bytes of Arrow's.
    return {{borrowed_ != nullptr ? borrowed_ : values_.data(), rows_}, hashed_, reinterpret_cast<const std::uint8_t*>(valid_), 0};
}

}  // namespace simdbloom::duckdb
