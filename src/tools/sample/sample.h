// Runs the sampler chain on logits: the tokens that it leaves, and draws from them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "skald/model.h"
#include "skald/sampling_params.h"
#include "tools/report/npy_reader.h"

namespace skald {

struct SampleOptions {
  SamplingParams params;
  std::vector<TokenId> history;  // of the text before
  std::vector<TokenId> force;    // one per step, which count instead of the drawn ones; may be empty
  int64_t draws = 1;             // of one step
};

struct SampleStep {
  std::vector<std::pair<TokenId, double>> candidates;  // with their probabilities, the most likely first
  std::vector<TokenId> tokens;                         // drawn ones
};

/// Of logits (n_vocab): one step, from which all draws are made independently. Of logits (n_steps, n_vocab): one draw each,
/// which the next steps know as their past. Throws kBadInput for ids outside the vocabulary, other shapes, and parameters
/// that Sampler rejects.
std::vector<SampleStep> run_sample(const NpyFloats& logits, const SampleOptions& options);

/// Breakers of a model file's vocabulary (Model::dry_breakers), without its weights.
std::vector<std::vector<TokenId>> breakers_of_file(const std::string& path, const LoadOptions& options,
                                                   std::span<const std::string> texts);

std::string sample_json(const std::vector<SampleStep>& steps);
std::string sample_markdown(const std::vector<SampleStep>& steps);

}  // namespace skald
