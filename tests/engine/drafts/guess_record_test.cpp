// What became of guesses, and what that says of the next ones.
#include "engine/drafts/guess_record.h"

#include <gtest/gtest.h>

namespace skald::guess_record_test {
namespace {

TEST(GuessRecord, MoreGuessesAreWorthAStepAfterRightOnesAndFewerAfterWrongOnes) {
  GuessRecord record(0.5);
  EXPECT_EQ(record.length(), 4);
  record.note(4, 4);
  EXPECT_EQ(record.length(), 8);
  record.note(1, 1);
  EXPECT_EQ(record.length(), 8) << "a step had room for fewer";
  record.note(2, 8);
  EXPECT_EQ(record.length(), 3);
  record.note(0, 3);
  EXPECT_EQ(record.length(), 1);
}

TEST(GuessRecord, TellsTheShareOfGuessesAfterRightOnesThatWereRight) {
  GuessRecord record(0.5);
  EXPECT_DOUBLE_EQ(record.likely(), 0.5);
  for (int i = 0; i < 1000; ++i) record.note(3, 8);  // three right ones, one wrong one, four that say nothing
  EXPECT_NEAR(record.likely(), 0.75, 0.01);
  for (int i = 0; i < 1000; ++i) record.note(8, 8);
  EXPECT_NEAR(record.likely(), 1, 0.001);
}

TEST(GuessRecord, ForgetsWhatWasLongAgo) {
  GuessRecord record(0.5);
  for (int i = 0; i < 1000; ++i) record.note(8, 8);
  for (int i = 0; i < 64; ++i) record.note(0, 8);
  EXPECT_LT(record.likely(), 0.4);
}

}  // namespace
}  // namespace skald::guess_record_test
