#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "convert/hyperparameters.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using nlohmann::json;

struct Written {
  explicit Written(const json& config, int64_t d_head = 16, std::string_view layers = "") : keys(meta, "x") {
    rope_keys(HfConfig(config), keys, d_head, {.layer_kind = layers});
  }
  const std::vector<float>& tensor(const std::string& name) const {
    for (const auto& [n, values] : keys.tensors())
      if (n == name) return values;
    throw std::runtime_error("no " + name);
  }
  Meta meta;
  Hyperparameters keys;
};

TEST(RopeKeys, BaseAndShareInAllSpellings) {
  for (const json& config :
       {json{{"rope_theta", 5000.0}, {"partial_rotary_factor", 0.5}}, json{{"rotary_emb_base", 5000}, {"rotary_pct", 0.5}},
        json{{"rope_parameters", {{"rope_theta", 5000.0}, {"partial_rotary_factor", 0.5}}}},
        json{{"rope_theta", 1.0}, {"rope_parameters", {{"rope_theta", 5000.0}, {"partial_rotary_factor", 0.5}}}}}) {
    const Written w(config);
    EXPECT_EQ(w.meta.f64("x.rope.freq_base"), 5000) << config;
    EXPECT_EQ(w.meta.i64("x.rope.dimension_count"), 8) << config;
    EXPECT_FALSE(w.meta.has("x.rope.scaling.type"));
  }
  EXPECT_EQ(Written(json::object()).meta.f64("x.rope.freq_base"), 10000);
}

TEST(RopeKeys, Linear) {
  const Written w(json{{"rope_scaling", {{"type", "linear"}, {"factor", 4.0}}}});
  EXPECT_EQ(w.meta.str("x.rope.scaling.type"), "linear");
  EXPECT_EQ(w.meta.f64("x.rope.scaling.factor"), 4);
}

TEST(RopeKeys, YarnWithItsOriginalContextFromEitherPlace) {
  json config = {{"max_position_embeddings", 4096},
                 {"rope_scaling", {{"rope_type", "yarn"}, {"factor", 4.0}, {"beta_fast", 16.0}}}};
  EXPECT_EQ(Written(config).meta.i64("x.rope.scaling.original_context_length"), 4096);
  EXPECT_EQ(Written(config).meta.f64("x.rope.scaling.yarn_beta_fast"), 16);
  config["original_max_position_embeddings"] = 1024;
  EXPECT_EQ(Written(config).meta.i64("x.rope.scaling.original_context_length"), 1024);
  config["rope_scaling"]["original_max_position_embeddings"] = 512;
  EXPECT_EQ(Written(config).meta.i64("x.rope.scaling.original_context_length"), 512);
  EXPECT_FALSE(Written(config).meta.has("x.rope.scaling.attn_factor"));
  config["rope_scaling"]["attention_factor"] = 1.0;
  EXPECT_NEAR(Written(config).meta.f64("x.rope.scaling.attn_factor") * (1 + 0.1 * std::log(4.0)), 1, 1e-6)
      << "readers multiply by 1 + 0.1 ln(factor) themselves";
}

TEST(RopeKeys, Llama3DividesLongWavesByTheFactor) {
  const json scaling = {{"rope_type", "llama3"},
                        {"factor", 8.0},
                        {"low_freq_factor", 1.0},
                        {"high_freq_factor", 4.0},
                        {"original_max_position_embeddings", 64}};
  const Written w(json{{"rope_theta", 10000.0}, {"max_position_embeddings", 512}, {"rope_scaling", scaling}});
  const std::vector<float>& divisors = w.tensor("rope_freqs.weight");
  ASSERT_EQ(divisors.size(), 8u);
  for (size_t i = 0; i < divisors.size(); ++i) {
    const double wave = 2 * std::numbers::pi * std::pow(10000.0, static_cast<double>(i) / 8);
    const bool brief = wave<16, lengthy = wave> 64;
    EXPECT_EQ(divisors[i] == 1, brief) << i;
    EXPECT_EQ(divisors[i] == 8, lengthy) << i;
    EXPECT_TRUE(divisors[i] >= 1 && divisors[i] <= 8) << i;
  }
  EXPECT_EQ(divisors.front(), 1);
  EXPECT_EQ(divisors.back(), 8);
}

TEST(RopeKeys, LongRopeHasTwoTablesAndAMagnitude) {
  const json config = {{"max_position_embeddings", 1024},
                       {"original_max_position_embeddings", 256},
                       {"rope_scaling", {{"type", "longrope"}, {"short_factor", {1, 2}}, {"long_factor", {3, 4}}}}};
  const Written w(config, 4);
  EXPECT_THAT(w.tensor("rope_factors_short.weight"), ::testing::ElementsAre(1, 2));
  EXPECT_THAT(w.tensor("rope_factors_long.weight"), ::testing::ElementsAre(3, 4));
  EXPECT_EQ(w.meta.i64("x.rope.scaling.original_context_length"), 256);
  EXPECT_NEAR(w.meta.f64("x.rope.scaling.attn_factor"), std::sqrt(1 + std::log(4.0) / std::log(256.0)), 1e-6);
}

