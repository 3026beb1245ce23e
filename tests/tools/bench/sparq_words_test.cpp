// The words for the keys that sparse decoding chose.
#include "tools/bench/sparq_words.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(DescribeSparq, SaysWhatWasChosenAndByWhichRatio) {
  EXPECT_EQ(describe({.k1 = 8, .k2 = 64, .mean = {}}, {{8, 64, 16}}), "k1 8, k2 64; index int8");
  EXPECT_EQ(describe({.ratio = 8, .mean = {}, .index = "f16"}, {{14, 128, 32}, {8, 128, 32}, {12, 256, 64}}),
            "ratio 8: k1 8 to 14, k2 128 to 256; index f16");
}

}  // namespace
}  // namespace skald
