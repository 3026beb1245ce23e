#include "text/lower_text.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(LowerText, OfAllScripts) {
  EXPECT_EQ(lower_text("PANDA Eats 3 ÄÖÜ ΣΑΣ ЖЁ ẞ Ǆ"), "panda eats 3 äöü σασ жё ß ǆ");
  EXPECT_EQ(lower_text("İ"), "i\xCC\x87");
  EXPECT_EQ(lower_text("中文 ß"), "中文 ß");
  EXPECT_EQ(lower_text(""), "");
}

TEST(LowerText, LeavesBytesThatAreNoCharacters) {
  EXPECT_EQ(lower_text("A\xFF\xC3"
                       "B\xE2\x82"),
            "a\xFF\xC3"
            "b\xE2\x82");
}

}  // namespace
}  // namespace skald
