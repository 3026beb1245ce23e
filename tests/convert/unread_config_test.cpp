#include "convert/unread_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "convert/hf_family.h"
#include "skald/error.h"
#include "tests/support/paths.h"

namespace skald {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// As published, or as transformers writes them for the families that it has.
std::vector<json> usual_configs() {
  std::ifstream in(test::data_dir() / "convert/usual_configs.json");
  const json file = json::parse(in);
  std::vector<json> out;
  for (const json& own : file.at("models")) {
    json config = file.at("common");
    config.update(own);
    out.push_back(config);
  }
  return out;
}

struct Described {
  Meta meta;
  std::vector<std::pair<std::string, std::vector<float>>> tensors;
  std::vector<std::string> ballast, unread;
  std::vector<float> factors;
};

// Keys that are compared with the tensors, which a description does not see.
bool is_of_tensors(std::string_view key) {
  return key.ends_with("tie_word_embeddings") || key.find("bias") != key.npos || key == "use_qk_norm" ||
         key == "qk_layernorm";
}

Described describe(const json& file) {
  const HfConfig whole(file);
  const HfFamily& family = find_hf_family(whole);
  const json text = whole.text().over(json::parse(family.defaults));
  Described out;
  Hyperparameters hyperparameters(out.meta, std::string(family.arch));
  describe(family, whole.text().saying(text), hyperparameters);
  for (const auto& [name, values] : hyperparameters.tensors()) out.tensors.emplace_back(name, values);
  out.ballast = hyperparameters.ballast();
  out.ballast.insert(out.ballast.end(), hyperparameters.of_layers_ahead().begin(), hyperparameters.of_layers_ahead().end());
  for (const auto& [name, runs] : hyperparameters.factors())
    for (const RowFactor& run : runs) out.factors.push_back(run.factor);
  out.unread = unread_config_keys(whole);
  std::erase_if(out.unread, is_of_tensors);
  return out;
}

bool same(const Described& a, const Described& b) {
  return a.meta.entries() == b.meta.entries() && a.tensors == b.tensors && a.ballast == b.ballast && a.unread == b.unread &&
         a.factors == b.factors;
}

// Keys that mean nothing beside the others here.
bool is_moot(const std::string& model, const std::string& key) {
  constexpr std::pair<const char*, const char*> kMoot[] = {
      {"DeepseekV2ForCausalLM", "n_group"},              // the method is greedy
      {"DeepseekV2ForCausalLM", "topk_group"},           // likewise
      {"DeepseekV2ForCausalLM", "head_dim"},             // heads have sizes of their own
      {"DeepseekV3ForCausalLM", "head_dim"},             // likewise
      {"FalconForCausalLM", "num_kv_heads"},             // multi_query
      {"GPTBigCodeForCausalLM", "num_key_value_heads"},  // likewise
      {"Qwen2ForCausalLM", "max_window_layers"},         // no sliding_window
      {"Qwen2ForCausalLM", "use_sliding_window"},        // likewise
      {"Qwen2MoeForCausalLM", "max_window_layers"},
      {"Qwen2MoeForCausalLM", "use_sliding_window"},
      {"Qwen3ForCausalLM", "max_window_layers"},
      {"Qwen3ForCausalLM", "use_sliding_window"},
      {"Qwen3MoeForCausalLM", "max_window_layers"},
      {"Qwen3MoeForCausalLM", "use_sliding_window"},
      {"SmolLM3ForCausalLM", "use_sliding_window"},
      {"QWenLMHeadModel", "use_dynamic_ntk"},  // beyond the trained context only
      {"QWenLMHeadModel", "use_logn_attn"},    // likewise
      {"GptOssForCausalLM", "initial_context_length"},
      {"Exaone4ForCausalLM", "sliding_window_pattern"},  // layer_types
      {"ExaoneMoeForCausalLM", "sliding_window_pattern"},
      {"AfmoeForCausalLM", "global_attn_every_n_layers"},
      {"Cohere2MoeForCausalLM", "sliding_window_pattern"},
      {"Cohere2MoeForCausalLM", "rope_theta"},            // rope_parameters
      {"ExaoneMoeForCausalLM", "first_k_dense_replace"},  // mlp_layer_types
      {"Glm4MoeLiteForCausalLM", "first_k_dense_replace"},
      {"Lfm2ForCausalLM", "block_ffn_dim_multiplier"},  // block_auto_adjust_ff_dim
      {"Lfm2ForCausalLM", "block_multiple_of"},
      {"NemotronHForCausalLM", "expand"},                           // heads have sizes of their own
      {"NemotronHForCausalLM", "hybrid_override_pattern"},          // layers_block_type
      {"NemotronHForCausalLM", "mtp_layers_block_type"},            // of layers that are left out
      {"NemotronHForCausalLM", "intermediate_size"},                // experts have sizes of their own
      {"FalconH1ForCausalLM", "mamba_expand"},                      // mamba_d_ssm
      {"LagunaForCausalLM", "num_attention_heads"},                 // num_attention_heads_per_layer
      {"Qwen2_5_VLForConditionalGeneration", "max_window_layers"},  // no sliding_window
      {"Qwen2_5_VLForConditionalGeneration", "use_sliding_window"},
      {"KimiLinearForCausalLM", "first_k_dense_replace"},   // mlp_layer_types
      {"KimiLinearForCausalLM", "linear_conv_kernel_dim"},  // linear_attn_config
      {"KimiLinearForCausalLM", "head_dim"},                // heads have sizes of their own
      {"KimiLinearForCausalLM", "linear_head_dim"},
      {"KimiLinearForCausalLM", "linear_num_heads"},
      {"DeepseekV32ForCausalLM", "first_k_dense_replace"},  // mlp_layer_types
      {"DeepseekV32ForCausalLM", "head_dim"},               // heads have sizes of their own
      {"GlmMoeDsaForCausalLM", "first_k_dense_replace"},
      {"GlmMoeDsaForCausalLM", "head_dim"},
      {"NomicBertModel", "max_position_embeddings"},  // max_trained_positions
      {"NomicBertModel", "n_positions"},
      {"NomicBertModel", "rotary_emb_base"},  // rope_parameters
      {"T5EncoderModel", "dense_act_fn"},     // feed_forward_proj
      {"T5EncoderModel", "is_gated_act"},
      {"T5EncoderModel", "num_decoder_layers"},
      {"T5EncoderModel", "scale_decoder_outputs"},
  };
  return std::ranges::any_of(kMoot, [&](const auto& moot) { return model == moot.first && key == moot.second; });
}

// Granite 4 says sizes of Mamba layers and of experts also where there are none.
bool is_moot_granite(const json& config, const std::string& key) {
  if (config.value("model_type", "") != "granitemoehybrid") return false;
  const json& kinds = config.at("layer_types");
  const bool mamba = std::ranges::find(kinds, "mamba") != kinds.end(), experts = config.at("num_local_experts") != 0;
  return (!mamba && (key.starts_with("mamba_") || key == "time_step_limit")) ||
         (!experts && (key == "intermediate_size" || key == "num_experts_per_tok"));
}

std::string name_of(const json& config) { return config.at("architectures").at(0).get<std::string>(); }

// A value of the same kind that says something else.
json other(const json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number()) return value.get<double>() * 2 + 1;
  if (value.is_string()) return value.get<std::string>() + "_other";
  if (value.is_object()) return "other";
  if (!value.is_array()) return value;
  json out = value;
  if (out.empty())
    out.push_back(1);
  else
    out.back() = other(out.back());
  return out;
}

