// PeftConfig: adapter_config.json of PEFT, as far as it decides an adapter's numbers.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "convert/json_node.h"
#include "skald/types.h"
#include "text/name_pattern.h"

namespace skald {

class PeftConfig {
 public:
  static constexpr std::string_view kFile = "adapter_config.json";

  /// Throws kBadFile naming the key for a value of another kind, kUnsupported for another method than LoRA, and for an
  /// option that changes a model in other ways. An unknown key that says something is told in a warning.
  explicit PeftConfig(const nlohmann::json& config);

  /// Returns the model's name without its owner; empty where the file does not say.
  const std::string& base() const { return base_; }
  /// Tokens from which on the adapter acts; empty: everywhere.
  const std::vector<TokenId>& invocation() const { return invocation_; }

  /// Of a module by its whole name: "model.layers.0.self_attn.q_proj".
  int64_t rank_of(const std::string& module) const;
  float factor_of(const std::string& module) const;

 private:
  /// Values for modules by patterns, of which the first that fits counts.
  using Patterns = std::vector<std::pair<NamePattern, double>>;

  static Patterns patterns(const JsonNode& config, std::string_view key);
  static double value_of(const Patterns& patterns, const std::string& module, double otherwise);

  double rank_ = 0, alpha_ = 0;
  Patterns ranks_, alphas_;
  bool root_ = false;  // alpha is divided by the rank's square root (rank-stabilised LoRA)
  std::string base_;
  std::vector<TokenId> invocation_;
};

}  // namespace skald
