#include "base/size_text.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(SizeText, TakesTheLargestUnitThatGivesAtLeastOne) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1.00 KiB");
  EXPECT_EQ(size_text((int64_t{5} << 20) / 4), "1.25 MiB");
  EXPECT_EQ(size_text(int64_t{3} << 30), "3.00 GiB");
  EXPECT_EQ(size_text(int64_t{4096} << 40), "4096.00 TiB");
}

}  // namespace
}  // namespace skald
