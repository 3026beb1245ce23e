#include "cli/flags/suggest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace skald {
namespace {

TEST(TypingDistance, CountsLetters) {
  EXPECT_EQ(typing_distance("", ""), 0U);
  EXPECT_EQ(typing_distance("run", ""), 3U);
  EXPECT_EQ(typing_distance("rnu", "run"), 1U);  // swapped
  EXPECT_EQ(typing_distance("convrt", "convert"), 1U);
  EXPECT_EQ(typing_distance("quantise", "quantize"), 1U);
  EXPECT_EQ(typing_distance("kitten", "sitting"), 3U);
}

TEST(NearestWord, IsOneWithFewWrongLetters) {
  const std::vector<std::string> words = {"run", "bench", "--temperature", "--temp"};
  EXPECT_EQ(nearest_word("rnu", words), "run");
  EXPECT_EQ(nearest_word("--tmep", words), "--temp");
  EXPECT_EQ(nearest_word("--temprature", words), "--temperature");
  EXPECT_EQ(nearest_word("sing", words), "");
  EXPECT_EQ(nearest_word("--no-such-flag", words), "");
  EXPECT_EQ(nearest_word(std::string(1 << 20, 'x'), words), "");
}

}  // namespace
}  // namespace skald
