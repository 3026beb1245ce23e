// Flags of how tokens are chosen, with llama.cpp's names.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/flags/flags.h"
#include "skald/model.h"
#include "skald/sampling_params.h"

namespace skald {

class SamplingFlags {
 public:
  SamplingFlags();
  void declare(Flags& flags);

  /// What the flags say, where they say nothing SamplingParams' defaults: to refuse what is wrong before a model is loaded.
  /// Breakers that are given as texts are not among it. Throws UsageError.
  SamplingParams checked() const { return over({}); }
  /// What the flags say, then what the model's file says, with DRY's breakers; a line in the log says what the file gave.
  SamplingParams with(const Model& model) const;
  /// What the flags say over other defaults, with DRY's breakers made by `breakers`, which is asked for them once, if any
  /// texts are given.
  using Breakers = std::function<std::vector<std::vector<TokenId>>(std::span<const std::string>)>;
  SamplingParams with(const SamplingParams& defaults, const Breakers& breakers) const;
  /// Whether the flag was given, by one of its long names; that of --samplers by letters too.
  bool given(const std::string& flag) const;
  /// Those that were given, by their long names.
  std::vector<std::string> given() const;
  /// The texts of --dry-sequence-breaker; "none" is none.
  std::vector<std::string> breaker_texts() const;

 private:
  SamplingParams over(const SamplingParams& defaults) const;

  SamplingParams params_;  // what flags are bound to
  int64_t seed_ = -1;
  std::string samplers_, letters_;
  std::vector<std::string> logit_bias_, breakers_, breaker_ids_;
  std::optional<Flags> declared_ = {};  // says which were given
};

}  // namespace skald
