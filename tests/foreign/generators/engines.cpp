// engines FOLDER: filters that the installed LevelDB and RocksDB write, and what LevelDB answers.
// tests/foreign/README.md says which keys. Link with leveldb and rocksdb.
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Key = std::string (*)(std::uint64_t);
std::string folder;

std::string number(std::uint64_t i) {
    std::string key(8, 0);
    for (unsigned byte = 0; byte < 8; ++byte)
        key[byte] = static_cast<char>(i * 0x9E3779B97F4A7C15u >> 8 * byte);
    return key;
}
std::string text(std::uint64_t i) {
    return "schl\xC3\xBCssel " + std::to_string(i) + std::string(i % 50, 'x') +
           (i % 2 != 0 ? "\xC3\xA9" : "");
}

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "engines: %s\n", what);
    std::exit(1);
}

std::vector<std::string> keys_of(Key key, std::uint64_t first, std::uint64_t n) {
    std::vector<std::string> keys;
    for (std::uint64_t i = 0; i < n; ++i) keys.push_back(key(first + i));
    return keys;
}

void write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder + "/" + name, std::ios::binary) << bytes;
}

void write_leveldb(const std::string& name, Key key, std::uint64_t n, int bits_per_key) {
    const std::unique_ptr<const leveldb::FilterPolicy> policy(
        leveldb::NewBloomFilterPolicy(bits_per_key));
    const auto keys = keys_of(key, 0, n);
    const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
    std::string filter, answers(125, 0);
    policy->CreateFilter(slices.data(), static_cast<int>(n), &filter);
    write(name + ".bin", filter);
    for (std::uint64_t i = 0; i < 1000; ++i)
        if (policy->KeyMayMatch(key(n + i), filter))
            answers[i / 8] = static_cast<char>(answers[i / 8] | 1 << i % 8);
    write(name + ".answers", answers);
}

std::uint64_t varint(const std::string& bytes, std::size_t& at) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.at(at++));
        value |= std::uint64_t{byte & 0x7Fu} << shift;
        if (byte < 0x80) return value;
    }
}

/// The filter of a table, which the index of its meta blocks names.
std::string filter_of(const std::string& table) {
    const std::string name = "fullfilter.rocksdb.BuiltinBloomFilter";
    std::size_t at = table.rfind(name);
    must(at != std::string::npos, "a table without a filter");
    at += name.size();
    const std::uint64_t offset = varint(table, at), size = varint(table, at);
    return table.substr(offset, size);
}

void write_rocksdb(const std::string& name, Key key, std::uint64_t n, double bits_per_key,
                   unsigned format_version) {
    const std::string path = folder + "/table.sst";
    rocksdb::BlockBasedTableOptions table;
    table.format_version = format_version;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(bits_per_key, false));
    rocksdb::Options options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    must(writer.Open(path).ok(), "a table cannot be opened");
    auto keys = keys_of(key, 0, n);
    std::sort(keys.begin(), keys.end());
    for (const auto& k : keys) must(writer.Put(k, "").ok(), "a key cannot be put");
    must(writer.Finish().ok(), "a table cannot be finished");
    std::stringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    std::remove(path.c_str());
    write(name + ".bin", filter_of(bytes.str()));
}

}  // namespace

int main(int, char** argv) {
    folder = argv[1];
    write_leveldb("leveldb_integers_1", number, 1, 10);
    write_leveldb("leveldb_integers_500", number, 500, 7);
    write_leveldb("leveldb_text_500", text, 500, 10);
    write_rocksdb("rocksdb_integers_1", number, 1, 10, 5);
    write_rocksdb("rocksdb_integers_500", number, 500, 9.5, 5);
    write_rocksdb("rocksdb_text_500", text, 500, 16, 5);
    write_rocksdb("rocksdb_legacy_integers_500", number, 500, 10, 4);
    write_rocksdb("rocksdb_legacy_text_500", text, 500, 15.4, 4);
}
