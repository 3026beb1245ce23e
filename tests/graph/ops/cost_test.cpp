// Costs of the operations that are more than a stream, against numbers worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graph/ops/attention.h"
#include "graph/ops/embed.h"
#include "graph/ops/expert_glu_linear.h"
#include "graph/ops/glu_linear.h"
#include "graph/ops/kv_append.h"
#include "graph/ops/linear.h"
#include "graph/ops/mix_experts.h"
#include "graph/ops/pick_rows.h"
#include "graph/ops/window_attention.h"
#include "graph/profile.h"
#include "skald/sparq_params.h"
#include "tests/support/graphs.h"

namespace skald {
namespace {

constexpr Format kQ8{.name = "q8", .id = 8, .block = 32, .block_bytes = 34, .decode = nullptr, .encode = nullptr};
using test::matrix;
using test::weight;

class CostOf : public testing::Test {
 protected:
  Cost of(Tensor t) const { return cost_of(g_, g_.node(t.id), step_); }

  Graph g_;
  std::vector<StepStats::Sequence> sequences_ = {{.rows = 1, .keys = 100}, {.rows = 3, .keys = 10}};
  StepStats step_{.n_tokens = 4, .n_outputs = 2, .sequences = sequences_, .kv_element_bytes_k = 2, .kv_element_bytes_v = 4};
};

TEST_F(CostOf, LinearReadsItsWeightOnceForAllTokens) {
  const Cost f32 = of(g_.add(op_linear, Attrs(NoAttrs{}), {matrix(g_, 16, 64), weight(g_, Shape{10, 64})}));
  EXPECT_EQ(f32.bytes, 4 * 64 * 4 + 4 * 10 * 4 + 10 * 64 * 4);
  EXPECT_EQ(f32.flops, 2 * 4 * 10 * 64);
  const Cost q8 = of(g_.add(op_linear, Attrs(NoAttrs{}), {matrix(g_, 16, 64), weight(g_, Shape{10, 64}, kQ8)}));
  EXPECT_EQ(q8.bytes, 4 * 64 * 4 + 4 * 10 * 4 + 10 * 2 * 34);
  EXPECT_EQ(q8.flops, f32.flops);
}

TEST_F(CostOf, LinearReadsAllItsWeightsAndItsInputOnce) {
  const Cost cost = of(
      g_.add(op_linear, Attrs(NoAttrs{}), {matrix(g_, 16, 64), weight(g_, Shape{10, 64}), weight(g_, Shape{6, 64}, kQ8)}));
  EXPECT_EQ(cost.bytes, 4 * 64 * 4 + 4 * 16 * 4 + 10 * 64 * 4 + 6 * 2 * 34);
  EXPECT_EQ(cost.flops, 2 * 4 * 16 * 64);
}

TEST_F(CostOf, SwigluLinearReadsBothWeightsAndWritesOnce) {
  const Cost cost = of(g_.add(op_glu_linear, Attrs(Activate{}),
                              {matrix(g_, 16, 64), weight(g_, Shape{10, 64}), weight(g_, Shape{10, 64}, kQ8)}));
  EXPECT_EQ(cost.bytes, 4 * 64 * 4 + 4 * 10 * 4 + 10 * 64 * 4 + 10 * 2 * 34);
  EXPECT_EQ(cost.flops, 2 * (2 * 4 * 10 * 64) + 4 * 10);
}

// Four tokens, each to 3 of 8 experts.
class CostOfExperts : public CostOf {
 protected:
  Tensor weight_of(int64_t n, int64_t k) { return weight(g_, Shape{8, n, k}, kQ8); }
  Tensor ids_ = g_.input("ids", {&format_i32, Shape{16, 3}, Rows::kTokens});
  Tensor glu_ = g_.add(
      op_expert_glu_linear, Attrs(Activate{}),
      {matrix(g_, 16, 64), weight_of(32, 64), weight_of(32, 64), ids_, weight(g_, Shape{8, 32}), weight(g_, Shape{8, 32})});
  Tensor mix_ =
      g_.add(op_mix_experts, Attrs(NoAttrs{}), {glu_, weight_of(64, 32), ids_, matrix(g_, 16, 3), weight(g_, Shape{8, 64})});
};

TEST_F(CostOfExperts, CountsTheMatricesThatAreRead) {
  constexpr double kGlu = 4 * 64 * 4 + 4 * 3 * 4 + 4 * 96 * 4, kMix = 4 * 96 * 4 + 2 * (4 * 3 * 4) + 4 * 64 * 4;
  for (int64_t read : {3, 5, 8}) {
    step_.experts_read = read;
    const auto n = static_cast<double>(read);
    EXPECT_DOUBLE_EQ(of(glu_).bytes, kGlu + n * 2 * (32 * 2 * 34 + 32 * 4));
    EXPECT_DOUBLE_EQ(of(mix_).bytes, kMix + n * (64 * 34 + 64 * 4));
  }
  EXPECT_EQ(of(glu_).flops, 4 * 96 * (2 * 2 * 64 + 1));
  EXPECT_EQ(of(mix_).flops, 4 * 3 * 2 * 32 * 64);
}

TEST_F(CostOfExperts, OfOneTokenAreThoseThatItGoesTo) {
  step_.n_tokens = 1;
  const double unknown = of(glu_).bytes;
  step_.experts_read = 3;
  EXPECT_DOUBLE_EQ(unknown, of(glu_).bytes);
}

TEST_F(CostOfExperts, AreThoseOfEvenRoutingWithoutCounts) {
  EXPECT_DOUBLE_EQ(step_.share_of_experts(8, 3), 1 - std::pow(5.0 / 8, 4));
  EXPECT_DOUBLE_EQ(step_.share_of_experts(3, 3), 1);
}

TEST_F(CostOf, LinearOnOutputsCountsOutputs) {
  const Cost cost = of(g_.add(op_linear, Attrs(NoAttrs{}), {matrix(g_, 16, 64, Rows::kOutputs), weight(g_, Shape{10, 64})}));
  EXPECT_EQ(cost.flops, 2 * 2 * 10 * 64);
}

TEST_F(CostOf, AttentionReadsEachKeyOncePerSequence) {
  Attention a{.n_heads = 4, .n_kv_heads = 2, .d_k = 8, .d_v = 16};
  const Tensor q = matrix(g_, 16, 32), cache = g_.input("cache", {&format_f32, Shape{0}, Rows::kFixed});
  constexpr double kActivations = 4 * 32 * 4 + 4 * 64 * 4, kPerKey = 2 * (8 * 2 + 16 * 4), kPerPair = 2 * 4 * (8 + 16);
  const Cost all = of(g_.add(op_attention, Attrs(a), {q, cache}));
  EXPECT_EQ(all.bytes, kActivations + 110 * kPerKey);
  EXPECT_EQ(all.flops, (100 + 8 + 9 + 10) * kPerPair);
  a.window = {5};
  const Cost window = of(g_.add(op_attention, Attrs(a), {q, cache}));
  EXPECT_EQ(window.bytes, kActivations + 12 * kPerKey);
  EXPECT_EQ(window.flops, 20 * kPerPair);
  a.window.chunk = 5;
  const Cost chunks = of(g_.add(op_attention, Attrs(a), {q, cache}));
  EXPECT_EQ(chunks.bytes, kActivations + (5 + 5) * kPerKey);
  EXPECT_EQ(chunks.flops, (5 + 3 + 4 + 5) * kPerPair);
}

TEST_F(CostOf, WindowAttentionReadsWhatIsVisible) {
  const Attention a{.n_heads = 4, .n_kv_heads = 2, .d_k = 8, .d_v = 16};
  constexpr Format kHalf{.name = "f16", .id = 1, .block = 1, .block_bytes = 2, .decode = nullptr, .encode = nullptr};
  const auto rows = [&](int64_t d) { return g_.input("rows", {&kHalf, Shape{2, 50, d}, Rows::kFixed}); };
  const Tensor q = matrix(g_, 16, 32), positions = g_.input("positions", {&format_i32, Shape{16}, Rows::kTokens});
  const Cost cost = of(g_.add(op_window_attention, Attrs(a), {q, rows(8), rows(16), positions}));
  EXPECT_EQ(cost.bytes, 4 * 32 * 4 + 4 * 64 * 4 + (50 + 10) * 2 * (8 + 16) * 2);
  EXPECT_EQ(cost.flops, (50 + 8 + 9 + 10) * 2 * 4 * (8 + 16));
}

class CostOfSparseAttention : public CostOf {
 protected:
  CostOfSparseAttention() {
    sequences_ = {{.rows = 1, .keys = 100, .sparq = &sparq_}};
    step_ = {.n_tokens = 1,
             .n_outputs = 1,
             .sequences = sequences_,
             .kv_element_bytes_k = 2,
             .kv_element_bytes_v = 4,
             .kv_index_bytes = 1};
  }
  Cost attention() { return of(g_.add(op_attention, Attrs(a_), {matrix(g_, 16, 32), cache_})); }

