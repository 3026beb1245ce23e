#include "text/utf8.h"

#include <gtest/gtest.h>

#include <vector>

namespace skald {
namespace {

std::string valid(std::string_view bytes) {
  std::string out;
  append_valid_utf8(out, bytes);
  return out;
}

TEST(Utf8, EveryCharacterComesBack) {
  for (uint32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, code);
    const Utf8Step step = utf8_step(text, 0);
    ASSERT_EQ(step.kind, Utf8Kind::kChar) << code;
    ASSERT_EQ(static_cast<size_t>(step.length), text.size()) << code;
    ASSERT_EQ(utf8_code(text, 0, step.length), code);
  }
}

TEST(Utf8, BrokenBytesBecomeOneReplacementPerPart) {
  EXPECT_EQ(valid("a\x80z"), "a\uFFFDz");                            // a lone continuation
  EXPECT_EQ(valid("\xC0\xAF"), "\uFFFD\uFFFD");                      // overlong
  EXPECT_EQ(valid("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");            // a surrogate
  EXPECT_EQ(valid("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond U+10FFFF
  EXPECT_EQ(valid("\xE2\x82z"), "\uFFFDz");                          // a cut off character is one part
  EXPECT_EQ(valid("\xF0\x9F\x98"), "\uFFFD");
  EXPECT_EQ(valid("\xFF\xFE"), "\uFFFD\uFFFD");
  EXPECT_EQ(valid(std::string_view("\0x", 2)), std::string_view("\0x", 2));
}

TEST(Utf8, UnfinishedIsToldFromBroken) {
  EXPECT_EQ(utf8_step("\xF0\x9F", 0).kind, Utf8Kind::kUnfinished);
  EXPECT_EQ(utf8_step("\xF0\x80", 0).kind, Utf8Kind::kBroken);  // no character begins like this
}

TEST(Utf8, RunsAlternate) {
  std::vector<std::pair<std::string, bool>> runs;
  for_each_utf8_run(
      "\xFF\xFE"
      "aé\x80"
      "b",
      [&](std::string_view run, bool ok) { runs.emplace_back(run, ok); });
  const std::vector<std::pair<std::string, bool>> want = {{"\xFF\xFE", false}, {"aé", true}, {"\x80", false}, {"b", true}};
  EXPECT_EQ(runs, want);
  for_each_utf8_run("", [&](std::string_view, bool) { FAIL(); });
}

}  // namespace
}  // namespace skald
