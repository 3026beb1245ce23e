#include "text/stop_texts.h"

#include <gtest/gtest.h>

namespace skald::stop_texts_test {

// The output for a text that arrives in pieces of `n` bytes.
static std::string pass(StopTexts stop, std::string_view text, size_t n) {
  std::string out;
  for (size_t i = 0; i < text.size() && !stop.found(); i += n) out += stop.push(text.substr(i, n));
  if (!stop.found()) out += stop.flush();
  return out + (stop.found() ? "|" + *stop.found() : "");
}

TEST(StopTexts, CutAtTheFirstTextWhateverThePieces) {
  const std::string text = "one, two and three";
  for (size_t n = 1; n <= text.size(); ++n) {
    EXPECT_EQ(pass(StopTexts({"two"}), text, n), "one, |two");
    EXPECT_EQ(pass(StopTexts({"three", " and"}), text, n), "one, two| and");
    EXPECT_EQ(pass(StopTexts({"four"}), text, n), text);
    EXPECT_EQ(pass(StopTexts({"three!"}), text, n), text) << "what looked like a stop text at the end is text";
    EXPECT_EQ(pass(StopTexts({"o and th", "two", "wo a"}), text, n), "one, |two") << "the one that ends first";
    EXPECT_EQ(pass(StopTexts({"wo", "two"}), text, n), "one, |two") << "of those that end together the longest";
    EXPECT_EQ(pass(StopTexts(), text, n), text);
  }
}

TEST(StopTexts, HoldBackNoMoreThanTheBeginningOfAText) {
  StopTexts stop({"\n\nUser:", "###"});
  EXPECT_EQ(stop.push("Hello\n"), "Hello");
  EXPECT_EQ(stop.push("\n"), "");
  EXPECT_EQ(stop.push("\nU"), "\n") << "the later beginning counts";
  EXPECT_EQ(stop.push("nder ##"), "\n\nUnder ");
  EXPECT_EQ(stop.flush(), "##");
  EXPECT_EQ(stop.flush(), "");
}

TEST(StopTexts, FindTextsThatOverlapThemselves) {
  EXPECT_EQ(pass(StopTexts({"aab"}), "aaaab", 1), "aa|aab");
  EXPECT_EQ(pass(StopTexts({"abab"}), "aabaabab", 3), "aaba|abab");
}

TEST(StopTexts, GiveNothingAfterTheStop) {
  StopTexts stop({"x"});
  EXPECT_EQ(stop.push("axb"), "a");
  EXPECT_EQ(stop.push("more"), "");
  EXPECT_EQ(stop.flush(), "");
}

}  // namespace skald::stop_texts_test
