// How one row's keys and heads are cut into tasks, and how evenly these occupy threads.
#include "backend/cpu/attention/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace skald {
namespace {

/// When threads that take one task after the other are done with a row of this many keys, in keys of heads.
int64_t time_of_row(int64_t keys, int64_t heads, int n_threads) {
  const Parts parts(heads);
  std::vector<int64_t> busy_until(static_cast<size_t>(n_threads));
  int64_t left = keys * heads;
  for (int64_t from = 0; from < keys; from = parts.end(from)) {
    const int64_t part = std::min(parts.end(from), keys) - from;
    cut_heads(heads, part, 8, n_threads, left,
              [&](int64_t, int64_t n) { *std::ranges::min_element(busy_until) += n * part; });
  }
  EXPECT_EQ(left, 0);
  return std::ranges::max(busy_until);
}

TEST(Split, EndsPartsInTheSamePlaceForAllTheirKeys) {
  for (int64_t heads : {1, 3, 8})
    for (int64_t position : {0, 511, 512, 1023, 1024, 32767, 32768, 100000}) {
      const Parts parts(heads);
      EXPECT_GT(parts.end(position), position);
      EXPECT_EQ(parts.end(parts.end(position) - 1), parts.end(position));
    }
}

TEST(Split, HasNoMorePartsThanPromised) {
  for (int64_t heads : {1, 3, 8})
    for (int64_t keys : {1, 1024, 1025, 40000, 1000000}) {
      const Parts parts(heads);
      int64_t n = 1;  // the kept keys
      for (int64_t at = 512; at < 512 + keys; at = parts.end(at)) ++n;
      EXPECT_LE(n, parts.most(keys)) << keys;
    }
}

TEST(Split, LetsThreadsEndWithinOneHeadOfEachOther) {
  for (int n_threads : {1, 2, 3, 4, 8})
    for (int64_t heads : {1, 2, 5, 8, 32})
      for (int64_t keys = 1; keys <= 70000; keys += keys < 4000 ? 61 : 997) {
        EXPECT_LE(time_of_row(keys, heads, n_threads), keys * heads / n_threads + std::min<int64_t>(keys, 2048))
            << keys << " keys, " << heads << " heads, " << n_threads << " threads";
      }
}

TEST(Split, GivesThreadsSomethingToDoOnOneHead) {
  EXPECT_EQ(time_of_row(1024, 1, 2), 512);
  EXPECT_EQ(time_of_row(2048, 1, 4), 512);
}

TEST(Split, DoesNotLeaveAPartToOneThreadBecauseASmallOneFollows) { EXPECT_LE(time_of_row(1025, 8, 2), 4 * 1024 + 8); }

TEST(Split, GivesEachTaskHeadsInOrder) {
  int64_t left = 1000 * 12, next = 0;
  cut_heads(12, 1000, 8, 2, left, [&](int64_t head, int64_t n) {
    EXPECT_EQ(head, next);
    EXPECT_GE(n, 1);
    EXPECT_LE(n, 8);
    next = head + n;
  });
  EXPECT_EQ(next, 12);
  EXPECT_EQ(left, 0);
}

}  // namespace
}  // namespace skald
