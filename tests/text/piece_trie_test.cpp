#include "text/piece_trie.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace skald {
namespace {

using Found = std::vector<std::pair<size_t, TokenId>>;

Found prefixes(const PieceTrie& trie, std::string_view text) {
  Found out;
  trie.for_each_prefix(text, [&](size_t length, TokenId id) { out.emplace_back(length, id); });
  return out;
}

TEST(PieceTrie, FindsAllPrefixesShortestFirst) {
  PieceTrie trie;
  const std::string longest(256, 'x'), too_long(257, 'y');
  const std::vector<std::string> pieces = {"a", "abc", "b", "\xFF", "", longest, too_long, "abd", "abc"};
  for (size_t i = 0; i < pieces.size(); ++i) trie.add(pieces[i], static_cast<TokenId>(i));
  trie.build();
  EXPECT_EQ(prefixes(trie, "abcd"), (Found{{1, 0}, {3, 8}}));  // of equal pieces the last
  EXPECT_EQ(prefixes(trie, "abd"), (Found{{1, 0}, {3, 7}}));
  EXPECT_EQ(prefixes(trie, "ab"), (Found{{1, 0}}));
  EXPECT_EQ(prefixes(trie, "\xFF\xFF"), (Found{{1, 3}}));
  EXPECT_EQ(prefixes(trie, longest + "x"), (Found{{256, 5}}));
  EXPECT_EQ(prefixes(trie, too_long), Found{});
  EXPECT_EQ(prefixes(trie, ""), Found{});
}

TEST(PieceTrie, EmptyOnesFindNothing) {
  PieceTrie trie;
  trie.build();
  EXPECT_EQ(prefixes(trie, "a"), Found{});
}

TEST(PieceTrie, AgreesWithAMap) {
  std::mt19937 random(7);
  const auto word = [&] {
    std::string out(1 + random() % 5, 'a');
    for (char& c : out) c = "ab\xC3\xA9"[random() % 4];
    return out;
  };
  std::map<std::string, TokenId> pieces;
  for (int i = 0; i < 200; ++i) pieces[word()] = i;
  PieceTrie trie;
  for (const auto& [piece, id] : pieces) trie.add(piece, id);
  trie.build();
  for (int round = 0; round < 2000; ++round) {
    const std::string text = word() + word();
    Found want;
    for (size_t length = 1; length <= text.size(); ++length) {
      if (const auto it = pieces.find(text.substr(0, length)); it != pieces.end()) want.emplace_back(length, it->second);
    }
    ASSERT_EQ(prefixes(trie, text), want);
  }
}

}  // namespace
}  // namespace skald
