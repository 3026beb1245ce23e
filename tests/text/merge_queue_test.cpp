#include "text/merge_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace skald {
namespace {

using Rules = std::map<std::pair<TokenId, TokenId>, MergeTable::Rule>;

// The definition: look at all neighbours, merge the best, start again.
std::vector<TokenId> merged_slowly(std::vector<TokenId> ids, const Rules& rules) {
  while (true) {
    const MergeTable::Rule* best = nullptr;
    size_t where = 0;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      const auto it = rules.find({ids[i], ids[i + 1]});
      if (it != rules.end() && (!best || it->second.rank < best->rank)) best = &it->second, where = i;
    }
    if (!best) return ids;
    ids[where] = best->result;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(where) + 1);
  }
}

std::vector<TokenId> merged(const std::vector<TokenId>& ids, const MergeTable& table) {
  Merger merger;
  for (size_t i = 0; i < ids.size(); ++i) merger.add(ids[i], i);
  merger.run(table);
  std::vector<TokenId> out;
  for (int32_t i = ids.empty() ? -1 : 0; i >= 0; i = merger.symbols[static_cast<size_t>(i)].next)
    out.push_back(merger.symbols[static_cast<size_t>(i)].id);
  return out;
}

TEST(MergeQueue, AgreesWithItsDefinition) {
  std::mt19937 random(1);
  const auto below = [&](int n) { return static_cast<int32_t>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 2000; ++round) {
    const bool ties = round % 2 != 0;  // equal ranks, as equal scores in SentencePiece
    Rules rules;
    MergeTable table;
    const int pairs = 1 + below(30);
    for (int i = 0; i < pairs; ++i) {
      const std::pair<TokenId, TokenId> pair{below(4 + i), below(4 + i)};
      const MergeTable::Rule rule{ties ? below(3) : i, 4 + i};
      rules.try_emplace(pair, rule);
      table.add(pair.first, pair.second, rule);
    }
    std::vector<TokenId> ids(static_cast<size_t>(below(40)));
    for (TokenId& id : ids) id = below(5) - 1;  // -1: unknown
    ASSERT_EQ(merged(ids, table), merged_slowly(ids, rules)) << "round " << round;
  }
}

TEST(MergeTable, FirstRuleStaysAndNothingElseIsFound) {
  MergeTable table;
  EXPECT_EQ(table.find(1, 2), nullptr);
  for (TokenId i = 0; i < 1000; ++i) table.add(i, i + 1, {i, 2 * i});
  table.add(5, 6, {0, 77});
  EXPECT_EQ(table.size(), 1000u);
  for (TokenId i = 0; i < 1000; ++i) {
    ASSERT_NE(table.find(i, i + 1), nullptr);
    EXPECT_EQ(table.find(i, i + 1)->result, 2 * i);
    EXPECT_EQ(table.find(i + 1, i), nullptr);
  }
  EXPECT_EQ(table.find(-1, 3), nullptr);
}

}  // namespace
}  // namespace skald
