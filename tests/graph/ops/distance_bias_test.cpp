// Buckets of distances, against those of Hugging Face's T5 (relative_position_bucket with 32 buckets up to 128).
#include "graph/ops/distance_bias.h"

#include <gtest/gtest.h>

#include <utility>

namespace skald {
namespace {

TEST(DistanceBias, NearDistancesHaveABucketEachAndFarOnesShare) {
  constexpr std::pair<int64_t, int64_t> kBuckets[] = {{0, 0},    {-1, 1},   {-7, 7},    {-8, 8},    {-11, 8},
                                                      {-12, 9},  {-16, 10}, {-23, 11},  {-32, 12},  {-64, 14},
                                                      {-90, 14}, {-91, 15}, {-127, 15}, {-128, 15}, {-5000, 15}};
  for (const auto& [distance, bucket] : kBuckets) {
    EXPECT_EQ(DistanceBias::bucket(distance, 32, 128), bucket) << distance;
    if (distance) {
      EXPECT_EQ(DistanceBias::bucket(-distance, 32, 128), bucket + 16) << -distance;
    }
  }
}

}  // namespace
}  // namespace skald
