// The decision of a beam search's step, beside one that counts for each candidate how many come before it.
#include "engine/beams/beam_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

#include "base/rng.h"

namespace skald::beam_search_test {
namespace {

using Row = std::tuple<size_t, TokenId, double>;  // parent, token, sum
using Rows = std::vector<Row>;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Rows rows(const std::vector<LongerText>& texts) {
  Rows out;
  for (const LongerText& text : texts) out.emplace_back(text.parent, text.next.token, text.log_prob);
  return out;
}

struct Texts {
  std::vector<double> sums;
  std::vector<std::vector<TokenLogProb>> candidates;
  std::set<TokenId> ends;

  BeamGeneration next(int beams) const {
    std::vector<LiveText> live;
    for (size_t i = 0; i < sums.size(); ++i) live.push_back({sums[i], candidates[i]});
    return next_generation(live, beams, [this](TokenId id) { return ends.contains(id); });
  }
};

// By the contract's words: the sum, then the better text, then the lower id.
bool comes_before(const Row& a, const Row& b) {
  const auto& [text_a, id_a, sum_a] = a;
  const auto& [text_b, id_b, sum_b] = b;
  if (sum_a > sum_b || sum_a < sum_b) return sum_a > sum_b;
  return text_a < text_b || (text_a == text_b && id_a < id_b);
}

struct Expected {
  Rows ended, live;

  Expected(const Texts& texts, size_t beams) {
    Rows all;
    for (size_t i = 0; i < texts.sums.size(); ++i)
      for (const auto& [id, log_prob] : texts.candidates[i]) all.emplace_back(i, id, texts.sums[i] + log_prob);
    ended.resize(beams);
    live.resize(beams);
    size_t n_ended = 0, n_live = 0;
    for (const Row& row : all) {
      size_t rank = 0, rank_of_live = 0, rank_of_ended = 0;
      for (const Row& other : all)
        if (comes_before(other, row)) {
          const bool ends = texts.ends.contains(std::get<1>(other));
          ++rank;
          rank_of_live += !ends;
          rank_of_ended += ends;
        }
      if (texts.ends.contains(std::get<1>(row))) {
        if (rank < beams) ended[rank_of_ended] = row, ++n_ended;
      } else if (rank_of_live < beams) {
        live[rank_of_live] = row, ++n_live;
      }
    }
    ended.resize(n_ended);
    live.resize(n_live);
  }
};

// Few different numbers: there are many ties.
Texts random_texts(Rng& rng, size_t n_texts) {
  Texts out;
  for (size_t i = 0; i < n_texts; ++i) {
    out.sums.push_back(-static_cast<double>(rng.next() % 4));
    std::vector<TokenLogProb>& all = out.candidates.emplace_back();
    const auto n = static_cast<TokenId>(rng.next() % 12);
    for (TokenId id = 0; id < n; ++id) all.push_back({id, -static_cast<double>(rng.next() % 5)});
    std::ranges::stable_sort(all, std::greater<>(), &TokenLogProb::log_prob);
  }
  std::ranges::sort(out.sums, std::greater<>());
  for (TokenId id = 0; id < 12; ++id)
    if (rng.next() % 4 == 0) out.ends.insert(id);
  return out;
}

TEST(BeamSearch, ChoosesAsCountingDoes) {
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    const size_t beams = 1 + rng.next() % 8;
    const Texts texts = random_texts(rng, 1 + rng.next() % beams);
    const BeamGeneration got = texts.next(static_cast<int>(beams));
    const Expected want(texts, beams);
    ASSERT_EQ(rows(got.ended), want.ended) << "case " << i;
    ASSERT_EQ(rows(got.live), want.live) << "case " << i;
  }
}

TEST(BeamSearch, BreaksTiesByTheBetterTextThenByTheLowerId) {
  const Texts texts{{-1, -1}, {{{7, -2}, {9, -2}}, {{3, -2}, {4, -2}}}, {}};
  EXPECT_THAT(rows(texts.next(3).live), ElementsAre(Row{0, 7, -3}, Row{0, 9, -3}, Row{1, 3, -3}));
}

TEST(BeamSearch, DropsAnEndBehindTheFirstOnes) {
  const Texts texts{{0}, {{{5, -1}, {6, -2}, {2, -3}, {7, -4}}}, {2}};
  EXPECT_THAT(texts.next(2).ended, IsEmpty());
  EXPECT_THAT(rows(texts.next(3).ended), ElementsAre(Row{0, 2, -3}));
  EXPECT_THAT(rows(texts.next(3).live), ElementsAre(Row{0, 5, -1}, Row{0, 6, -2}, Row{0, 7, -4}));
}

TEST(BeamSearch, OfFewCandidatesTakesAll) {
  const Texts texts{{0, -1}, {{{5, -1}}, {}}, {}};
  EXPECT_THAT(rows(texts.next(4).live), ElementsAre(Row{0, 5, -1}));
  EXPECT_THAT(rows(Texts{{0}, {{{2, -1}}}, {2}}.next(4).ended), ElementsAre(Row{0, 2, -1}));
}

TEST(BeamSearch, ScoresByTheLengthToAPower) {
  EXPECT_DOUBLE_EQ(beam_score(-6, 4, 1), -1.5);
  EXPECT_DOUBLE_EQ(beam_score(-6, 4, 0), -6);
  EXPECT_DOUBLE_EQ(beam_score(-6, 4, 0.5), -3);
  EXPECT_DOUBLE_EQ(beam_score(-6, 4, -1), -24);
  EXPECT_DOUBLE_EQ(beam_score(0, 0, 1), 0) << "a text without tokens";
}

TEST(BeamSearch, HopesForTheLongestTextWhereLengthPays) {
  EXPECT_DOUBLE_EQ(best_reach(-6, 4, 12, 1), -0.5);
  EXPECT_DOUBLE_EQ(best_reach(-6, 4, 12, 0), -6);
  EXPECT_DOUBLE_EQ(best_reach(-6, 4, 12, -1), -24);
}

}  // namespace
}  // namespace skald::beam_search_test
