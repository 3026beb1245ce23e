#include "text/normal_form.h"

#include <gtest/gtest.h>

#include <chrono>

#include "text/utf8.h"

namespace skald {
namespace {

std::string composed(std::string_view text) {
  std::string buffer;
  return std::string(nfc(text, buffer));
}

// The examples of Unicode's annex 15 and of the conformance test's first parts.
TEST(NormalForm, Composes) {
  EXPECT_EQ(composed("cafe\u0301"), "caf\u00E9");
  EXPECT_EQ(composed("\u212B \u2126"), "\u00C5 \u03A9");  // signs that are letters
  EXPECT_EQ(composed("D\u0307\u0323"), "\u1E0C\u0307");   // marks are put in order
  EXPECT_EQ(composed("q\u0307\u0323"), "q\u0323\u0307");  // though nothing is composed
  EXPECT_EQ(composed("\u1112\u1161\u11AB"), "\uD55C");    // Hangul
  EXPECT_EQ(composed("\uD558\u11AB"), "\uD55C");          // a syllable and a final consonant
  EXPECT_EQ(composed("か\u3099き\u3099"), "がぎ");
  EXPECT_EQ(composed("\u0958"), "\u0915\u093C");  // a composition that is excluded
  EXPECT_EQ(composed("ﬁ ①"), "ﬁ ①");              // compatibility is another matter
  EXPECT_EQ(composed("\u0301e"), "\u0301e");      // nothing to compose with
  EXPECT_EQ(composed("\U00010FFF\U0010FFFF"), "\U00010FFF\U0010FFFF");
}

TEST(NormalForm, LeavesOtherTextWhereItIs) {
  std::string buffer;
  for (std::string_view text : {"", "abc", "é天地 かな 한국 Привет", "😀 ابت"}) EXPECT_EQ(nfc(text, buffer), text);
  const std::string_view plain = "é天地";
  EXPECT_EQ(nfc(plain, buffer).data(), plain.data());
}

TEST(NormalForm, Decomposes) {
  std::vector<int32_t> codes;
  append_decomposed(codes, 0x1EA4);  // two marks
  append_decomposed(codes, 'x');
  append_decomposed(codes, 0xD55C);
  EXPECT_EQ(codes, (std::vector<int32_t>{'A', 0x302, 0x301, 'x', 0x1112, 0x1161, 0x11AB}));
}

TEST(NormalForm, LongRowsOfMarksTakeNoLongerThanOtherText) {
  std::string text = "a";
  while (text.size() < 1 << 19) text += "\u0301\u0323";
  const auto start = std::chrono::steady_clock::now();
  const std::string out = composed(text);
  EXPECT_TRUE(out.starts_with("\u1EA1\u0323"));
  EXPECT_TRUE(out.ends_with("\u0301"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace skald
