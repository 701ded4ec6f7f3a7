// Arrow's structs, views and streams as rows of a join.
#include "arrow_column.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

using test::ArrowColumn;
using Hashes = std::vector<std::uint64_t>;

Hashes hashes_of(const JoinRows& rows, std::vector<std::uint8_t>* valid = nullptr) {
    Hashes hashes(rows.size());
    std::vector<std::uint8_t> bits((rows.size() + 7) / 8);
    rows.hashes(hashes, bits);
    if (valid != nullptr) *valid = bits;
    return hashes;
}

struct View {
    std::int32_t size, prefix, buffer, first;
};
View short_view(std::string_view text) {
    View view{static_cast<std::int32_t>(text.size()), 0, 0, 0};
    std::memcpy(&view.prefix, text.data(), text.size());
    return view;
}

/// Promise of ArrowRows.*, ArrowStream.*: Malformed Arrow arrays are refused; every batch of an
///   Arrow stream is released once.
TEST(ArrowRows, ViewsOfStrings) {
    const std::string one = "..a string of twenty..", other = "another long string";
    const std::vector<std::int64_t> sizes{static_cast<std::int64_t>(one.size()),
                                          static_cast<std::int64_t>(other.size())};
    const auto views = [&](const char* format, const std::vector<View>& records,
                           std::int64_t offset, std::uint8_t valid) {
        ArrowColumn column(format, static_cast<std::int64_t>(records.size()) - offset, offset);
        column.values(records).buffer(one.data()).buffer(other.data()).values(sizes).valid(valid);
        std::vector<std::uint8_t> bits;
        const Hashes hashes = hashes_of(column.rows(), &bits);
        return std::pair(hashes, bits[0]);
    };
    const std::vector<View> good{
        {-9, 0, 77, -1}, short_view("twelve bytes"), {18, 0, 0, 2}, short_view(""), {13, 0, 1, 6},
        {19, 0, 1, 0},   {1 << 30, -1, 1 << 30, -5}};
    for (const char* const format : {"vu", "vz"}) {
        const auto [hashes, valid] = views(format, good, 1, 0b111110);
        EXPECT_EQ(valid, 0b11111);
        EXPECT_EQ(Hashes(hashes.begin(), hashes.end() - 1),
                  (Hashes{hash_bytes("twelve bytes"), hash_bytes("a string of twenty"),
                          hash_bytes(""), hash_bytes("r long string"), hash_bytes(other)}));
    }
    const auto refused = [&](const View& view, const char* what) {
        EXPECT_INVALID(what, views("vu", {short_view("x"), view}, 0, 0b11));
        EXPECT_EQ(views("vu", {short_view("x"), view}, 0, 0b01).first[0], hash_bytes("x"));
    };
    refused({-1, 0, 0, 0}, "row 1 has -1 bytes");
    refused({13, 0, 2, 0}, "row 1 lies in buffer 2 of 2");
    refused({13, 0, -1, 0}, "row 1 lies in buffer -1 of 2");
    refused({13, 0, 1, 7}, "row 1 goes from byte 7 to byte 20 of a buffer of 19");
    refused({13, 0, 1, -1}, "row 1 goes from byte -1 to byte 12");
    refused({2147483647, 0, 1, 2147483647}, "to byte 4294967294 of a buffer of 19");

    // Short strings alone need no buffers; what is there must be memory.
    ArrowColumn column("vu", 1);
    column.values(std::vector{short_view("x")});
    EXPECT_INVALID("sizes", column.rows());
    EXPECT_EQ(hashes_of(column.buffer(nullptr).rows()), Hashes{hash_bytes("x")});
    EXPECT_INVALID("no sizes in buffer 3", column.buffer(nullptr).rows());
    column.buffers.back() = sizes.data();
    EXPECT_INVALID("22 bytes in buffer 2", column.rows());
    EXPECT_EQ(ArrowColumn("vz", 0).buffer(nullptr).rows().size(), 0u);
}

