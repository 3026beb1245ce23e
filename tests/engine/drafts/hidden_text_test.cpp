// Which tokens a layer ahead may read, and the rows before them.
#include "engine/drafts/hidden_text.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/engine/fake_stepper.h"

namespace skald::hidden_text_test {
namespace {

using test::FakeStepper;

/// Rows of two numbers, 10 * position and a mark.
struct Rows {
  Rows(int64_t first, int64_t n, float mark) {
    for (int64_t i = 0; i < n; ++i) values.insert(values.end(), {static_cast<float>(10 * (first + i)), mark});
  }
  Logits seen() {
    return {{reinterpret_cast<std::byte*>(values.data()), {&format_f32, {std::ssize(values) / 2, 2}}}, host_memory()};
  }
  std::vector<float> values;
};

class HiddenTextTest : public testing::Test {
 protected:
  HiddenTextTest() : text(10), ahead(stepper.new_sequence()) { std::iota(text.begin(), text.end(), 100); }

  void see(int64_t first, int64_t n, float mark = 0) {
    Rows rows(first, n, mark);
    ahead.see(first, rows.seen(), 0, n);
  }
  std::vector<TokenId> unread(int64_t computed, int64_t most = 100) {
    const auto tokens = ahead.unread(text, computed, most);
    return {tokens.begin(), tokens.end()};
  }
  // As a step does.
  void read(int64_t computed) {
    const auto tokens = ahead.unread(text, computed, 100);
    ASSERT_TRUE(ahead.kv().reserve(ahead.kv().length() + std::ssize(tokens)));
    ahead.kv().set_length(ahead.kv().length() + std::ssize(tokens));
    ahead.note_read(tokens);
  }
  std::vector<float> before(const std::vector<TokenId>& tokens) {
    const auto rows = ahead.rows_before(tokens);
    return {rows.begin(), rows.end()};
  }

  FakeStepper stepper = FakeStepper({.max_keys = 64, .max_rows = 64, .n_sequences = 4});
  std::vector<TokenId> text;
  HiddenText ahead;
};

TEST_F(HiddenTextTest, ATokenIsReadWithTheRowBeforeIt) {
  EXPECT_TRUE(unread(0).empty());
  see(0, 4);
  EXPECT_EQ(unread(4), (std::vector<TokenId>{101, 102, 103, 104}));
  EXPECT_EQ(before(unread(4)), (std::vector<float>{0, 0, 10, 0, 20, 0, 30, 0}));
  EXPECT_EQ(unread(4, 2), (std::vector<TokenId>{101, 102}));
  read(4);
  EXPECT_TRUE(unread(4).empty());
  see(4, 2);
  EXPECT_EQ(unread(6), (std::vector<TokenId>{105, 106}));
  EXPECT_EQ(before(unread(6)), (std::vector<float>{40, 0, 50, 0}));
}

TEST_F(HiddenTextTest, TheLastTokenHasNoTokenToReadBehindIt) {
  see(0, 10);
  EXPECT_EQ(unread(10).size(), 9u);
}

TEST_F(HiddenTextTest, RowsOfWrongGuessesAreNotReadAndGiveWay) {
  see(0, 3);
  read(3);
  see(3, 4, 1);  // a token and three guesses, of which the first was right
  EXPECT_EQ(unread(5), (std::vector<TokenId>{104, 105}));
  see(5, 2, 2);
  EXPECT_EQ(unread(7), (std::vector<TokenId>{104, 105, 106, 107}));
  EXPECT_EQ(before(unread(7)), (std::vector<float>{30, 1, 40, 1, 50, 2, 60, 2}));
}

TEST_F(HiddenTextTest, RowsThatAreComputedAgainAreNotReadAgain) {
  see(0, 6);
  read(6);
  see(0, 4, 1);
  see(4, 3, 1);
  EXPECT_EQ(ahead.kv().length(), 6);
  EXPECT_EQ(unread(7), (std::vector<TokenId>{107}));
  EXPECT_EQ(before(unread(7)), (std::vector<float>{60, 1}));
}

TEST_F(HiddenTextTest, BeginsAnewBehindTokensWhoseRowsItHasNotSeen) {
  see(0, 2);
  read(2);
  see(6, 2);
  EXPECT_EQ(ahead.kv().length(), 0);
  EXPECT_EQ(unread(8), (std::vector<TokenId>{107, 108}));
  EXPECT_EQ(before(unread(8)), (std::vector<float>{60, 0, 70, 0}));
}

TEST_F(HiddenTextTest, ForgettingLosesRowsAndGoesOnWithTheNext) {
  see(0, 4);
  ahead.forget();
  EXPECT_TRUE(unread(4).empty());
  see(4, 2);
  EXPECT_EQ(unread(6), (std::vector<TokenId>{105, 106}));
}

TEST_F(HiddenTextTest, AForkReadsOnItsOwn) {
  see(0, 4);
  HiddenText other = ahead.fork();
  read(4);
  EXPECT_TRUE(unread(4).empty());
  EXPECT_EQ(other.unread(text, 4, 100).size(), 4u);
}

TEST_F(HiddenTextTest, AFullSequenceBeginsAnew) {
  see(0, 4);
  read(4);
  ahead.make_room(3, 7);
  EXPECT_EQ(ahead.kv().length(), 4);
  ahead.make_room(3, 6);
  EXPECT_EQ(ahead.kv().length(), 0);
}

}  // namespace
}  // namespace skald::hidden_text_test
