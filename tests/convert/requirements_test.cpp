#include "convert/requirements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/errors.h"

namespace skald {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

void expect_refused(const std::function<void()>& f, const char* message) {
  const Error e = test::error_of(f);
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), HasSubstr(message));
}

TEST(Requirements, FlagsAndNumbers) {
  const json j = {{"a", true}, {"n", 7.0}};
  const HfConfig c(j);
  require_flag(c, "a", true, false);
  require_flag(c, "absent", false, false);
  require_number(c, "n", 7);
  require_number(c, "absent", 7);
  expect_refused([&] { require_flag(c, "a", false, false); }, "config.json: a: true is not supported");
  expect_refused([&] { require_flag(c, "absent", true, false); }, "config.json: absent: false is not supported");
  expect_refused([&] { require_number(c, "n", 8); }, "config.json: n: 7 is not supported for this architecture, only 8");
}

TEST(Requirements, Words) {
  const json j = {{"act", "gelu_new"}};
  require_word(HfConfig(j), "act", kGeluTanh);
  require_word(HfConfig(j), "absent", kSilu);
  expect_refused([&] { require_word(HfConfig(j), "act", kSilu); },
                 "config.json: act: \"gelu_new\" is not supported for this architecture, only silu, swish");
}

TEST(Requirements, KindsOfLayers) {
  const json good = {{"layer_types", {"sliding_attention", "full_attention", "sliding_attention"}}};
  require_full_attention_every(HfConfig(good), 2);
  require_full_attention_every(HfConfig(json::object()), 2);
  expect_refused([&] { require_full_attention_every(HfConfig(good), 3); },
                 "layer_types: want full_attention in the last of each 3 layers only, layer 1 has \"full_attention\"");
  const json pattern = {{"sliding_window_pattern", 4}};
  require_full_attention_every(HfConfig(pattern), 4);
  expect_refused([&] { require_full_attention_every(HfConfig(pattern), 6); }, "sliding_window_pattern: 4 is not supported");
}

TEST(Requirements, LayersWithoutRope) {
  const json good = {{"no_rope_layers", {1, 1, 1, 0, 1}}, {"no_rope_layer_interval", 4}};
  require_no_rope_every(HfConfig(good), 4);
  require_no_rope_every(HfConfig(json{{"no_rope_layers", json::array()}}), 4);
  const json bad = {{"no_rope_layers", {1, 0}}};
  expect_refused([&] { require_no_rope_every(HfConfig(bad), 4); },
                 "no_rope_layers: want 0 for the last of each 4 layers only, layer 1");
  expect_refused([&] { require_no_rope_every(HfConfig(good), 3); }, "no_rope_layer_interval: 4");
}

TEST(Requirements, ExpertsInAllLayers) {
  require_experts_everywhere(HfConfig(json{{"decoder_sparse_step", 1}, {"mlp_only_layers", json::array()}}));
  expect_refused([] { require_experts_everywhere(HfConfig(json{{"decoder_sparse_step", 2}})); }, "decoder_sparse_step: 2");
  expect_refused([] { require_experts_everywhere(HfConfig(json{{"mlp_only_layers", {0}}})); }, "mlp_only_layers");
}

TEST(Requirements, WholeHeadsAndCausality) {
  require_whole_rope(HfConfig(json{{"partial_rotary_factor", 1.0}}));
  require_causal(HfConfig(json{{"is_causal", true}, {"use_bidirectional_attention", nullptr}}));
  expect_refused(
      [] {
        require_whole_rope(HfConfig(json{{"rope_scaling", {{"partial_rotary_factor", 0.5}}}}));
      },
      "partial_rotary_factor: 0.5");
  expect_refused([] { require_causal(HfConfig(json{{"is_causal", false}})); }, "is_causal: false");
}

TEST(Requirements, Windows) {
  json j = {{"num_hidden_layers", 5}, {"use_sliding_window", true}};
  require_no_window(HfConfig(j));
  j.update({{"sliding_window", 64}, {"max_window_layers", 5}});
  require_no_window(HfConfig(j));
  j["max_window_layers"] = 4;
  expect_refused([&] { require_no_window(HfConfig(j)); }, "use_sliding_window: true is not supported");
  j["use_sliding_window"] = false;
  require_no_window(HfConfig(j));
}

}  // namespace
}  // namespace skald
