// Everything that can be saved: bytes that are not exactly what was saved are refused.
#include <functional>

#include "bloomier_support.hpp"
#include "join_keys.hpp"
#include "saved_checks.hpp"
#include "simdbloom/join/saved_union.hpp"

namespace simdbloom {
namespace {

using test::Bytes;
using Fault = std::optional<LoadError>;
using SomeKeys = std::vector<std::uint64_t>;

template <class T>
Fault fault_of(const Loaded<T>& loaded) {
    if (loaded) return std::nullopt;
    return loaded.error();
}

struct Saved {
    std::string name;
    Bytes bytes;
    std::function<Fault(std::span<const std::byte>)> load;
    std::function<Fault(const std::filesystem::path&)> load_file;
};

template <class T>
Saved saved_as(std::string name, Bytes bytes) {
    return {std::move(name), std::move(bytes),
            [](std::span<const std::byte> b) { return fault_of(load<T>(b)); },
            [](const std::filesystem::path& p) { return fault_of(load_file<T>(p)); }};
}

/// A few of each structure.
std::vector<Saved> everything(std::size_t keys) {
    std::vector<Saved> all;
    for (const auto& spec : test::layout_names())
        all.push_back(saved_as<AnyFilter>(spec, save(test::make_filled(spec, keys))));
    GrowingCuckoo growing(1);
    for (unsigned i = 0; i < 8; ++i) growing.insert(std::uint64_t{1});
    growing.insert(test::random_keys(100));
    all.push_back(saved_as<GrowingCuckoo>("growing", save(growing)));
    for (const test::MapShape shape : {test::MapShape{0, 8}, {5, 6, 4}, {32, 32}}) {
        const auto map = test::make_map(shape, keys);
        all.push_back(saved_as<BloomierMap>(map.spec(), save(map)));
    }
    FilterBank bank = FilterBank::with_bits_per_key(65, 40, 8, {.spec = "register64:k=4"});
    for (std::size_t s = 0; s < 65; ++s) bank.insert(s, test::random_keys(40, 40 * s));
    all.push_back(saved_as<FilterBank>("bank", save(bank)));
    std::vector<std::size_t> sizes(30, 4);
    sizes[7] = 300;
    CompactBank compact = CompactBank::with_bits_per_key(sizes, 8, {.spec = "register64:k=4"});
    for (std::size_t s = 0; s < 30; ++s) compact.insert(s, test::random_keys(sizes[s], 40 * s));
    EXPECT_EQ(compact.banks().size(), 2u);
    all.push_back(saved_as<CompactBank>("compact bank", save(compact)));
    ScalableBloom series({.first_capacity = 20, .fpr = 0.1});
    series.insert(test::random_keys(100));
    all.push_back(saved_as<ScalableBloom>("series", save(series)));
    for (const auto& of :
         {SomeKeys{}, SomeKeys{7}, test::sequence(100, 1'000), test::random_keys(300)}) {
        const JoinFilter join = test::chosen(of);
        const std::string name(to_string(join.kind()));
        all.push_back(saved_as<JoinFilter>("join " + name, save(join)));
        all.push_back(saved_as<JoinFilter>("part " + name, save_part(join, 1, 5)));
    }
    return all;
}

/// Promise of Damage.*, Serialize.*, SerializeFile.*, BloomierSaved.*, BankSaved.*, CompactSaved.*,
///   BankGolden.*, JoinSaved.*: Saved filters, maps, banks and join filters come back bit for bit;
///   damaged bytes are refused.
TEST(Damage, EveryTruncationAndExtensionIsRefusedInMemoryAndInAFile) {
    const test::TemporaryFolder folder("damage");
    const auto path = folder.path / "saved";
    for (const Saved& of : everything(300)) {
        SCOPED_TRACE(of.name);
        ASSERT_FALSE(of.load(of.bytes));
        test::write_bytes(path, of.bytes);
        ASSERT_FALSE(of.load_file(path));
        for (std::size_t n = 0; n < of.bytes.size(); ++n) {
            const auto cut = std::span(of.bytes).first(n);
            const Fault in_memory = of.load(cut);
            ASSERT_TRUE(in_memory) << n;
            if (n % 61 != 0) continue;
            test::write_bytes(path, cut);
            const Fault in_file = of.load_file(path);
            ASSERT_TRUE(in_file) << n;
            EXPECT_EQ(in_file->fault, in_memory->fault) << in_file->message;
            EXPECT_NE(in_file->message.find(path.string()), std::string::npos) << in_file->message;
        }
        Bytes longer = of.bytes;
        for (int i = 0; i < 70; ++i) {
            longer.push_back(std::byte{0});
            ASSERT_TRUE(of.load(longer)) << longer.size();
        }
        test::write_bytes(path, longer);
        EXPECT_TRUE(of.load_file(path));
        std::filesystem::remove(path);
        const Fault missing = of.load_file(path);
        ASSERT_TRUE(missing);
        EXPECT_EQ(missing->fault, LoadFault::file);
        EXPECT_NE(missing->message.find(path.string()), std::string::npos) << missing->message;
        EXPECT_TRUE(of.load_file(folder.path)) << "a folder";
    }
}

// Any bit of the first 4 KiB behind a header, and of the last 9 bytes.
TEST(Damage, EveryFlippedBitIsSeen) {
    for (Saved& of : everything(4096 * 8 / 12 + 700)) {
        SCOPED_TRACE(of.name);
        Bytes& bytes = of.bytes;
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            if (at == 64 + 4096) at = bytes.size() - 9;
            for (int bit = 0; bit < 8; ++bit) {
                bytes[at] ^= static_cast<std::byte>(1 << bit);
                ASSERT_TRUE(of.load(bytes)) << "byte " << at << " bit " << bit;
                bytes[at] ^= static_cast<std::byte>(1 << bit);
            }
        }
        ASSERT_FALSE(of.load(bytes));
    }
}

}  // namespace
}  // namespace simdbloom
