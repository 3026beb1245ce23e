// The options of `skald run`.
#pragma once

#include <string>

#include "cli/flags/chat.h"
#include "cli/flags/common.h"
#include "cli/flags/grammar.h"
#include "cli/flags/prompt.h"
#include "cli/flags/sampling.h"
#include "cli/flags/sparq.h"
#include "cli/flags/static_shapes.h"
#include "cli/flags/stop.h"
#include "cli/run/beams.h"

namespace skald {

struct RunOptions {
  ModelFlags model;
  ComputeFlags compute;
  SparqFlags sparq;
  StaticFlags static_shapes;
  SamplingFlags sampling;
  PromptFlags prompt;
  StopFlags stop;
  BeamFlags beams;
  GrammarFlags grammar;
  ChatFlags chat;
  std::string prompt_ids, messages, output = "text";
  int n_predict = -1, keep = 0;
  bool ignore_eos = false, print_ids = false, kv_report = false, verbose_prompt = false;
  bool warmup = true, display_prompt = true, perf = true;
};

/// Throws UsageError for options that no engine takes.
EngineOptions engine_options(const RunOptions& o, const Flags& flags);

/// Returns the option, else the model's context or the part of it that a text can use: LongRoPE is for contexts that need
/// it.
int64_t context_for(const EngineOptions& e, int64_t n_prompt, int max_tokens, const Model& model);

}  // namespace skald