TEST(RopeKeys, LongRopeWithAFactorOfItsOwn) {
  const json config = {{"max_position_embeddings", 1024},
                       {"rope_parameters",
                        {{"rope_type", "longrope"},
                         {"factor", 16.0},
                         {"original_max_position_embeddings", 256},
                         {"short_factor", {1, 2}},
                         {"long_factor", {3, 4}}}}};
  EXPECT_NEAR(Written(config, 4).meta.f64("x.rope.scaling.attn_factor"), std::sqrt(1 + std::log(16.0) / std::log(256.0)),
              1e-6);
}

TEST(RopeKeys, YarnWithoutStretchingKeepsItsMagnitude) {
  const json config = {{"max_position_embeddings", 64},
                       {"rope_parameters", {{"rope_type", "yarn"}, {"factor", 1.0}, {"attention_factor", 2.0}}}};
  EXPECT_EQ(Written(config).meta.f64("x.rope.scaling.attn_factor"), 2) << "readers multiply by 1";
}

TEST(RopeKeys, TheOlderFormGoesBeforeTheNewerOne) {
  const json config = {{"rope_scaling", {{"rope_type", "linear"}, {"factor", 4.0}}},
                       {"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 500.0}}}};
  EXPECT_EQ(Written(config).meta.f64("x.rope.scaling.factor"), 4);
  EXPECT_EQ(Written(config).meta.f64("x.rope.freq_base"), 10000) << "it is replaced as a whole";
}

TEST(RopeKeys, LayersOfOneKind) {
  const json config = {{"rope_parameters",
                        {{"sliding_attention", {{"rope_theta", 100.0}}},
                         {"full_attention", {{"rope_theta", 5000.0}, {"rope_type", "linear"}, {"factor", 8.0}}}}}};
  EXPECT_EQ(Written(config, 16, "full_attention").meta.f64("x.rope.scaling.factor"), 8);
  EXPECT_EQ(Written(config, 16, "sliding_attention").meta.f64("x.rope.freq_base"), 100);
  const json flat = {{"rope_theta", 7.0}, {"rope_parameters", {{"rope_type", "linear"}, {"factor", 8.0}}}};
  EXPECT_FALSE(Written(flat, 16, "full_attention").meta.has("x.rope.scaling.factor")) << "of no kind of layers";
  EXPECT_EQ(Written(flat, 16, "full_attention").meta.f64("x.rope.freq_base"), 7);
}

// The keys that local_rope_keys() writes of a configuration.
Meta local(const json& config) {
  Meta meta;
  Hyperparameters keys(meta, "x");
  local_rope_keys(HfConfig(config), keys, 16);
  return meta;
}

TEST(RopeKeys, LayersWithAWindowHaveTheirOwnBase) {
  const json full = {{"rope_theta", 5000.0}};
  EXPECT_EQ(local({{"rope_parameters", {{"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 100.0}}}}}})
                .f64("x.rope.freq_base_swa"),
            100);
  EXPECT_EQ(local({{"rope_local_base_freq", 200.0}, {"rope_theta", 7.0}}).f64("x.rope.freq_base_swa"), 200);
  EXPECT_EQ(local({{"rope_local_base_freq", 200.0},
                   {"rope_parameters", {{"sliding_attention", {{"rope_type", "default"}}}, {"full_attention", full}}}})
                .f64("x.rope.freq_base_swa"),
            200);
  EXPECT_FALSE(local({{"rope_parameters", {{"full_attention", full}}}}).has("x.rope.freq_base_swa"));
}

TEST(RopeKeys, ParametersOfAKindOfLayersAreFollowedOrRefused) {
  const json scaled = {{"rope_type", "linear"}, {"factor", 8.0}}, base = {{"rope_theta", 100.0}};
  const auto refused = [](auto&& f, const char* name) {
    const Error e = test::error_of(f);
    EXPECT_EQ(e.code(), Errc::kUnsupported);
    EXPECT_THAT(e.what(), ::testing::HasSubstr(name));
  };
  for (const char* type : {"linear", "yarn", "llama3", "dynamic", "longrope"})
    refused(
        [&] {
          local({{"rope_parameters", {{"sliding_attention", {{"rope_type", type}, {"factor", 8.0}}}}}});
        },
        "rope_parameters.sliding_attention");
  refused(
      [&] {
        local({{"rope_parameters", {{"sliding_attention", base}, {"chunked_attention", scaled}}}});
      },
      "rope_parameters.chunked_attention");
  refused(
      [&] {
        Written(json{{"rope_parameters", {{"full_attention", scaled}, {"rope_theta", 7.0}}}});
      },
      "rope_parameters.full_attention");
  refused([&] { Written(json{{"rope_parameters", {{"sliding_attention", base}}}}); }, "rope_parameters.sliding_attention");
}

TEST(RopeKeys, WhatCannotBeIsAnError) {
  for (const json& config : {json{{"rope_theta", -1}}, json{{"rope_theta", 0}}, json{{"partial_rotary_factor", 0}},
                             json{{"partial_rotary_factor", 2}}, json{{"rope_theta", "x"}},
                             json{{"rope_scaling", {{"type", "linear"}}}}, json{{"rope_scaling", {{"type", 3}}}},
                             json{{"rope_scaling", "yarn"}}, json{{"rope_scaling", {{"type", "yarn"}, {"factor", 2}}}}})
    EXPECT_NE(std::string(test::error_of([&] { Written w(config); }).what()), "no error") << config;
  EXPECT_EQ(test::error_of([] {
              Written w(json{{"rope_scaling", {{"type", "ntk-by-parts"}}}});
            }).code(),
            Errc::kUnsupported);
}

}  // namespace
}  // namespace skald
