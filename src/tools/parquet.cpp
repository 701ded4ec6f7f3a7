// simdbloom parquet: the Bloom filters of a Parquet file.
#include <algorithm>
#include <optional>
#include <string>

#include "commands.hpp"
#include "json.hpp"
#include "simdbloom/adapters/parquet.hpp"

namespace simdbloom::tools {
namespace {

struct ParquetSettings {
    std::string file, column;
    std::optional<std::string> value;
    bool json = false;
};

/// Calls use(row group, column, its metadata) for every column chunk, or those of one column.
template <class Use>
void for_each_chunk(const parquet::File& file, const std::string& only, const Use& use) {
    const auto& groups = file.metadata().row_groups;
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t c = 0; c < groups[g].columns.size(); ++c)
            if (only.empty() || groups[g].columns[c].path == only) use(g, c, groups[g].columns[c]);
}

int list(const parquet::File& file, const ParquetSettings& s) {
    const auto& metadata = file.metadata();
    Json chunks = Json::array();
    if (!s.json) {
        print_line(stdout, "%lld rows in %zu row groups, written by %s",
                   static_cast<long long>(metadata.rows), metadata.row_groups.size(),
                   metadata.created_by.c_str());
        print_line(stdout, "%-10s%-10s%-28s%-22s%12s%12s%14s%10s", "row group", "rows", "column",
                   "type", "filter at", "bytes", "keys, about", "FPR");
    }
    for_each_chunk(file, s.column, [&](std::size_t g, std::size_t c, const auto& chunk) {
        const std::int64_t rows = metadata.row_groups[g].rows;
        Json filter;
        std::string said = formatted("%12s", "-");
        if (file.has_filter(g, c)) {
            filter = {{"at", *chunk.filter_offset}};
            said = formatted("%12lld", static_cast<long long>(*chunk.filter_offset));
            if (const auto read = file.read_filter(g, c); read) {
                filter["bytes"] = (*read).size_in_bytes();
                filter["keys_about"] = (*read).n_keys();
                filter["fpr"] = (*read).estimated_fpr();
                said += formatted("%12zu%14llu%9.3g%%", (*read).size_in_bytes(),
                                  count_of((*read).n_keys()), 100 * (*read).estimated_fpr());
            } else {
                filter["error"] = json_text(read.error().message);
                said += "  " + read.error().message;
            }
        }
        if (s.json)
            chunks.push_back({{"row_group", g},
                              {"rows", rows},
                              {"column", json_text(chunk.path)},
                              {"type", to_string(chunk.type)},
                              {"filter", std::move(filter)}});
        else
            print_line(stdout, "%-10zu%-10lld%-28s%-22s%s", g, static_cast<long long>(rows),
                       chunk.path.c_str(), std::string(to_string(chunk.type)).c_str(),
                       said.c_str());
    });
    if (s.json)
        print_json({{"rows", metadata.rows},
                    {"row_groups", metadata.row_groups.size()},
                    {"written_by", json_text(metadata.created_by)},
                    {"columns", std::move(chunks)}});
    return 0;
}

int probe(const parquet::File& file, const ParquetSettings& s) {
    const std::size_t column = file.column(s.column);
    const auto& groups = file.metadata().row_groups;
    const auto& type = groups.front().columns[column];
    const auto hashes = parquet::hash_text(type.type, type.type_length, *s.value);
    const auto with = file.row_groups_with(column, hashes);
    Json said = Json::array();
    std::size_t without_filter = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const bool read = std::ranges::binary_search(with, g), has = file.has_filter(g, column);
        without_filter += !has;
        said.push_back({{"row_group", g}, {"read", read}, {"has_filter", has}});
        if (!s.json)
            print_line(stdout, "row group %zu: %s", g,
                       !read ? "skip"
                       : has ? "read"
                             : "read (no filter)");
    }
    const int status = with.empty() ? 3 : 0;
    if (s.json) {
        print_json({{"row_groups", std::move(said)}, {"to_read", with.size()}});
        return status;
    }
    const std::string others =
        without_filter != 0 ? formatted("; %zu have no filter", without_filter) : "";
    print_line(stdout, "%zu of %zu row groups can be skipped%s", groups.size() - with.size(),
               groups.size(), others.c_str());
    return status;
}

int run(ParquetSettings s) {
    const auto file = parquet::File::open(s.file).value();
    if (!s.column.empty()) (void)file.column(s.column);
    return s.value ? probe(file, s) : list(file, s);
}

}  // namespace

void make_parquet(CLI::App& command, int& status) {
    describe(command, "List the Bloom filters of a Parquet file, or probe them for a value",
             "With --key it says which row groups cannot hold the value.\n"
             "Exit code 3 if none may hold it.",
             {{"simdbloom parquet table.parquet", "its filters"},
              {"simdbloom parquet table.parquet -c id -k 42", "the row groups to read"}});
    auto& s = settings_of<ParquetSettings>(command, status, run);
    add_required(command, "FILE", s.file, file_type, "a Parquet file");
    auto* column =
        command.add_option("-c,--column", s.column, "only this column, its path joined by dots")
            ->type_name("NAME");
    add_value(command, "-k,--key", s.value, "VALUE",
              "a value of the column: a number, true or false, 24 hexadecimal digits of an INT96, "
              "else the bytes themselves")
        ->needs(column);
    add_json(command, s.json);
}

}  // namespace simdbloom::tools
