// simdbloom parquet: the Bloom filters of a Parquet file.
#include <algorithm>
#include <string>

#include "commands.hpp"
#include "json.hpp"
#include "simdbloom/adapters/parquet.hpp"

namespace simdbloom::tools {
namespace {

struct ParquetSettings {
    std::string file, column, value;
    bool json = false;
};

/// The last columns of a row of the table.
std::string said_of(const parquet::File& file, std::size_t group, std::size_t column) {
    if (!file.has_filter(group, column)) return "-";
    const auto at =
        static_cast<long long>(*file.metadata().row_groups[group].columns[column].filter_offset);
    const auto filter = file.read_filter(group, column);
    if (!filter) return formatted("%12lld  %s", at, filter.error().message.c_str());
    return formatted("%12lld%12zu%14llu%9.3g%%", at, (*filter).size_in_bytes(),
                     count_of((*filter).n_keys()), 100 * (*filter).estimated_fpr());
}

/// Calls use(row group, column, its metadata) for every column chunk, or those of one column.
template <class Use>
void for_each_chunk(const parquet::File& file, const std::string& only, const Use& use) {
    const auto& groups = file.metadata().row_groups;
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t c = 0; c < groups[g].columns.size(); ++c)
            if (only.empty() || groups[g].columns[c].path == only) use(g, c, groups[g].columns[c]);
}

void list(const parquet::File& file, const std::string& only) {
    const auto& metadata = file.metadata();
    print_line(stdout, "%lld rows in %zu row groups, written by %s",
               static_cast<long long>(metadata.rows), metadata.row_groups.size(),
               metadata.created_by.c_str());
    print_line(stdout, "%-10s%-10s%-28s%-22s%12s%12s%14s%10s", "row group", "rows", "column",
               "type", "filter at", "bytes", "keys, about", "FPR");
    for_each_chunk(
        file, only, [&](std::size_t g, std::size_t c, const parquet::ColumnChunk& chunk) {
            print_line(stdout, "%-10zu%-10lld%-28s%-22s%12s", g,
                       static_cast<long long>(metadata.row_groups[g].rows), chunk.path.c_str(),
                       std::string(to_string(chunk.type)).c_str(), said_of(file, g, c).c_str());
        });
}

void list_json(const parquet::File& file, const std::string& only) {
    const auto& metadata = file.metadata();
    Json chunks = Json::array();
    for_each_chunk(file, only,
                   [&](std::size_t g, std::size_t c, const parquet::ColumnChunk& chunk) {
                       Json filter;
                       if (file.has_filter(g, c)) {
                           filter = {{"at", *chunk.filter_offset}};
                           if (const auto read = file.read_filter(g, c); read) {
                               filter["bytes"] = (*read).size_in_bytes();
                               filter["keys_about"] = (*read).n_keys();
                               filter["fpr"] = (*read).estimated_fpr();
                           } else {
                               filter["error"] = json_text(read.error().message);
                           }
                       }
                       chunks.push_back({{"row_group", g},
                                         {"rows", metadata.row_groups[g].rows},
                                         {"column", json_text(chunk.path)},
                                         {"type", to_string(chunk.type)},
                                         {"filter", std::move(filter)}});
                   });
    print_json({{"rows", metadata.rows},
                {"row_groups", metadata.row_groups.size()},
                {"written_by", json_text(metadata.created_by)},
                {"columns", std::move(chunks)}});
}

int probe(const parquet::File& file, const ParquetSettings& s) {
    const std::size_t column = file.column(s.column);
    const auto& groups = file.metadata().row_groups;
    const auto& type = groups.front().columns[column];
    const auto hashes = parquet::hash_text(type.type, type.type_length, s.value);
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

}  // namespace

void add_parquet(CLI::App& app, int& status) {
    auto* command = add_command(
        app, "parquet", "List the Bloom filters of a Parquet file, or probe them for a value",
        "With --key it says which row groups cannot hold the value.\n"
        "Exit code 3 if none may hold it.",
        {{"simdbloom parquet table.parquet", "its filters"},
         {"simdbloom parquet table.parquet -c id -k 42", "the row groups to read"}});
    const auto s = std::make_shared<ParquetSettings>();
    add_required(*command, "FILE", s->file, file_type, "a Parquet file");
    auto* column =
        command->add_option("-c,--column", s->column, "only this column, its path joined by dots")
            ->type_name("NAME");
    auto* value = command
                      ->add_option("-k,--key", s->value,
                                   "a value of the column: a number, true or false, 24 hexadecimal "
                                   "digits of an INT96, else the bytes themselves")
                      ->type_name("VALUE")
                      ->needs(column);
    add_json(*command, s->json);
    command->callback([=, &status] {
        const auto file = parquet::File::open(s->file).value();
        if (!s->column.empty()) (void)file.column(s->column);
        if (value->count() != 0) status = probe(file, *s);
        else if (s->json) list_json(file, s->column);
        else list(file, s->column);
    });
}

}  // namespace simdbloom::tools