/// Five rows: a number, a name, and a struct of a number.
struct Batch {
    ArrowColumn id{"i", 6, 1}, name{"u", 7, 0}, inner{"c", 9, 0}, pair{"+s", 8, 1}, all{"+s", 5, 1};
    Batch() {
        id.values<std::int32_t>({9, 9, 11, 12, 13, 14, 15}).valid(0b1110111).named("id");
        name.values<std::int32_t>({0, 1, 2, 3, 4, 5, 6, 7})
            .values<char>({'x', 'a', 'b', 'c', 'd', 'e', 'y'})
            .named("name");
        inner.values<std::int8_t>({-9, -9, -1, -2, -3, -4, -5, -9, -9}).named("inner");
        pair.children({&inner}).valid(0b1101111).named("pair");
        all.children({&id, &name, &pair}).valid(0b101111);
    }
};

TEST(ArrowRows, AStructIsItsColumns) {
    Batch batch;
    const std::vector<std::int32_t> id{11, 12, 13, 14, 15};
    const std::vector<std::string_view> name{"a", "b", "c", "d", "e"};
    const std::vector<std::int8_t> inner{-1, -2, -3, -4, -5};
    // Row 1 of id is NULL, row 2 of the pair, and row 3 of the struct.
    const std::uint8_t valid[] = {0b10101, 0b10111, 0b10011};
    const auto column = [&](const KeyColumn& values, std::size_t i) {
        return values.with_validity(&valid[i]);
    };
    const KeyColumn ids = column(id, 0), names = column(name, 1), inners = column(inner, 2);
    const auto expect_same = [&](const std::vector<std::string>& named, Nulls nulls,
                                 const std::vector<KeyColumn>& columns) {
        const JoinRows rows = batch.all.rows({nulls, {}, named}), same(columns, nulls);
        std::vector<std::uint8_t> can_pass, same_can_pass;
        EXPECT_EQ(hashes_of(rows, &can_pass), hashes_of(same, &same_can_pass));
        EXPECT_EQ(can_pass, same_can_pass);
        EXPECT_EQ(rows.hashed(), same.hashed());
        const test::JoinValues keys(rows), same_keys(same);
        EXPECT_EQ(keys.values, same_keys.values);
        EXPECT_EQ(keys.valid, same_keys.valid);
    };
    for (const Nulls nulls : {Nulls::differ, Nulls::equal}) {
        expect_same({}, nulls, {ids, names, inners});
        expect_same({"name"}, nulls, {names});
        expect_same({"name", "id"}, nulls, {names, ids});
        expect_same({"pair"}, nulls, {inners});
    }
}

// The validity is that of neither array, and lives as long as the rows.
TEST(ArrowRows, KeysOfAStructWithNullsInAColumnWithNulls) {
    ArrowColumn id("l", 3), one("+s", 3);
    one.children({&id.values<std::int64_t>({7, 8, 9}).valid(0b011)}).valid(0b110);
    const JoinRows rows = one.rows();
    const JoinColumn column = rows.plain().value();
    EXPECT_EQ(column.values[1], 8u);
    for (const std::size_t row : {0u, 1u, 2u}) EXPECT_EQ(column.is_valid(row), row == 1) << row;
}

TEST(ArrowRows, WrongStructsAreRefusedByValue) {
    const auto refused = [](const auto& spoil, const char* what,
                            const ArrowSettings& settings = {}) {
        Batch batch;
        spoil(batch);
        EXPECT_INVALID(what, batch.all.rows(settings));
    };
    refused([](Batch&) {}, "none named \"age\"", {Nulls::differ, {}, {"id", "age"}});
    refused([](Batch& b) { b.all.array.n_children = 2; }, "of 2 columns, not of 3");
    refused([](Batch& b) { b.all.schema.n_children = b.all.array.n_children = 0; }, "of 0 columns");
    refused([](Batch& b) { b.all.array.children = nullptr; }, "columns");
    refused([](Batch& b) { b.all.child_arrays[1] = nullptr; }, "without its column 1");
    refused([](Batch& b) { b.all.child_schemas[2] = nullptr; }, "without its column 2");
    refused([](Batch& b) { b.id.array.length = 5; }, "rows up to 6 whose column 0 has 5");
    refused([](Batch& b) { b.inner.array.length = 6; }, "rows up to 7 whose column 0 has 6");
    refused([](Batch& b) { b.id.array.release = nullptr; }, "released");
    refused([](Batch& b) { b.inner.schema.format = "+l"; }, "\"+l\"");
    refused(
        [](Batch& b) {
            b.pair.array.offset = 0;
            b.pair.children({&b.pair});
        },
        "32 levels");
    Batch batch;
    EXPECT_INVALID("no column \"id\"", batch.id.rows({Nulls::differ, {}, {"id"}}));
    ArrowColumn codes("c", 1), more("c", 1);
    codes.values<std::int8_t>({0}).dictionary(more);
    more.values<std::int8_t>({0}).dictionary(codes);
    EXPECT_INVALID("32 levels", codes.rows());
    // Codes of structs have no keys; structs of codes do.
    codes.dictionary(batch.all);
    EXPECT_INVALID("\"+s\"", codes.rows());
    ArrowColumn one("+s", 1);
    one.children({&codes.dictionary(batch.name)});
    EXPECT_EQ(hashes_of(one.rows()), Hashes{hash_bytes("x")});
}

