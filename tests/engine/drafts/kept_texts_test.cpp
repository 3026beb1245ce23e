// Texts that a model has read, for later ones that begin alike.
#include "engine/drafts/kept_texts.h"

#include <gtest/gtest.h>

namespace skald::kept_texts_test {
namespace {

using Tokens = std::vector<TokenId>;

class KeptTextsTest : public testing::Test {
 protected:
  static Tokens tokens(int n, TokenId from = 0) {
    Tokens out;
    for (int i = 0; i < n; ++i) out.push_back(from + i);
    return out;
  }
  ReadText read(const Tokens& tokens) {
    KvSequence kv(cache_);
    EXPECT_TRUE(kv.reserve(std::ssize(tokens)));
    kv.set_length(std::ssize(tokens));
    return ReadText(std::move(kv), tokens);
  }
  int64_t pages() { return cache_.pool(0).taken(); }

  KvCache cache_{make_kv_spec({AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2}}, {}, 1000),
                 {.max_keys = 1000, .n_sequences = 4}};
  KeptTexts kept_{2};
};

TEST_F(KeptTextsTest, ATextThatBeginsAlikeNeedReadOnlyTheRest) {
  kept_.keep("", read(tokens(200)));
  Tokens text = tokens(150);
  text.push_back(7777);
  text.push_back(7778);
  std::optional<ReadText> found = kept_.find("", text);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->unread(text).size(), 2u);
  EXPECT_EQ(found->kv.length(), 150);
  EXPECT_EQ(kept_.find("", tokens(200))->kv.length(), 200) << "the kept one stays as it is";
}

TEST_F(KeptTextsTest, AWholeTextIsReadButForItsLastToken) {
  kept_.keep("", read(tokens(200)));
  EXPECT_EQ(kept_.find("", tokens(200))->unread(tokens(200)).size(), 1u);
}

TEST_F(KeptTextsTest, TheLongestBeginningOfTheScopeCounts) {
  Tokens other = tokens(100);
  other.push_back(9999);
  kept_.keep("a", read(other));
  kept_.keep("a", read(tokens(180)));
  EXPECT_EQ(kept_.find("a", tokens(150))->tokens().size(), 180u);
  other.push_back(9998);
  EXPECT_EQ(kept_.find("a", other)->tokens().size(), 101u);
  EXPECT_FALSE(kept_.find("b", tokens(150)));
  EXPECT_FALSE(kept_.find("a", tokens(63))) << "shorter than a page";
  EXPECT_FALSE(kept_.find("a", tokens(150, 5000)));
}

TEST_F(KeptTextsTest, ATextTakesThePlaceOfItsBeginningAndNewOnesOfOldOnes) {
  kept_.keep("", read(tokens(100)));
  kept_.keep("", read(tokens(200)));
  EXPECT_EQ(pages(), 4);
  kept_.keep("", read(tokens(70, 3000)));
  EXPECT_EQ(pages(), 6);
  kept_.keep("", read(tokens(70, 6000)));
  EXPECT_EQ(pages(), 4) << "two are kept";
  EXPECT_FALSE(kept_.find("", tokens(200)));
  EXPECT_TRUE(kept_.forget_oldest());
  EXPECT_TRUE(kept_.forget_oldest());
  EXPECT_FALSE(kept_.forget_oldest());
  EXPECT_EQ(pages(), 0);
  kept_.keep("", read(tokens(63)));
  EXPECT_EQ(pages(), 0) << "too short to be of use";
}

}  // namespace
}  // namespace skald::kept_texts_test
