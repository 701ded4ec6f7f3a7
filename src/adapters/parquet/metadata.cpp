// Reads FileMetaData. Specification: parquet.thrift.
#include "adapters/parquet/thrift.hpp"
#include "core/files/saved.hpp"
#include "simdbloom/adapters/parquet.hpp"

namespace simdbloom::parquet {
namespace {

// The least bytes of the required fields: the name of a schema element; the columns and two numbers
// of a row group; the offset and nine fields of a column chunk (encrypted ones take more).
constexpr std::size_t least_element = 3, least_group = 7, least_chunk = 20;

/// A leaf of the schema. Column chunks are in the order of the leaves.
struct Leaf {
    std::int32_t type_length = 0;
    bool typed = false;  // a group of columns has no type
};

PhysicalType physical_type(ThriftReader& in) {
    const std::int64_t number = in.integer(32);
    if (number < 0 || number > 7) in.fail("physical type " + std::to_string(number));
    return static_cast<PhysicalType>(number);
}

std::vector<Leaf> read_schema(ThriftReader& in) {
    std::vector<Leaf> leaves;
    in.structures(least_element, leaves, [&] {
        Leaf leaf;
        in.structure([&](std::int32_t id, ThriftType type) {
            if (id == 1) leaf.typed = true;
            if (id != 2) return false;
            in.expect(type, ThriftType::i32, "type_length");
            leaf.type_length = static_cast<std::int32_t>(in.integer(32));
            return true;
        });
        return leaf;
    });
    std::erase_if(leaves, [](const Leaf& leaf) { return !leaf.typed; });
    return leaves;
}

void read_column_metadata(ThriftReader& in, ColumnChunk& column) {
    in.structure([&](std::int32_t id, ThriftType type) {
        switch (id) {
            case 1:
                in.expect(type, ThriftType::i32, "the type of a column");
                column.type = physical_type(in);
                return true;
            case 3:
                in.expect(type, ThriftType::list, "path_in_schema");
                in.list(ThriftType::binary,
                        [&] { column.path += (column.path.empty() ? "" : ".") + in.text(); });
                return true;
            case 5:
                in.expect(type, ThriftType::i64, "num_values");
                column.values = in.integer(64);
                return true;
            case 14:
                in.expect(type, ThriftType::i64, "bloom_filter_offset");
                column.filter_offset = in.integer(64);
                return true;
            case 15:
                in.expect(type, ThriftType::i32, "bloom_filter_length");
                column.filter_length = static_cast<std::int32_t>(in.integer(32));
                return true;
            default:
                return false;
        }
    });
}

RowGroup read_row_group(ThriftReader& in, const std::vector<Leaf>& leaves) {
    RowGroup group;
    in.structure([&](std::int32_t id, ThriftType type) {
        if (id == 3) {
            in.expect(type, ThriftType::i64, "num_rows of a row group");
            group.rows = in.integer(64);
            return true;
        }
        if (id != 1) return false;
        in.expect(type, ThriftType::list, "columns");
        in.structures(least_chunk, group.columns, [&] {
            ColumnChunk column;
            in.structure([&](std::int32_t field, ThriftType field_type) {
                if (field != 3) return false;
                in.expect(field_type, ThriftType::structure, "meta_data");
                read_column_metadata(in, column);
                return true;
            });
            if (group.columns.size() < leaves.size())
                column.type_length = leaves[group.columns.size()].type_length;
            return column;
        });
        return true;
    });
    return group;
}

}  // namespace

Loaded<Metadata> parse_metadata(std::span<const std::byte> bytes) noexcept {
    return detail::without_throwing<Metadata>([&]() -> Loaded<Metadata> {
        ThriftReader in(bytes);
        Metadata metadata;
        std::vector<Leaf> leaves;
        in.structure([&](std::int32_t id, ThriftType type) {
            switch (id) {
                case 2:
                    in.expect(type, ThriftType::list, "schema");
                    leaves = read_schema(in);
                    return true;
                case 3:
                    in.expect(type, ThriftType::i64, "num_rows");
                    metadata.rows = in.integer(64);
                    return true;
                case 4:
                    in.expect(type, ThriftType::list, "row_groups");
                    in.structures(least_group, metadata.row_groups,
                                  [&] { return read_row_group(in, leaves); });
                    return true;
                case 6:
                    in.expect(type, ThriftType::binary, "created_by");
                    metadata.created_by = in.text();
                    return true;
                default:
                    return false;
            }
        });
        return metadata;
    });
}

}  // namespace simdbloom::parquet
