// Mixtures of experts on every tier: which are chosen, and how much each counts. A token's results of its experts are those
// of their matrices alone, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "graph/ops/choose_experts.h"
#include "graph/ops/columns.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/expert_glu_linear.h"
#include "graph/ops/glu.h"
#include "graph/ops/head_columns.h"
#include "graph/ops/head_linear.h"
#include "graph/ops/join_heads.h"
#include "graph/ops/mix_experts.h"
#include "graph/ops/weigh_experts.h"
#include "kernels/api/tier.h"
#include "quant/registry.h"
#include "tests/backend/op_bench.h"
#include "tests/support/close_to.h"
#include "tests/support/tiers.h"

namespace skald {
namespace {

using test::OpBench;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

std::vector<int32_t> as_ids(const std::vector<float>& bits) {
  std::vector<int32_t> ids;
  for (float b : bits) ids.push_back(std::bit_cast<int32_t>(b));
  return ids;
}

/// The experts chosen by one row of scores.
std::vector<int32_t> chosen(const ChooseExperts& a, const std::vector<float>& scores, const std::vector<float>& added = {}) {
  OpBench bench(1);
  const auto n = static_cast<int64_t>(scores.size());
  std::vector<Tensor> in = {bench.activation_of(n, scores)};
  if (!added.empty()) in.push_back(bench.weight_of(Shape{n}, added));
  return as_ids(bench.run(bench.graph.add(op_choose_experts, Attrs(a), in)));
}

using Ids = std::vector<int32_t>;

TEST(ChooseExperts, TakesTheBestFirstAndOfEqualsTheLowerId) {
  EXPECT_EQ(chosen({.k = 3}, {0.5f, 2, -1, 2, 3}), (Ids{4, 1, 3}));
  EXPECT_EQ(chosen({.k = 4}, {1, 1, 1, 1, 1}), (Ids{0, 1, 2, 3}));
  EXPECT_EQ(chosen({.k = 1}, {7}), (Ids{0}));
  EXPECT_EQ(chosen({.k = 2}, {-0.0f, 0.0f, -1}), (Ids{0, 1}));
}

TEST(ChooseExperts, NansAreTheWorstAndNoExpertIsTakenTwice) {
  EXPECT_EQ(chosen({.k = 2}, {kNan, -5, kNan, -kInf}), (Ids{1, 0}));
  EXPECT_EQ(chosen({.k = 3}, {kNan, kNan, kNan}), (Ids{0, 1, 2}));
  EXPECT_EQ(chosen({.k = 3}, {-kInf, kInf, -kInf, kInf}), (Ids{1, 3, 0}));
  EXPECT_EQ(chosen({.k = 2}, {kInf, 1, 2}, {-kInf, 0, 0}), (Ids{2, 1})) << "infinities that cancel";
}

TEST(ChooseExperts, AddsWhatIsToBeChosenBy) { EXPECT_EQ(chosen({.k = 2}, {1, 2, 3}, {5, 0, -4}), (Ids{0, 1})); }

TEST(ChooseExperts, ChoosesFromTheBestGroupsOnly) {
  const std::vector<float> scores = {9, 0, 5, 6, 7, 1, 2, 3};  // groups of two: best 9 6 7 3, sums 9 11 8 5
  EXPECT_EQ(chosen({.k = 2, .groups = 4, .groups_used = 2, .group_best = 1}, scores), (Ids{0, 4}));
  EXPECT_EQ(chosen({.k = 2, .groups = 4, .groups_used = 2, .group_best = 2}, scores), (Ids{0, 3}));
  EXPECT_EQ(chosen({.k = 4, .groups = 4, .groups_used = 2, .group_best = 2}, scores), (Ids{0, 3, 2, 1}));
  EXPECT_EQ(chosen({.k = 2, .groups = 2, .groups_used = 1, .group_best = 1}, std::vector<float>(4, kNan)), (Ids{0, 1}));
}

TEST(ChooseExperts, ManyRowsAreEachChosenByThemselves) {
  constexpr int64_t kTokens = 300, kExperts = 60, kBest = 7;
  OpBench bench(kTokens, 3);
  const Tensor scores = bench.activation(kExperts, 5);
  const std::vector<float> v = bench.values(scores);
  const Ids ids = as_ids(bench.run(bench.graph.add(op_choose_experts, Attrs(ChooseExperts{.k = kBest}), {scores})));
  for (int64_t t = 0; t < kTokens; ++t) {
    std::vector<int32_t> want(kExperts);
    std::iota(want.begin(), want.end(), 0);
    std::ranges::stable_sort(want, std::greater<>(), [&](int32_t e) { return v[static_cast<size_t>(t * kExperts + e)]; });
    want.resize(kBest);
    ASSERT_EQ(Ids(ids.begin() + t * kBest, ids.begin() + (t + 1) * kBest), want) << t;
  }
}

/// Weights of the experts that are chosen by one row of scores.
std::vector<float> weights(const WeighExperts& a, const std::vector<float>& scores, int64_t k) {
  OpBench bench(1);
  const Tensor x = bench.activation_of(static_cast<int64_t>(scores.size()), scores);
  const Tensor ids = bench.graph.add(op_choose_experts, Attrs(ChooseExperts{.k = k}), {x});
  return bench.run(bench.graph.add(op_weigh_experts, Attrs(a), {x, ids}));
}

TEST(WeighExperts, AreScoresOrSharesOfThem) {
  EXPECT_TRUE(test::close_to(weights({}, {0.1f, 0.4f, 0.3f}, 2), std::vector<float>{0.4f, 0.3f}, 0));
  EXPECT_TRUE(test::close_to(weights({.scale = 2.5f}, {0.1f, 0.4f}, 1), std::vector<float>{1.0f}, 1e-7));
  EXPECT_TRUE(
      test::close_to(weights({.normalise = true, .scale = 2}, {0.1f, 0.3f, 0.1f}, 2), std::vector<float>{1.5f, 0.5f}, 1e-6));
  EXPECT_TRUE(test::close_to(weights({.normalise = true}, {0, 0}, 2), std::vector<float>{0, 0}, 0)) << "no division by zero";
  const auto e = static_cast<float>(std::exp(1.0));
  EXPECT_TRUE(
      test::close_to(weights({.softmax = true}, {101, 7, 100}, 2), std::vector<float>{e / (1 + e), 1 / (1 + e)}, 1e-6));
}

TEST(Sigmoid, IsThatOfEachValue) {
  OpBench bench(3);
  const Tensor x = bench.activation(20, 1);
  std::vector<float> want;
  for (float v : bench.values(x)) want.push_back(static_cast<float>(1 / (1 + std::exp(-static_cast<double>(v)))));
  EXPECT_TRUE(test::close_to(bench.run(sigmoid(x)), want, 2e-7));
}

struct Sizes {
  int64_t tokens, experts, k, d, n;
};

/// How scores lead tokens to experts.
enum class Spread { kRandom, kAllToOne };

std::vector<float> scores_of(const Sizes& s, Spread spread) {
  std::vector<float> scores = test::normal(s.tokens * s.experts, 11);
  if (spread == Spread::kAllToOne)
    for (int64_t t = 0; t < s.tokens; ++t) scores[static_cast<size_t>(t * s.experts + s.experts / 2)] = 100;
  return scores;
}

std::vector<float> row_of(const std::vector<float>& values, int64_t row, int64_t n) {
  return {values.begin() + row * n, values.begin() + (row + 1) * n};
}

/// One step of experts' operations; weights are the same in all of them.
struct Step {
  Step(const Sizes& s, const Format& format, const Tier& tier, bool packed, int threads = 2)
      : sizes(s), bench(s.tokens, threads, tier.name), format_(&format) {
    bench.packed = packed;
  }
  /// By row: of all tokens, or of one.
  void route(const std::vector<float>& scores) {
    const Tensor x = bench.activation_of(sizes.experts, scores);
    ids = bench.graph.add(op_choose_experts, Attrs(ChooseExperts{.k = sizes.k}), {x});
    weights = bench.graph.add(op_weigh_experts, Attrs(WeighExperts{.softmax = true}), {x, ids});
  }
  Tensor glu(const std::vector<float>& x, bool biases, Activation f = Activation::kSilu) {
    std::vector<Tensor> in = {bench.activation_of(sizes.d, x), matrix(sizes.n, sizes.d, 21), matrix(sizes.n, sizes.d, 22),
                              ids};
    if (biases) in.insert(in.end(), {bias(sizes.n, 23), bias(sizes.n, 24)});
    return bench.graph.add(op_expert_glu_linear, Attrs(Activate{f}), in);
  }
  Tensor mix(const std::vector<float>& h, bool biases) {
    std::vector<Tensor> in = {bench.activation_of(sizes.k * sizes.n, h), matrix(sizes.d, sizes.n, 31), ids, weights};
    if (biases) in.push_back(bias(sizes.d, 32));
    return bench.graph.add(op_mix_experts, Attrs(NoAttrs{}), in);
  }
  Tensor matrix(int64_t rows, int64_t cols, uint64_t seed) {
    return bench.weight(Shape{sizes.experts, rows, cols}, seed, *format_);
  }
  /// Powers of two, one for each expert.
  std::vector<float> powers(int least) const {
    std::vector<float> out;
    for (int64_t e = 0; e < sizes.experts; ++e) out.push_back(std::ldexp(1.0f, least + static_cast<int>(e % 3)));
    return out;
  }
  Tensor bias(int64_t rows, uint64_t seed) { return bench.weight(Shape{sizes.experts, rows}, seed); }

