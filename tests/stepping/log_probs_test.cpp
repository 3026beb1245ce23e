// Log probabilities: of what a device tells of a row, or of the row.
#include "stepping/log_probs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/errors.h"

namespace skald::log_probs_test {
namespace {

constexpr size_t kVocab = 100;

/// Token 7 is the likeliest, then 8 and so on; the device tells of three.
struct Row {
  Row() : logits(kVocab, -2.0f) {
    for (size_t i = 0; i < 5; ++i) logits[7 + i] = 3.0f - static_cast<float>(i);
    double total = 0;
    for (const float x : logits) total += std::exp(static_cast<double>(x) - 3.0);
    best = {.n = 3, .finite = 1, .top = 3, .total = static_cast<float>(total), .tokens = {7, 8, 9}, .logits = {3, 2, 1}};
    log_total = 3 + std::log(total);
  }
  Logits told() {
    return {{reinterpret_cast<std::byte*>(logits.data()), {&format_f32, {1, static_cast<int64_t>(kVocab)}}},
            host_memory(),
            {&best, 1}};
  }

  std::vector<float> logits;
  BestTokens best;
  double log_total;
};

void expect_probs(const TokenLogProbs& got, double token, const std::vector<std::pair<TokenId, double>>& best) {
  EXPECT_NEAR(got.token, token, 1e-6);
  ASSERT_EQ(got.best.size(), best.size());
  for (size_t i = 0; i < best.size(); ++i) {
    EXPECT_EQ(got.best[i].first, best[i].first);
    EXPECT_NEAR(got.best[i].second, best[i].second, 1e-6);
  }
}

TEST(LogProbs, AreOfTheTokensThatTheDeviceTells) {
  Row row;
  const Logits logits = row.told();
  const double all = row.log_total;
  row.logits.assign(kVocab, 0);  // nothing of it is read
  expect_probs(log_probs(logits, 0, 8, 2), 2 - all, {{7, 3 - all}, {8, 2 - all}});
  expect_probs(log_probs(logits, 0, 9, 0), 1 - all, {});
}

TEST(LogProbs, AreOfTheRowForOtherTokens) {
  Row row;
  const Logits logits = row.told();
  const double all = row.log_total;
  expect_probs(log_probs(logits, 0, 50, 1), -2 - all, {{7, 3 - all}});
  expect_probs(log_probs(logits, 0, 7, 4), 3 - all, {{7, 3 - all}, {8, 2 - all}, {9, 1 - all}, {10, -all}});
}

using Pairs = std::vector<std::pair<TokenId, double>>;

void expect_pairs(const Pairs& got, const Pairs& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(got[i].first, want[i].first);
    EXPECT_NEAR(got[i].second, want[i].second, 1e-6);
  }
}

TEST(LikeliestTokens, AreThoseThatTheDeviceTellsOrOfTheRow) {
  Row row;
  const Logits logits = row.told();
  const double all = row.log_total;
  expect_pairs(likeliest(logits, 0, 4, nullptr), {{7, 3 - all}, {8, 2 - all}, {9, 1 - all}, {10, -all}});
  row.logits.assign(kVocab, 0);  // of three nothing is read
  expect_pairs(likeliest(logits, 0, 3, nullptr), {{7, 3 - all}, {8, 2 - all}, {9, 1 - all}});
}

TEST(LikeliestTokens, KeepTheirProbabilitiesUnderAMask) {
  Row row;
  const std::vector<uint32_t> mask = {1u << 3 | 1u << 8 | 1u << 10, 0, 0, 0};
  const TokenMask allowed = mask;
  const double all = row.log_total;
  expect_pairs(likeliest(row.told(), 0, 2, &allowed), {{8, 2 - all}, {10, -all}});
  expect_pairs(likeliest(row.told(), 0, 9, &allowed), {{8, 2 - all}, {10, -all}, {3, -2 - all}});
}

TEST(LikeliestTokens, LeaveOutWhatIsImpossible) {
  Row row;
  row.best.finite = 0;
  row.logits.assign(kVocab, -INFINITY);
  row.logits[5] = row.logits[2] = 1;
  expect_pairs(likeliest(row.told(), 0, 3, nullptr), {{2, -std::log(2)}, {5, -std::log(2)}});
}

TEST(LikeliestTokens, AreRefusedByTheTokenThatIsNoNumber) {
  Row row;
  row.best.finite = 0;
  for (const float wrong : {NAN, INFINITY}) {
    row.logits[42] = wrong;
    EXPECT_NE(std::string(test::error_of([&] { likeliest(row.told(), 0, 3, nullptr); }).what()).find("token 42"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace skald::log_probs_test