// `key`: the one that a warning names.
std::string outcome_of_change(const Described& usual, const json& changed, const std::string& key) {
  testing::internal::CaptureStderr();
  try {
    const bool alike = same(usual, describe(changed));
    const bool told = testing::internal::GetCapturedStderr().find(key) != std::string::npos;
    return alike && !told ? "silence" : "followed or told";
  } catch (const Error& e) {
    testing::internal::GetCapturedStderr();
    return "refused";
  }
}

TEST(UnreadConfig, WhatIsWrittenEverywhereIsQuiet) {
  for (const json& config : usual_configs()) EXPECT_THAT(describe(config).unread, IsEmpty()) << name_of(config);
}

TEST(UnreadConfig, WhatNoFamilyKnowsIsTold) {
  for (json config : usual_configs()) {
    json& text = config.contains("text_config") ? config["text_config"] : config;
    text["use_new_attention"] = false;
    const std::string path = config.contains("text_config") ? "text_config.use_new_attention" : "use_new_attention";
    EXPECT_THAT(describe(config).unread, ElementsAre(path)) << name_of(config);
  }
}

TEST(UnreadConfig, AChangeIsFollowedRefusedOrTold) {
  for (const json& config : usual_configs()) {
    const Described usual = describe(config);
    const json::json_pointer text(config.contains("text_config") ? "/text_config" : "");
    for (const auto& [key, value] : config.at(text).items()) {
      if (value.is_null() || value.is_object() || is_of_tensors(key) || is_harmless_config_key(key)) continue;
      if (is_moot(name_of(config), key) || is_moot_granite(config, key)) continue;
      json changed = config;
      changed[text / key] = other(value);
      EXPECT_NE(outcome_of_change(usual, changed, key), "silence") << name_of(config) << ": " << key << " " << value.dump();
    }
  }
}

TEST(UnreadConfig, WhatDescribesPicturesIsQuietBesideTheLanguageModelAlone) {
  json plain = usual_configs().front();
  plain["image_token_index"] = 5;
  EXPECT_THAT(describe(plain).unread, ElementsAre("image_token_index"));
  const json nested = {
      {"architectures", plain["architectures"]}, {"text_config", usual_configs().front()}, {"image_token_index", 5}};
  EXPECT_THAT(describe(nested).unread, IsEmpty());
}

}  // namespace
}  // namespace skald