  /// Expert e's matrix or bias, of all those with this seed.
  Tensor matrix_of(int64_t e, int64_t rows, int64_t cols, uint64_t seed) {
    return bench.weight_of(Shape{rows, cols}, row_of(test::normal(sizes.experts * rows * cols, seed), e, rows * cols),
                           *format_);
  }
  Tensor bias_of(int64_t e, int64_t rows, uint64_t seed) {
    return bench.weight_of(Shape{rows}, row_of(test::normal(sizes.experts * rows, seed), e, rows));
  }
  Tensor linear_of(int64_t e, Tensor x, int64_t rows, uint64_t seed, bool biased) {
    const Tensor y = bench.graph.add(op_linear, Attrs(NoAttrs{}), {x, matrix_of(e, rows, x.cols(), seed)});
    return biased ? y + bias_of(e, rows, seed > 30 ? seed + 1 : seed + 2) : y;
  }

  Sizes sizes;
  OpBench bench;
  Tensor ids, weights;

 private:
  const Format* format_;
};

class Experts : public testing::TestWithParam<const Tier*> {
 protected:
  void SetUp() override {
    if (!GetParam()->supported()) GTEST_SKIP() << "this CPU lacks " << GetParam()->name;
  }

  /// The results of the ids' experts for their tokens, by operations on one matrix.
  static std::vector<float> glu_by_expert(const Sizes& s, const Format& format, bool packed, const std::vector<float>& x,
                                          const Ids& ids, bool biases, Activation f) {
    std::vector<float> want(static_cast<size_t>(s.tokens * s.k * s.n));
    for (int32_t e : std::set<int32_t>(ids.begin(), ids.end())) {
      Step one(s, format, *GetParam(), packed);
      const Tensor in = one.bench.activation_of(s.d, x);
      const std::vector<float> y =
          one.bench.run(glu(one.linear_of(e, in, s.n, 21, biases), one.linear_of(e, in, s.n, 22, biases), f));
      for (size_t slot = 0; slot < ids.size(); ++slot)
        if (ids[slot] == e)
          std::copy_n(y.begin() + static_cast<int64_t>(slot) / s.k * s.n, s.n,
                      want.begin() + static_cast<int64_t>(slot) * s.n);
    }
    return want;
  }