  static constexpr double kActivations = 32 * 4 + 64 * 4, kPerKey = 2 * (8 * 2 + 16 * 4), kPerPair = 2 * 4 * (8 + 16);
  SparqParams sparq_{.k1 = 3, .k2 = 10, .mean = {}};
  Attention a_{.n_heads = 4, .n_kv_heads = 2, .d_k = 8, .d_v = 16, .sparse = true};
  Tensor cache_ = g_.input("cache", {&format_f32, Shape{0}, Rows::kFixed});
};

TEST_F(CostOfSparseAttention, CountsComponentsOfAllKeysAndTheChosenRows) {
  EXPECT_EQ(attention().bytes, kActivations + 2 * 100 * 3 * 1 + 10 * kPerKey);
  EXPECT_EQ(attention().flops, 2 * 4 * 100 * 3 + 10 * kPerPair);
}

TEST_F(CostOfSparseAttention, ReadsAllOfTheKeysWhereThereIsNoSecondCopy) {
  step_.kv_index_bytes = 0;
  EXPECT_EQ(attention().bytes, kActivations + 2 * 100 * 8 * 2 + 10 * kPerKey);
}

TEST_F(CostOfSparseAttention, SeesItsWindowOnly) {
  a_.window = {40};
  EXPECT_EQ(attention().bytes, kActivations + 2 * 40 * 3 * 1 + 10 * kPerKey);
}

TEST_F(CostOfSparseAttention, IsDenseWhereAllKeysAreChosenOrTheRowsOrTheLayerAre) {
  const auto is_dense = [&] { EXPECT_EQ(attention().bytes, kActivations + 100 * kPerKey); };
  sparq_.k2 = 100;
  is_dense();
  sparq_.k2 = 10;
  a_.sparse = false;
  is_dense();
  a_.sparse = true;
  sequences_[0].sparq = nullptr;
  is_dense();
}

TEST_F(CostOf, KvAppendWritesTheKeysSecondCopyToo) {
  step_.kv_index_bytes = 1;
  const Cost cost = of(g_.add(op_kv_append, Attrs(KvAppend{2, 0}), {matrix(g_, 16, 16), matrix(g_, 16, 32)}));
  EXPECT_EQ(cost.bytes, 4 * 16 * (4 + 2 + 1) + 4 * 32 * (4 + 4));
}

TEST_F(CostOf, KvAppendWritesInTheCachesFormat) {
  const Cost cost = of(g_.add(op_kv_append, Attrs(KvAppend{2, 0}), {matrix(g_, 16, 16), matrix(g_, 16, 32)}));
  EXPECT_EQ(cost.bytes, 4 * 16 * (4 + 2) + 4 * 32 * (4 + 4));
  EXPECT_EQ(cost.flops, 0);
}

TEST_F(CostOf, EmbedAndPickRowsTouchOnlyTheirRows) {
  const Tensor ids = g_.input("tokens", {&format_i32, Shape{16}, Rows::kTokens});
  const Tensor rows = g_.input("output_rows", {&format_i32, Shape{16}, Rows::kOutputs});
  const Tensor x = g_.add(op_embed, Attrs(NoAttrs{}), {ids, weight(g_, Shape{1000, 64}, kQ8)});
  EXPECT_EQ(of(x).bytes, 4 * 64 * 4 + 4 * 2 * 34);
  EXPECT_EQ(of(g_.add(op_pick_rows, Attrs(NoAttrs{}), {x, rows})).bytes, 2 * (2 * 64 * 4));
}

}  // namespace
}  // namespace skald
