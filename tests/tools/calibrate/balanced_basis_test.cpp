// The basis in which few components tell most of a score: it keeps scores, and its numbers stay small.
#include "tools/calibrate/balanced_basis.h"

#include <gtest/gtest.h>

#include <cmath>

namespace skald {
namespace {

constexpr int64_t kD = 8;

// Of n made-up vectors around `middle`, whose components `sizes` scale.
Moments moments_of(int64_t n, double middle, const std::vector<double>& sizes, double seed) {
  Moments out(kD);
  out.n = n;
  for (int64_t r = 0; r < n; ++r) {
    std::vector<double> x(kD);
    for (int64_t i = 0; i < kD; ++i)
      x[static_cast<size_t>(i)] =
          middle + sizes[static_cast<size_t>(i)] * std::sin(static_cast<double>((r * kD + i) * (r + 3 * i + 1)) + seed);
    x[1] += 0.5 * x[0];
    for (int64_t i = 0; i < kD; ++i) {
      out.sums[static_cast<size_t>(i)] += x[static_cast<size_t>(i)];
      for (int64_t j = i; j < kD; ++j)
        out.products[static_cast<size_t>(i * kD + j)] += x[static_cast<size_t>(i)] * x[static_cast<size_t>(j)];
    }
  }
  return out;
}

const std::vector<double> kEven(kD, 1.0), kUneven = {9, 1, 0.1, 3, 0, 0, 2, 1};

float dot(const float* a, const float* b) {
  float sum = 0;
  for (int64_t i = 0; i < kD; ++i) sum += a[i] * b[i];
  return sum;
}

// The sum over all components of a turned query and a turned key is the score of the whole ones.
void expect_same_scores(const BalancedBasis& basis) {
  for (int64_t seed = 0; seed < 5; ++seed) {
    float k[kD], q[kD], own_k[kD], own_q[kD];
    for (int64_t i = 0; i < kD; ++i) {
      k[i] = std::sin(static_cast<float>(seed * 31 + i));
      q[i] = std::cos(static_cast<float>(seed * 17 + i * i));
    }
    for (int64_t c = 0; c < kD; ++c) {
      own_k[c] = dot(basis.keys.data() + c * kD, k);
      own_q[c] = dot(basis.queries.data() + c * kD, q);
    }
    EXPECT_NEAR(dot(own_q, own_k), dot(q, k), 2e-3f);
  }
}

TEST(BalancedBasis, KeepsScores) {
  expect_same_scores(balanced_basis(moments_of(500, 100, kUneven, 1), moments_of(500, 0, kEven, 2)));
}

TEST(BalancedBasis, OfNothingFewOrConstantVectorsKeepsScoresAndHasSmallNumbers) {
  const std::vector<double> zeros(kD, 0.0);
  for (const Moments& keys : {Moments(kD), moments_of(1, 3, kEven, 1), moments_of(2, 0, kUneven, 1),
                              moments_of(100, 1e4, zeros, 1), moments_of(100, 0, zeros, 1)})
    for (const Moments& queries : {Moments(kD), moments_of(1, 3, kEven, 1), moments_of(50, 0, kUneven, 4)}) {
      const BalancedBasis basis = balanced_basis(keys, queries);
      expect_same_scores(basis);
      for (const auto* numbers : {&basis.keys, &basis.queries})
        for (const float x : *numbers) EXPECT_LT(std::abs(x), 1e5f);
    }
}

TEST(BalancedBasis, PutsTheComponentsThatTellMostFirst) {
  // Keys vary in component 3 alone, which all queries have.
  std::vector<double> only(kD, 1e-3);
  only[3] = 1;
  const BalancedBasis basis = balanced_basis(moments_of(400, 0, only, 1), moments_of(400, 0, kEven, 2));
  float largest = 0;
  for (int64_t i = 0; i < kD; ++i)
    if (i != 3) largest = std::max(largest, std::abs(basis.queries[static_cast<size_t>(i)]));
  EXPECT_GT(std::abs(basis.queries[3]), 10 * largest);
}

}  // namespace
}  // namespace skald
