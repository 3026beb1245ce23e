// Which layers are told of together, and how many keys their tokens can see.
#include "stepping/sparq_layers.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

std::vector<StateSpec> states() {
  const AttentionState wide{.n_kv_heads = 2, .d_k = 64, .d_v = 64}, narrow{.n_kv_heads = 2, .d_k = 32, .d_v = 32};
  const AttentionState sliding{.n_kv_heads = 1, .d_k = 64, .d_v = 64, .window = 100};
  return {sliding, RecurrentState{8}, wide, sliding, narrow, wide, wide};
}

std::vector<SparqLayers> layers(const SparqParams& params, const KvLimits& limits) {
  return sparq_layers(params, make_kv_spec(states(), {}, limits.max_keys), limits);
}

TEST(SparqLayers, ComeTogetherByWindowAndSizeOfHeads) {
  const std::vector<SparqLayers> all = layers({.k1 = 40, .k2 = 150, .mean = {}}, {.max_keys = 1000});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].layers, 2);
  EXPECT_EQ(all[0].window, 100);
  EXPECT_EQ(all[1].layers, 3);
  EXPECT_EQ(all[1].window, 0);
  EXPECT_EQ(all[1].k1, 40);
  EXPECT_EQ(all[1].k2, 150);
  EXPECT_EQ(all[2].layers, 1);
  EXPECT_EQ(all[2].k1, 32);
}

TEST(SparqLayers, SeeTheirWindowAndTheFirstKeysButNoMoreThanTheContext) {
  const SparqParams params{.k1 = 8, .k2 = 105, .mean = {}};
  const auto most = [&](const KvLimits& limits) { return layers(params, limits)[0].most_keys; };
  EXPECT_EQ(most({.max_keys = 1000}), 100);
  EXPECT_EQ(most({.max_keys = 1000, .sinks = 4}), 104);
  EXPECT_EQ(most({.max_keys = 102, .sinks = 4}), 102);
  EXPECT_EQ(most({.max_keys = 90}), 90);
  EXPECT_EQ(layers(params, {.max_keys = 90})[0].window, 0);
}

TEST(SparqLayers, CanBeSparseWhereATokenCanSeeEnoughKeys) {
  const SparqParams params{.k1 = 8, .k2 = 103, .mean = {}};
  const std::vector<SparqLayers> few = layers(params, {.max_keys = 1000, .sinks = 3});
  EXPECT_EQ(few[0].from, 104);
  EXPECT_FALSE(few[0].can_be_sparse());
  EXPECT_TRUE(few[1].can_be_sparse());
  EXPECT_TRUE(layers(params, {.max_keys = 1000, .sinks = 4})[0].can_be_sparse());
  EXPECT_FALSE(layers({.ratio = 1, .mean = {}}, {.max_keys = 1000})[1].can_be_sparse());
}

TEST(SparqLayers, WithABasisAreToldOfApartAndReadFewerComponents) {
  const KvLimits limits{.max_keys = 8192};
  const KvSpec spec = make_kv_spec(states(), {.index = KeyIndex::kInt4}, limits.max_keys);
  const std::vector<bool> bases = {false, false, true, false, false, false, true};
  const std::vector<SparqLayers> all = sparq_layers({.ratio = 8, .mean = {}}, spec, limits, bases);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].layers, 2);
  EXPECT_EQ(all[3].layers, 1);
  EXPECT_LT(all[1].k1, all[3].k1);
  EXPECT_GT(all[1].k2, all[3].k2);
}

TEST(SparqLayers, AreNotToldOfWithoutSparseDecoding) { EXPECT_TRUE(layers({.mean = {}}, {.max_keys = 1000}).empty()); }

}  // namespace
}  // namespace skald