  /// The weighted sum of one matrix's results, by rising id, in double.
  static std::vector<float> mix_by_expert(const Sizes& s, const Format& format, bool packed, const std::vector<float>& h,
                                          const Ids& ids, const std::vector<float>& weights, bool biases) {
    std::vector<double> want(static_cast<size_t>(s.tokens * s.d));
    for (int32_t e : std::set<int32_t>(ids.begin(), ids.end())) {
      Sizes rows = s;
      rows.tokens = s.tokens * s.k;  // each slot is a token
      Step one(rows, format, *GetParam(), packed);
      const std::vector<float> y = one.bench.run(one.linear_of(e, one.bench.activation_of(s.n, h), s.d, 31, biases));
      for (size_t slot = 0; slot < ids.size(); ++slot)
        for (size_t i = 0; ids[slot] == e && i < static_cast<size_t>(s.d); ++i)
          want[slot / static_cast<size_t>(s.k) * static_cast<size_t>(s.d) + i] +=
              static_cast<double>(weights[slot]) * static_cast<double>(y[slot * static_cast<size_t>(s.d) + i]);
    }
    return {want.begin(), want.end()};
  }

  static void check(const Sizes& s, const Format& format, bool packed, Spread spread, bool biases, Activation f) {
    SCOPED_TRACE(testing::Message() << format.name << (packed ? " panels, " : " rows, ") << s.tokens << " tokens, " << s.k
                                    << " of " << s.experts << " experts of " << s.n << " x " << s.d);
    const std::vector<float> x = test::normal(s.tokens * s.d, 1), h = test::normal(s.tokens * s.k * s.n, 2);
    Step step(s, format, *GetParam(), packed);
    step.route(scores_of(s, spread));
    const Ids ids = as_ids(step.bench.run(step.ids));
    const std::vector<float> weights = step.bench.run(step.weights);
    EXPECT_TRUE(
        test::same_bits(step.bench.run(step.glu(x, biases, f)), glu_by_expert(s, format, packed, x, ids, biases, f)));
    const std::vector<float> want = mix_by_expert(s, format, packed, h, ids, weights, biases);
    const double largest = static_cast<double>(std::abs(std::ranges::max(want, {}, [](float v) { return std::abs(v); })));
    EXPECT_TRUE(test::close_to(step.bench.run(step.mix(h, biases)), want, largest * 1e-6 * static_cast<double>(s.k)));
  }
};

/// Those of which numbers are made, so that an expert's matrix can be made alone; the others lie and are multiplied
/// likewise.
std::vector<const Format*> encoded_formats() {
  std::vector<const Format*> out;
  for (const Format* f : formats())
    if (f->encode) out.push_back(f);
  return out;
}

TEST_P(Experts, GiveWhatTheirMatricesGiveInEveryFormat) {
  for (const Format* format : encoded_formats())
    for (bool packed : {false, true})
      for (int64_t tokens : {1, 2, 40})
        check({tokens, 4, 2, 64, 96}, *format, packed, Spread::kRandom, tokens == 2, Activation::kSilu);
}

TEST_P(Experts, OfAnyNumberAndSize) {
  for (const Sizes& s :
       {Sizes{3, 1, 1, 32, 32}, {5, 8, 8, 64, 37}, {70, 3, 2, 33, 17}, {9, 128, 8, 32, 16}, {33, 16, 1, 160, 1}})
    for (bool packed : {false, true})
      check(s, format_f32, packed, Spread::kRandom, s.k == 2, s.k == 2 ? Activation::kClampedSilu : Activation::kSilu);
}

TEST_P(Experts, WithAllTokensInOneAndNoneInOthers) {
  for (const char* format : {"f16", "q8_0", "q4_0"})
    for (int64_t tokens : {1, 24, 25, 131})
      for (int64_t k : {1, 3})
        check({tokens, 6, k, 64, 64}, *find_format(format), true, Spread::kAllToOne, false, Activation::kSilu);
}

TEST_P(Experts, GiveATokenTheSameAloneAndAmongOthersAndOnAnyThreads) {
  const Sizes many{50, 5, 3, 256, 256};
  const std::vector<float> x = test::normal(many.tokens * many.d, 1), h = test::normal(many.tokens * many.k * many.n, 2),
                           scores = scores_of(many, Spread::kRandom);
  for (const char* name : {"f32", "bf16", "q8_0", "q4_0", "q4_k", "mxfp4"})
    for (bool packed : {false, true}) {
      const Format* format = find_format(std::string_view(name));
      const auto run = [&](const Sizes& s, int threads, const std::vector<float>& route, const std::vector<float>& xs,
                           const std::vector<float>& hs) {
        Step step(s, *format, *GetParam(), packed, threads);
        step.route(route);
        return std::pair(step.bench.run(step.glu(xs, true)), step.bench.run(step.mix(hs, true)));
      };
      const auto all = run(many, 2, scores, x, h);
      for (int threads : {1, 3}) {
        const auto other = run(many, threads, scores, x, h);
        EXPECT_TRUE(test::same_bits(other.first, all.first)) << format->name << ", " << threads << " threads";
        EXPECT_TRUE(test::same_bits(other.second, all.second)) << format->name << ", " << threads << " threads";
      }
      Sizes one = many;
      one.tokens = 1;
      for (int64_t t : {0, 17, 49}) {
        const auto alone = run(one, 2, row_of(scores, t, many.experts), row_of(x, t, many.d), row_of(h, t, many.k * many.n));
        EXPECT_TRUE(test::same_bits(alone.first, row_of(all.first, t, many.k * many.n))) << format->name << ", token " << t;
        EXPECT_TRUE(test::same_bits(alone.second, row_of(all.second, t, many.d))) << format->name << ", token " << t;
      }
    }
}

// As with matrices multiplied by powers of two, bit for bit.
TEST_P(Experts, ScalesMultiplyProductsBeforeBiases) {
  const Sizes s{9, 5, 2, 64, 48};
  const std::vector<float> x = test::normal(s.tokens * s.d, 1), h = test::normal(s.tokens * s.k * s.n, 2);
  for (const bool biases : {false, true}) {
    Step step(s, format_f32, *GetParam(), true);
    step.route(scores_of(s, Spread::kRandom));
    const auto matrix = [&](int64_t rows, int64_t cols, uint64_t seed, const std::vector<float>& factors) {
      std::vector<float> w = test::normal(s.experts * rows * cols, seed);
      for (size_t i = 0; i < w.size(); ++i) w[i] *= factors[i / static_cast<size_t>(rows * cols)];
      return step.bench.weight_of(Shape{s.experts, rows, cols}, w);
    };
    const std::vector<float> ones(static_cast<size_t>(s.experts), 1.0f), gate = step.powers(-2), up = step.powers(0),
                                                                         down = step.powers(-1);
    const auto scale = [&](const std::vector<float>& v) { return step.bench.weight_of(Shape{s.experts}, v); };
    const auto run = [&](bool scaled) {
      std::vector<Tensor> in = {step.bench.activation_of(s.d, x), matrix(s.n, s.d, 21, scaled ? ones : gate),
                                matrix(s.n, s.d, 22, scaled ? ones : up), step.ids};
      if (biases) in.insert(in.end(), {step.bias(s.n, 23), step.bias(s.n, 24)});
      if (scaled) in.insert(in.end(), {scale(gate), scale(up)});
      std::vector<float> out =
          step.bench.run(step.bench.graph.add(op_expert_glu_linear, Attrs(Activate{Activation::kClampedSilu}), in));
      in = {step.bench.activation_of(s.k * s.n, h), matrix(s.d, s.n, 31, scaled ? ones : down), step.ids, step.weights};
      if (biases) in.push_back(step.bias(s.d, 32));
      if (scaled) in.push_back(scale(down));
      const std::vector<float> mixed = step.bench.run(step.bench.graph.add(op_mix_experts, Attrs(NoAttrs{}), in));
      out.insert(out.end(), mixed.begin(), mixed.end());
      return out;
    };
    EXPECT_TRUE(test::same_bits(run(true), run(false))) << (biases ? "with biases" : "without");
  }
}

TEST_P(Experts, HeadsMeetMatricesOfTheirOwn) {
  constexpr int64_t kHeads = 3, kN = 40, kK = 64;
  for (const Format* format : encoded_formats())
    for (bool packed : {false, true})
      for (int64_t tokens : {1, 30}) {
        Step step({tokens, kHeads, 1, kK, kN}, *format, *GetParam(), packed);
        const std::vector<float> x = test::normal(tokens * kHeads * kK, 1);
        const Tensor in = step.bench.activation_of(kHeads * kK, x);
        const std::vector<float> got =
            step.bench.run(step.bench.graph.add(op_head_linear, Attrs(NoAttrs{}), {in, step.matrix(kN, kK, 21)}));
        std::vector<float> want(got.size());
        for (int64_t head = 0; head < kHeads; ++head) {
          const Tensor columns = step.bench.graph.add(op_columns, Attrs(Columns{head * kK, kK}), {in});
          const std::vector<float> y = step.bench.run(step.linear_of(head, columns, kN, 21, false));
          for (int64_t t = 0; t < tokens; ++t)
            std::copy_n(y.begin() + t * kN, kN, want.begin() + t * kHeads * kN + head * kN);
        }
        EXPECT_TRUE(test::same_bits(got, want)) << format->name << ", " << tokens << " tokens";
      }
}

INSTANTIATE_TEST_SUITE_P(All, Experts, testing::ValuesIn(tiers()), test::tier_name);

TEST(HeadParts, AreCutOutAndJoinedHeadByHead) {
  OpBench bench(2);
  const Tensor a = bench.activation_of(6, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
               b = bench.activation_of(2, {-1, -2, -3, -4});
  const auto run = [&](const OpDef& op, auto attrs, std::initializer_list<Tensor> in) {
    return bench.run(bench.graph.add(op, Attrs(attrs), in));
  };
  EXPECT_EQ(run(op_head_columns, HeadColumns{.heads = 2, .first = 1, .n = 2}, {a}),
            (std::vector<float>{2, 3, 5, 6, 8, 9, 11, 12}));
  EXPECT_EQ(run(op_join_heads, JoinHeads{.heads = 2}, {a, b}),
            (std::vector<float>{1, 2, 3, -1, 4, 5, 6, -2, 7, 8, 9, -3, 10, 11, 12, -4}));
  EXPECT_EQ(run(op_join_heads, JoinHeads{.heads = 2, .shared = true}, {a, b}),
            (std::vector<float>{1, 2, 3, -1, -2, 4, 5, 6, -1, -2, 7, 8, 9, -3, -4, 10, 11, 12, -3, -4}));
}

}  // namespace
}  // namespace skald
