#include "text/word_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace skald {
namespace {

TEST(WordCache, GivesBackWhatItKeeps) {
  WordCache cache(1 << 20);
  std::vector<TokenId> out;
  EXPECT_FALSE(cache.append("word", out));
  const std::vector<TokenId> ids = {7, 8};
  cache.put("word", ids);
  EXPECT_TRUE(cache.append("word", out));
  EXPECT_EQ(out, ids);
  cache.put("none", {});  // a word may have no tokens at all
  EXPECT_TRUE(cache.append("none", out));
  EXPECT_EQ(out, ids);
}

TEST(WordCache, NeverTakesOneWordForAnother) {
  WordCache cache(1);  // one entry: every word evicts the one before
  std::vector<TokenId> out;
  const std::string with_nul("a\0", 2);
  cache.put("a", std::vector<TokenId>{1});
  EXPECT_FALSE(cache.append(with_nul, out));
  EXPECT_FALSE(cache.append("", out));
  cache.put("b", std::vector<TokenId>{2});
  EXPECT_FALSE(cache.append("a", out));
  EXPECT_TRUE(cache.append("b", out));
}

TEST(WordCache, LeavesOutWhatIsTooLong) {
  WordCache cache(1 << 20);
  std::vector<TokenId> out;
  const std::string word(100, 'x');
  cache.put(word, std::vector<TokenId>{1});
  EXPECT_FALSE(cache.append(word, out));
  cache.put("many", std::vector<TokenId>(50, 1));
  EXPECT_FALSE(cache.append("many", out));
}

}  // namespace
}  // namespace skald