TEST(ArrowRows, NumbersNeedNotBeAlignedButOffsetsMust) {
    alignas(8) char memory[40] = {};
    const std::int64_t number = -5;
    std::memcpy(memory + 1, &number, sizeof number);
    ArrowColumn odd("l", 1);
    EXPECT_EQ(hashes_of(odd.buffer(memory + 1).rows()), Hashes{hash_key(0 - std::uint64_t{5})});
    EXPECT_EQ(odd.numbers()[0], 0 - std::uint64_t{5});
    ArrowColumn strings("U", 1);
    EXPECT_INVALID("buffer 1 is not aligned to 8 bytes", strings.buffer(memory + 4).rows());
    ArrowColumn no_bytes("u", 2);
    no_bytes.values<std::int32_t>({0, 0, 3}).buffer(nullptr);
    EXPECT_INVALID("3 bytes", no_bytes.rows());
}

/// A stream of batches of one column "id", which counts what is released.
struct Source {
    int schemas = 0, batches = 0, streams = 0;  // released
    std::vector<std::vector<std::int64_t>> values;
    std::size_t next = 0, fails_at = ~std::size_t{0};
    const char* words = "the disk is gone";
    bool schema_fails = false;
    explicit Source(std::vector<std::vector<std::int64_t>> of = {}) : values(std::move(of)) {}
    ArrowColumn id{"l", 0}, all{"+s", 0};

    struct Owned {
        Source* source;
        ArrowColumn id, all;
    };

    ArrowArrayStream stream() {
        ArrowArrayStream made{};
        made.get_schema = [](ArrowArrayStream* s, ArrowSchema* out) {
            auto* const self = static_cast<Source*>(s->private_data);
            if (self->schema_fails) return spoil(out);
            *out = self->all.children({&self->id.named("id")}).schema;
            out->release = [](ArrowSchema* schema) {
                ++static_cast<Source*>(schema->private_data)->schemas;
                schema->release = nullptr;
            };
            out->private_data = self;
            return 0;
        };
        made.get_next = [](ArrowArrayStream* s, ArrowArray* out) {
            auto* const self = static_cast<Source*>(s->private_data);
            if (self->next == self->fails_at) return spoil(out);
            *out = {};
            if (self->next == self->values.size()) return 0;
            const auto& ids = self->values[self->next++];
            const auto n = static_cast<std::int64_t>(ids.size());
            auto* const owned = new Owned{self, ArrowColumn("l", n), ArrowColumn("+s", n)};
            *out = owned->all.children({&owned->id.values(ids)}).array;
            out->private_data = owned;
            out->release = [](ArrowArray* array) {
                auto* const mine = static_cast<Owned*>(array->private_data);
                ++mine->source->batches;
                delete mine;
                array->release = nullptr;
            };
            return 0;
        };
        made.get_last_error = [](ArrowArrayStream* s) {
            return static_cast<Source*>(s->private_data)->words;
        };
        made.release = [](ArrowArrayStream* s) {
            ++static_cast<Source*>(s->private_data)->streams;
            s->release = nullptr;
        };
        made.private_data = this;
        return made;
    }
    /// A failing call may leave anything behind.
    template <class T>
    static int spoil(T* out) {
        out->release = [](T*) { ADD_FAILURE() << "released what a failing call left"; };
        return EIO;
    }
    ArrowStream open(const ArrowSettings& settings = {}) {
        ArrowArrayStream from = stream();
        ArrowStream opened(from, settings);
        EXPECT_EQ(from.release, nullptr);
        return opened;
    }
    void expect_released(int n_schemas, int n_batches) const {
        EXPECT_EQ(schemas, n_schemas);
        EXPECT_EQ(batches, n_batches);
        EXPECT_EQ(streams, 1);
    }
};

