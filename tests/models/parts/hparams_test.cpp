// Hyperparameters: their defaults, and that a wrong value is refused by the name of its key.
#include "models/parts/hparams.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/support/errors.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

/// A small llama's metadata with some keys replaced.
class Hparams : public testing::Test {
 protected:
  void set(const std::string& key, MetaValue value) { meta_.set("llama." + key, std::move(value)); }
  DecoderParams decoder() const { return read_decoder(MetaView(meta_, "llama")); }
  RopeSpec rope() const {
    Graph graph;
    Net net(graph, [](std::string_view, const Shape*) { return std::nullopt; }, {1, 1});
    return read_rope(net, MetaView(meta_, "llama"), 32, RopePairs::kInterleaved);
  }
  template <class F>
  void expect_error(F f, Errc code, const std::string& key) const {
    const Error e = test::error_of(f);
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find("llama." + key), std::string::npos) << e.what();
  }

  Meta meta_ = test::SmallModel{}.meta();
};

TEST_F(Hparams, HeadSizesDefaultToAnEqualShareOfTheModel) {
  Meta bare;
  for (const auto& [key, value] : meta_.entries())
    if (key.find("_length") == std::string::npos || key.find("attention") == std::string::npos) bare.set(key, value);
  meta_ = bare;
  const DecoderParams p = decoder();
  EXPECT_EQ(p.d_k, 96 / 4);
  EXPECT_EQ(p.d_v, 96 / 4);
  set("attention.head_count", uint32_t{5});
  set("attention.head_count_kv", uint32_t{5});
  expect_error([&] { decoder(); }, Errc::kBadFile, "embedding_length");
}

TEST_F(Hparams, KeyHeadsDefaultToQueryHeads) {
  Meta bare;
  for (const auto& [key, value] : meta_.entries())
    if (key != "llama.attention.head_count_kv") bare.set(key, value);
  meta_ = bare;
  EXPECT_EQ(decoder().n_kv_heads, 4);
}

TEST_F(Hparams, ActivationsByName) {
  const auto read = [&] { return read_activation(MetaView(meta_, "llama"), Activation::kGeluTanh); };
  EXPECT_EQ(read(), Activation::kGeluTanh) << "the usual";
  set("activation", std::string("relu"));
  EXPECT_EQ(read(), Activation::kRelu);
  set("activation", std::string("gelu"));
  EXPECT_EQ(read(), Activation::kGelu);
  set("activation", std::string("swish"));
  expect_error([&] { read(); }, Errc::kUnsupported, "activation");
}

TEST_F(Hparams, RefusesSizesThatNoModelHas) {
  for (const char* key : {"block_count", "embedding_length", "feed_forward_length", "attention.head_count",
                          "attention.key_length", "attention.value_length"}) {
    const MetaValue before = *meta_.find(std::string("llama.") + key);
    for (const MetaValue& bad :
         {MetaValue(uint32_t{0}), MetaValue(int64_t{-1}), MetaValue(int64_t{1} << 40), MetaValue(std::string("x"))}) {
      set(key, bad);
      expect_error([&] { decoder(); }, Errc::kBadFile, key);
    }
    set(key, before);
  }
  set("attention.head_count_kv", uint32_t{8});  // more than query heads
  expect_error([&] { decoder(); }, Errc::kBadFile, "attention.head_count_kv");
}

TEST_F(Hparams, NamesAMissingKey) {
  meta_ = Meta();
  expect_error([&] { decoder(); }, Errc::kNotFound, "block_count");
}

TEST_F(Hparams, RopeDefaultsToAllOfTheHeadAndBaseTenThousand) {
  const RopeTable t = rope().table;
  EXPECT_EQ(t.dims, 32);
  EXPECT_EQ(t.theta, 10000.0f);
  EXPECT_EQ(t.scaling, RopeScaling::kNone);
  EXPECT_EQ(t.magnitude, 1.0f);
  EXPECT_EQ(t.original_context, 1024.0f);  // context_length
  EXPECT_FALSE(rope().divisors.graph);
}

