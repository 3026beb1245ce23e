// Where the last tokens of a text stood before.
#include "engine/drafts/text_index.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace skald::text_index_test {
namespace {

using Tokens = std::vector<TokenId>;

// The same by looking at all places.
TextIndex::Match slow_find(const Tokens& tokens, const Tokens& text) {
  TextIndex::Match best;
  for (int64_t at = std::ssize(tokens) - 1; at > 0; --at) {
    int64_t length = 0;
    while (length < std::min({at, std::ssize(text), TextIndex::kMostMatch}) &&
           tokens[static_cast<size_t>(at - 1 - length)] == text[text.size() - 1 - static_cast<size_t>(length)])
      ++length;
    if (length >= TextIndex::kLeastMatch && length > best.length) best = {at, length};
  }
  return best;
}

TEST(TextIndex, FindsTheLatestOfTheLongestRuns) {
  TextIndex index;
  index.append(Tokens{8, 9, 1, 2, 70, 1, 2, 80, 8, 9, 1, 2, 90, 5, 1, 2, 60});
  const TextIndex::Match found = index.find(Tokens{7, 8, 9, 1, 2});
  EXPECT_EQ(found.at, 12);
  EXPECT_EQ(found.length, 4);
  EXPECT_EQ(index.find(Tokens{4, 1, 2}).at, 16);
}

TEST(TextIndex, FindsNoPlaceWithoutATokenAfterIt) {
  TextIndex index;
  index.append(Tokens{1, 2, 3});
  EXPECT_EQ(index.find(Tokens{2, 3}).length, 0);
  index.append(Tokens{4});
  EXPECT_EQ(index.find(Tokens{2, 3}).at, 3);
  EXPECT_EQ(index.find(Tokens{3}).length, 0) << "one token says too little";
  EXPECT_EQ(TextIndex().find(Tokens{1, 2, 3}).length, 0);
}

// As long as no bucket has more places than a search looks at.
TEST(TextIndex, FindsWhatAllPlacesSayWhateverPiecesItCameIn) {
  Rng rng(5);
  Tokens tokens;
  for (int i = 0; i < 2000; ++i) tokens.push_back(static_cast<TokenId>(rng.next() % 12));
  TextIndex index;
  for (size_t at = 0; at < tokens.size();) {
    const size_t n = std::min<size_t>(1 + rng.next() % 90, tokens.size() - at);
    index.append(std::span(tokens).subspan(at, n));
    at += n;
    const Tokens known(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(at));
    const Tokens text(known.end() - std::min<std::ptrdiff_t>(std::ssize(known), 70), known.end());
    const TextIndex::Match want = slow_find(known, text), got = index.find(text);
    ASSERT_EQ(got.length, want.length) << at;
    ASSERT_EQ(got.at, want.at) << at;
  }
}

TEST(TextIndex, ComparesNoMoreThanAGoodRun) {
  TextIndex index;
  index.append(Tokens(500, 3));
  const TextIndex::Match found = index.find(Tokens(300, 3));
  EXPECT_EQ(found.length, TextIndex::kMostMatch);
  EXPECT_EQ(found.at, 499);
}

}  // namespace
}  // namespace skald::text_index_test