TEST(ArrowStream, BuildsAndProbesBatchByBatch) {
    Source build({{1, 2, 3}, {}, {1000}}), probe({{3, 4}, {1000, 1, -1}});
    JoinBuilder builder("auto", 0, 12);
    std::vector<std::vector<std::uint32_t>> passing;
    {
        ArrowStream stream = build.open({Nulls::differ, {}, {"id"}});
        EXPECT_STREQ(stream.schema().format, "+s");
        while (const JoinRows* rows = stream.next()) {
            EXPECT_EQ(stream.batch().length, static_cast<std::int64_t>(rows->size()));
            rows->insert_into(builder);
        }
        EXPECT_EQ(stream.next(), nullptr);
        EXPECT_EQ(build.streams, 1);
    }
    build.expect_released(1, 3);
    EXPECT_EQ(builder.rows(), 4u);
    const JoinFilter filter = std::move(builder).finish();
    {
        ArrowArrayStream from = probe.stream();
        /// Example of ArrowStream.
        //! [ArrowStream]
        ArrowStream stream(from);  // takes an ArrowArrayStream over
        while (const JoinRows* rows = stream.next()) {
            std::vector<std::uint32_t> out(rows->size());
            out.resize(rows->select(filter, out));
            passing.push_back(out);
        }
        //! [ArrowStream]
    }
    probe.expect_released(1, 2);
    EXPECT_EQ(passing, (std::vector<std::vector<std::uint32_t>>{{0}, {0, 1}}));
}

TEST(ArrowStream, WhatIsLeftIsReleased) {
    Source source({{1}, {2}, {3}});
    {
        ArrowStream stream = source.open();
        EXPECT_EQ(stream.next()->size(), 1u);
        EXPECT_EQ(source.batches, 0);
        ArrowStream moved = std::move(stream);
        EXPECT_EQ(stream.next(), nullptr);
        EXPECT_EQ(moved.batch().length, 1);
        EXPECT_EQ(moved.next()->size(), 1u);
        EXPECT_EQ(source.batches, 1);
        ArrowStream& same = moved;
        moved = std::move(same);
        stream = std::move(moved);
        EXPECT_EQ(stream.next()->size(), 1u);
        EXPECT_EQ(moved.next(), nullptr);
        EXPECT_EQ(source.streams, 0);
    }
    source.expect_released(1, 3);
    Source first({{1}, {2}}), second({{1}, {2}});
    {
        ArrowStream stream = first.open(), other = second.open();
        EXPECT_NE(stream.next(), nullptr);
        stream = std::move(other);
        first.expect_released(1, 1);
        EXPECT_NE(stream.next(), nullptr);
    }
    second.expect_released(1, 1);
}

TEST(ArrowStream, FailuresAreExceptionsWithItsWords) {
    Source source({{1}, {2}});
    source.fails_at = 1;
    {
        ArrowStream stream = source.open();
        EXPECT_NE(stream.next(), nullptr);
        test::expect_error<std::runtime_error>([&] { return stream.next(); },
                                               "no batch: the disk is gone (error 5)");
        EXPECT_EQ(stream.next(), nullptr);
    }
    source.expect_released(1, 1);

    for (const bool says_why : {true, false}) {
        Source broken;
        broken.schema_fails = true;
        if (!says_why) broken.words = nullptr;
        ArrowArrayStream from = broken.stream();
        test::expect_error<std::runtime_error>(
            [&] { return ArrowStream(from), 0; },
            std::string("no schema: ") + (says_why ? "the disk" : std::strerror(EIO)));
        broken.expect_released(0, 0);
        EXPECT_INVALID("was released", ArrowStream(from));
    }
    Source names({{1}, {2}});
    {
        ArrowStream stream = names.open({Nulls::differ, {}, {"age"}});
        for (int i = 0; i < 2; ++i) EXPECT_INVALID("\"age\"", stream.next());
        EXPECT_EQ(stream.next(), nullptr);
    }
    names.expect_released(1, 2);
}

}  // namespace
}  // namespace simdbloom