TEST_F(Hparams, RopeScalingIsReadByItsType) {
  set("rope.scaling.factor", 4.0f);
  set("rope.scaling.original_context_length", uint32_t{256});
  for (const auto& [type, scaling] : {std::pair{"none", RopeScaling::kNone},
                                      {"linear", RopeScaling::kLinear},
                                      {"llama3", RopeScaling::kLlama3},
                                      {"yarn", RopeScaling::kYarn}}) {
    set("rope.scaling.type", std::string(type));
    EXPECT_EQ(rope().table.scaling, scaling) << type;
    EXPECT_EQ(rope().table.factor, 4.0f) << type;
    EXPECT_EQ(rope().table.original_context, 256.0f) << type;
  }
  set("rope.scaling.type", std::string("spiral"));
  expect_error([&] { rope(); }, Errc::kUnsupported, "rope.scaling.type");
}

TEST_F(Hparams, TheOldLinearScaleKeyStillCounts) {
  set("rope.scale_linear", 8.0f);
  EXPECT_EQ(rope().table.scaling, RopeScaling::kLinear);
  EXPECT_EQ(rope().table.factor, 8.0f);
}

TEST_F(Hparams, YarnRaisesTheMagnitude) {
  set("rope.scaling.type", std::string("yarn"));
  set("rope.scaling.factor", 4.0f);
  EXPECT_FLOAT_EQ(rope().table.magnitude, 1 + 0.1f * std::log(4.0f));
  set("rope.scaling.yarn_attn_factor", 2.0f);
  EXPECT_FLOAT_EQ(rope().table.magnitude, 2 * (1 + 0.1f * std::log(4.0f)));
  set("rope.scaling.yarn_ext_factor", 0.0f);
  EXPECT_FLOAT_EQ(rope().table.magnitude, 2);
}

TEST_F(Hparams, RefusesRopeValuesThatMakeNoAngles) {
  for (const char* key : {"rope.freq_base", "rope.scaling.factor", "rope.scaling.original_context_length"})
    for (float bad : {0.0f, -1.0f, std::nanf(""), HUGE_VALF}) {
      Meta before = meta_;
      set(key, bad);
      expect_error([&] { rope(); }, Errc::kBadFile, key);
      meta_ = std::move(before);
    }
  set("rope.dimension_count", uint32_t{33});
  expect_error([&] { rope(); }, Errc::kBadFile, "rope.dimension_count");
}

TEST_F(Hparams, RefusesNumbersThatNoModelHas) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  for (const float eps : {nan, inf, -inf, -1.0f, 0.0f, 1.0f, 1e30f}) {
    set("attention.layer_norm_rms_epsilon", eps);
    expect_error([&] { decoder(); }, Errc::kBadFile, "attention.layer_norm_rms_epsilon");
  }
  const MetaView m(meta_, "llama");
  for (const float scale : {nan, inf, -1.0f, 0.0f, 1e30f, 1e-30f}) {
    set("x", scale);
    expect_error([&] { read_positive(m, "x"); }, Errc::kBadFile, "x");
  }
  for (const float number : {nan, inf, -inf, 1e30f}) {
    set("x", number);
    expect_error([&] { read_finite(m, "x", 0); }, Errc::kBadFile, "x");
  }
  set("x", -0.5f);
  EXPECT_EQ(read_finite(m, "x", 0), -0.5f);
  EXPECT_EQ(read_finite(m, "y", 3), 3);
}

TEST_F(Hparams, AttentionScalesByTheKeySize) {
  const Attention a = attention_of(decoder());
  EXPECT_FLOAT_EQ(a.scale, 1 / std::sqrt(32.0f));
  EXPECT_EQ(a.n_heads, 4);
  EXPECT_EQ(a.n_kv_heads, 2);
  EXPECT_EQ(a.d_v, 64);
  set("attention.sliding_window", uint32_t{7});
  DecoderParams p = decoder();
  EXPECT_EQ(attention_of(p).window.size, 0) << "families that have one read it";
  p.window = read_window(MetaView(meta_, "llama"));
  EXPECT_EQ(attention_of(p).window.size, 7);
}

}  // namespace
}  // namespace skald
