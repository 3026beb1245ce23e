#include "convert/peft_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "io/printable.h"

namespace skald {
namespace {

using nlohmann::json;

constexpr size_t kShownOptions = 8;  // keys of a list
constexpr int64_t kMostRank = 65536;

struct RefusedKey {
  std::string_view key, why;
};

// Options that change a model in ways that A and B do not tell.
constexpr RefusedKey kRefused[] = {
    {"use_dora", "DoRA's magnitudes are no change of low rank"},
    {"modules_to_save",
     "whole modules that were trained too are not taken; merge the adapter into its model (merge_and_unload "
     "of peft does) and convert that"},
    {"trainable_token_indices", "rows of the embeddings that were trained too are not taken"},
    {"target_parameters", "changes of parameters that are no module's weight are not taken"},
    {"layer_replication", "a model whose layers are used several times is another model"},
    {"lora_bias", "biases beside B are not taken"},
    {"use_qalora", "QA-LoRA sums up inputs by groups"},
    {"use_bdlora", "block-diagonal matrices are not taken"},
    {"arrow_config", "Arrow chooses between adapters for each token"},
    {"ensure_weight_tying", "one change of the embeddings and the output together is not taken"},
};

// Options of training, and those that the tensors tell.
constexpr std::array<std::string_view, 26> kWithoutEffect = {
    "auto_mapping",
    "revision",
    "inference_mode",
    "task_type",
    "peft_version",
    "target_modules",
    "exclude_modules",
    "lora_dropout",
    "fan_in_fan_out",
    "layers_pattern",
    "megatron_config",
    "megatron_core",
    "loftq_config",
    "eva_config",
    "corda_config",
    "lora_ga_config",
    "runtime_config",
    "layers_to_transform",
    "qalora_group_size",
    "init_lora_weights",
    "bias",
    "peft_type",
    "r",
    "lora_alpha",
    "use_rslora",
    "_comment",
};
constexpr std::array<std::string_view, 4> kFollowed = {"rank_pattern", "alpha_pattern", "base_model_name_or_path",
                                                       "alora_invocation_tokens"};

bool says_something(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  return !value.empty();  // null is
}

bool is_known(std::string_view key) {
  return std::ranges::find(kWithoutEffect, key) != kWithoutEffect.end() ||
         std::ranges::find(kFollowed, key) != kFollowed.end();
}

void refuse_others(const JsonNode& config) {
  const std::string type = config.at("peft_type").text();
  if (type != "LORA") fail(Errc::kUnsupported, "{}: peft_type {}: only LORA is known", config.name(), skald::quoted(type));
  for (const auto& [key, why] : kRefused)
    if (const auto value = config.find(key); value && says_something(value->raw()))
      fail(Errc::kUnsupported, "{}: {}", value->name(), why);
  if (const std::string bias = config.text("bias", "none"); bias != "none")
    fail(Errc::kUnsupported, "{}: bias {}: biases that were trained too are not taken", config.name(), skald::quoted(bias));
}

// Some ways to begin take something away from the model's own weights, which a file of it still has.
void refuse_changed_base(const JsonNode& config) {
  constexpr std::array<std::string_view, 4> kHarmless = {"gaussian", "eva", "orthogonal", ""};
  const auto init = config.find("init_lora_weights");
  if (!init || !init->is_text() || std::ranges::find(kHarmless, init->text()) != kHarmless.end()) return;
  fail(Errc::kUnsupported,
       "{} {}: the adapter is for a model whose weights it changed first; save it as one for the original model "
       "(path_initial_model_for_weight_conversion of peft's save_pretrained)",
       init->name(), skald::quoted(init->text()));
}

void tell_unknown(const JsonNode& config) {
  std::vector<std::string> unknown;
  for (const auto& [key, value] : config.raw().items()) {
    const bool refused = std::ranges::find(kRefused, key, &RefusedKey::key) != std::ranges::end(kRefused);
    if (!refused && !is_known(key) && says_something(value)) unknown.push_back(key);
  }
  if (!unknown.empty())
    log(LogLevel::kWarn, "{} has {} without a meaning here: {}", config.name(), unknown.size() == 1 ? "a key" : "keys",
        some_of(unknown, kShownOptions));
}

double number_in(const JsonNode& node, double low, double high) {
  const double out = node.number();
  if (!(out >= low && out <= high)) node.want(fmt::format("a number from {} to {}", low, high));
  return out;
}

double rank_in(const JsonNode& node) {
  node.integer();
  return number_in(node, 1, kMostRank);
}
double alpha_in(const JsonNode& node) { return number_in(node, -1e6, 1e6); }

std::vector<TokenId> tokens_of(const JsonNode& config) {
  std::vector<TokenId> out;
  const auto tokens = config.find("alora_invocation_tokens");
  for (size_t i = 0; tokens && i < tokens->size(); ++i) {
    const JsonNode token = tokens->at(i);
    token.integer();
    out.push_back(static_cast<TokenId>(number_in(token, 0, INT32_MAX)));
  }
  return out;
}

// An expression of a flag would be the user's fault.
template <class F>
auto in_config(F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    fail(Errc::kBadFile, "{}: {}", PeftConfig::kFile, e.what());
  }
}

// "acme/Tiny-Llama", or the path of a folder.
std::string last_part(std::string name) {
  while (name.ends_with('/')) name.pop_back();
  return name.substr(name.rfind('/') + 1);
}

}  // namespace

PeftConfig::PeftConfig(const json& config) {
  const JsonNode node(config, std::string(kFile));
  refuse_others(node);
  refuse_changed_base(node);
  tell_unknown(node);
  rank_ = rank_in(node.at("r"));
  alpha_ = alpha_in(node.at("lora_alpha"));
  root_ = node.flag("use_rslora", false);
  ranks_ = patterns(node, "rank_pattern");
  alphas_ = patterns(node, "alpha_pattern");
  base_ = last_part(node.text("base_model_name_or_path", ""));
  invocation_ = tokens_of(node);
}

// A pattern fits a name as a whole, or all of it after a dot.
PeftConfig::Patterns PeftConfig::patterns(const JsonNode& config, std::string_view key) {
  Patterns out;
  const auto found = config.find(key);
  if (!found) return out;
  if (!found->is_object()) found->want("an object");
  for (const auto& [pattern, ignored] : found->raw().items()) {
    const JsonNode value = found->at(pattern);
    out.emplace_back(in_config([&] { return NamePattern("(?-i)^(?:.*\\.)?(?:" + pattern + ")$"); }),
                     key == "rank_pattern" ? rank_in(value) : alpha_in(value));
  }
  return out;
}

double PeftConfig::value_of(const Patterns& patterns, const std::string& module, double otherwise) {
  const auto fits = [&](const auto& p) { return in_config([&] { return p.first.found_in(module); }); };
  const auto it = std::ranges::find_if(patterns, fits);
  return it == patterns.end() ? otherwise : it->second;
}

int64_t PeftConfig::rank_of(const std::string& module) const {
  return static_cast<int64_t>(value_of(ranks_, module, rank_));
}

float PeftConfig::factor_of(const std::string& module) const {
  const auto rank = static_cast<double>(rank_of(module));
  return static_cast<float>(value_of(alphas_, module, alpha_) / (root_ ? std::sqrt(rank) : rank));
}

}  // namespace skald
