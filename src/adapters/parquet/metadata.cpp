// Reads FileMetaData. Specification: parquet.thrift.
#include "adapters/parquet/thrift.hpp"
#include "core/extension.hpp"
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

PhysicalType physical_type(ThriftReader& in, ThriftType type) {
    const std::int32_t number = in.i32(type, "the type of a column");
    if (number < 0 || number > 7) in.fail("physical type ", number);
    return static_cast<PhysicalType>(number);
}

std::vector<Leaf> read_schema(ThriftReader& in, ThriftType list) {
    std::vector<Leaf> leaves;
    in.structures(list, "schema", least_element, leaves, [&] {
        Leaf leaf;
        in.structure([&](std::int32_t id, ThriftType type) {
            if (id == 1) leaf.typed = true;
            if (id == 2) leaf.type_length = in.i32(type, "type_length");
        });
        return leaf;
    });
    std::erase_if(leaves, [](const Leaf& leaf) { return !leaf.typed; });
    return leaves;
}

void read_column_metadata(ThriftReader& in, ColumnChunk& column) {
    in.structure([&](std::int32_t id, ThriftType type) {
        if (id == 1) column.type = physical_type(in, type);
        if (id == 3) {
            in.expect(type, ThriftType::list, "path_in_schema");
            in.list(ThriftType::binary,
                    [&] { column.path += (column.path.empty() ? "" : ".") + in.text(); });
        }
        if (id == 5) column.values = in.i64(type, "num_values");
        if (id == 14) column.filter_offset = in.i64(type, "bloom_filter_offset");
        if (id == 15) column.filter_length = in.i32(type, "bloom_filter_length");
    });
}

RowGroup read_row_group(ThriftReader& in, const std::vector<Leaf>& leaves) {
    RowGroup group;
    in.structure([&](std::int32_t id, ThriftType type) {
        if (id == 3) group.rows = in.i64(type, "num_rows of a row group");
        if (id != 1) return;
        in.structures(type, "columns", least_chunk, group.columns, [&] {
            ColumnChunk column;
            in.structure([&](std::int32_t field, ThriftType field_type) {
                if (field != 3) return;
                in.expect(field_type, ThriftType::structure, "meta_data");
                read_column_metadata(in, column);
            });
            if (group.columns.size() < leaves.size())
                column.type_length = leaves[group.columns.size()].type_length;
            return column;
        });
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
            if (id == 2) leaves = read_schema(in, type);
            if (id == 3) metadata.rows = in.i64(type, "num_rows");
            if (id == 4)
                in.structures(type, "row_groups", least_group, metadata.row_groups,
                              [&] { return read_row_group(in, leaves); });
            if (id == 6) {
                in.expect(type, ThriftType::binary, "created_by");
                metadata.created_by = in.text();
            }
        });
        return metadata;
    });
}

}  // namespace simdbloom::parquet
