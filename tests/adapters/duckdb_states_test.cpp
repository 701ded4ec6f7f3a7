// The states of DuckDB's aggregate, without DuckDB: what it does with their bytes is done here.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "adapters/duckdb/memory.hpp"
#include "adapters/duckdb/rows.cpp"
#include "adapters/duckdb/states.cpp"
#include "guarded.hpp"

namespace simdbloom::duckdb {
namespace {

/// States of a hash table (32 bytes a row) or of a window (one directly behind the other).
class Container {
public:
    Container(std::size_t n, std::size_t width) : bytes_(n * width) {
        States::announce();
        for (std::size_t i = 0; i < n; ++i) {
            states.push_back(bytes_.data() + i * width);
            States::begin(states.back());
        }
    }
    ~Container() {
        for (void* state : states) States::end(state);
    }
    std::vector<void*> states;

private:
    std::vector<std::byte> bytes_;
};

constexpr std::size_t table = 32, window = States::bytes;

/// Promise of DuckDbStates.*, duckdb: In DuckDB no row that `=` joins is lost, no SELECT ends
///   the process, and memory is limited.
TEST(DuckDbStates, RowsOfATableGoToTheirOwn) {
    Container groups(100, table);
    const auto rows = States::of_rows(groups.states.data(), 100);
    ASSERT_EQ(rows.states.size(), 100u);
    EXPECT_TRUE(rows.in_table);
    EXPECT_EQ(rows.also.slot, nullptr);
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(rows.states[i], States::at(groups.states[i]));
    EXPECT_EQ(States::of_rows(groups.states.data(), 2).states.size(), 2u);
}

TEST(DuckDbStates, ARowThatWasMovedLives) {
    Container groups(3, table);
    std::byte moved[States::bytes];
    std::memcpy(moved, groups.states[1], sizeof moved);
    const State before = States::at(moved);
    States::begin(groups.states[1]);  // another row comes to the place
    EXPECT_EQ(States::at(moved), before);
    EXPECT_NE(States::at(groups.states[1]), before);
    States::end(moved);
    EXPECT_THROW(States::at(moved), std::runtime_error);
    EXPECT_EQ(States::find(groups.states[1]), States::at(groups.states[1]));
}

TEST(DuckDbStates, AWindowThatBeginsAgainGivesBackWhatItHad) {
    Container frames(10, window);
    const State before = States::at(frames.states[5]);
    std::byte copy[States::bytes];
    std::memcpy(copy, frames.states[5], sizeof copy);
    States::begin(frames.states[5]);
    EXPECT_THROW(States::at(copy), std::runtime_error);
    EXPECT_EQ(before.slot->id, 0u);
}

TEST(DuckDbStates, OneStateForAllRowsIsNotFollowedBeyond) {
    for (void* behind : {reinterpret_cast<void*>(0x21), static_cast<void*>(nullptr)}) {
        Container one(1, window);
        const std::vector array{one.states[0], behind, behind, behind};
        const auto rows = States::of_rows(array.data(), 4);
        ASSERT_EQ(rows.states.size(), 1u);
        EXPECT_EQ(rows.states[0], States::at(one.states[0]));
    }
}

TEST(DuckDbStates, TheStateOfAnotherWindowBehindItIsNotOneOfItsRows) {
    Container one(1, window), other(1, window), partitions(5, window);
    // The other was told to be alone.
    const std::vector<void*> alone{other.states[0], nullptr, nullptr};
    States::of_rows(alone.data(), 3);
    for (void* behind : {other.states[0], partitions.states[3]}) {
        const std::vector array{one.states[0], behind, behind};
        EXPECT_EQ(States::of_rows(array.data(), 3).states.size(), 1u);
    }
}

TEST(DuckDbStates, RowsOfAWindowGoToTheirOwnWhereThereAreEnough) {
    Container frames(20, window);
    const auto many = States::of_rows(frames.states.data(), 20);
    ASSERT_EQ(many.states.size(), 20u);
    EXPECT_FALSE(many.in_table);
    EXPECT_EQ(many.also.slot, nullptr);
    EXPECT_EQ(States::of_rows(frames.states.data(), 3).also.slot, nullptr);
}

TEST(DuckDbStates, AFewRowsOfAWindowGoToTheFirstStateToo) {
    Container frames(7, window);
    const auto rows = States::of_rows(frames.states.data(), 7);
    ASSERT_EQ(rows.states.size(), 7u);
    EXPECT_EQ(rows.also, States::at(frames.states[0]));
    EXPECT_EQ(rows.states[6], States::at(frames.states[6]));
}

TEST(DuckDbStates, AnArrayMayEndAtAPage) {
    Container one(1, window);
    const test::GuardedBuffer memory(sizeof(void*));
    const auto array = memory.last<void*>(1);
    array[0] = one.states[0];
    EXPECT_EQ(States::of_rows(array.data(), 2048).states.size(), 1u);
}

TEST(DuckDbStates, BytesOfNoStateAreAnError) {
    std::byte bytes[States::bytes] = {};
    void* state = bytes;
    EXPECT_THROW(States::of_rows(&state, 1), std::runtime_error);
    {
        Container one(1, window);
        std::memcpy(bytes, one.states[0], sizeof bytes);
    }
    EXPECT_THROW(States::at(bytes), std::runtime_error);
    States::end(bytes);  // a second time
}

TEST(DuckDbStates, NoMoreThanTheLimitIsTaken) {
    Memory::set_limit(10'000);
    Hashes hashes;
    EXPECT_THROW(hashes.resize(2000), std::length_error);
    EXPECT_EQ(Memory::used(), 0u);
    hashes.resize(1000);
    EXPECT_EQ(Memory::used(), 8000u);
    EXPECT_THROW(Memory::take(2001), std::length_error);
    Memory::set_limit(Memory::usual);
    Hashes().swap(hashes);
    EXPECT_EQ(Memory::used(), 0u);
}

}  // namespace
}  // namespace simdbloom::duckdb
