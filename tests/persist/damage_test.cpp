// Everything that can be saved: bytes that are not exactly what was saved are refused.
#include "every_saved.hpp"

namespace simdbloom {
namespace {

using test::Bytes;
using test::Fault;
using test::Saved;

/// Promise of Damage.*, Serialize.*, SerializeFile.*, BloomierSaved.*, BankSaved.*, CompactSaved.*,
///   BankGolden.*, JoinSaved.*: Saved filters, maps, banks and join filters come back bit for bit;
///   damaged bytes are refused.
TEST(Damage, EveryTruncationAndExtensionIsRefusedInMemoryAndInAFile) {
    const test::TemporaryFolder folder("damage");
    const auto path = folder.path / "saved";
    for (const Saved& of : test::everything(300)) {
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
    for (Saved& of : test::everything(4096 * 8 / 12 + 700)) {
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

// Not join filters, most of which have no hashes.
TEST(Damage, WhatIsKeyedIsLoadedWithItsSecretAlone) {
    const Secret secret{0x0706050403020100u, 0x0F0E0D0C0B0A0908u};
    const Options keyed{.hashing = Hashing::keyed, .secret = secret};
    Options other = keyed, none = keyed;
    other.secret->high ^= 1;
    none.secret.reset();
    const auto expect_fault = [](const Saved& of, const Options& options, const char* says) {
        const Fault fault = of.load_by(of.bytes, options);
        ASSERT_TRUE(fault) << of.name << ": " << says;
        EXPECT_EQ(fault->fault, LoadFault::secret) << of.name << ": " << fault->message;
        EXPECT_NE(fault->message.find(says), std::string::npos) << of.name << fault->message;
    };
    const auto each = [](const Options& options, const auto& check) {
        for (const Saved& of : test::everything(100, options))
            if (!of.name.starts_with("join ") && !of.name.starts_with("part ")) check(of);
    };
    each(keyed, [&](const Saved& of) {
        expect_fault(of, {}, "options.hashing is fast");
        expect_fault(of, other, "not the secret");
        expect_fault(of, none, "options.secret is empty");
        for (const std::uint64_t word : {secret.low, secret.high}) {
            Bytes part(8);
            test::put(part, 0, word);
            EXPECT_EQ(std::search(of.bytes.begin(), of.bytes.end(), part.begin(), part.end()),
                      of.bytes.end())
                << of.name;
        }
    });
    each({}, [&](const Saved& of) { expect_fault(of, keyed, "not keyed"); });
}

}  // namespace
}  // namespace simdbloom
