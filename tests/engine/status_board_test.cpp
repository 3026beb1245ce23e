// How many requests may wait, as other threads see it.
#include "engine/status_board.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace skald::status_board_test {
namespace {

/// Of two places, one of which is taken; one request may wait.
class Board : public testing::Test {
 protected:
  Board() {
    status_.slots.resize(2);
    status_.slots[0].state = EngineStatus::Slot::State::kDecode;
    board_.publish(status_, 0);
  }
  bool is_full() {
    return test::error_of([&] { board_.post(); }).code() == Errc::kBusy;
  }

  EngineStatus status_;
  StatusBoard board_{2, 1};
};

TEST_F(Board, CountsThoseThatAreOnTheirWay) {
  status_.waiting = 3;
  board_.publish(status_, 0);
  EXPECT_EQ(board_.status().waiting, 3);
  EXPECT_TRUE(is_full());
  status_.waiting = 0;
  board_.publish(status_, 0);
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(is_full()) << i;
  EXPECT_EQ(board_.status().waiting, 2);
  EXPECT_TRUE(is_full());
  status_.waiting = 1;
  board_.publish(status_, 1);
  EXPECT_EQ(board_.status().waiting, 2) << "the engine has one of them";
}

TEST_F(Board, ForgetsThoseThatDidNotArrive) {
  for (int i = 0; i < 2; ++i) board_.post();
  EXPECT_TRUE(is_full());
  board_.unpost();
  EXPECT_FALSE(is_full());
}

TEST_F(Board, HasNoMorePlacesThanThereAre) {
  for (int i = 0; i < 5; ++i) board_.free_place();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(is_full()) << i;
  EXPECT_TRUE(is_full());
}

}  // namespace
}  // namespace skald::status_board_test
