// Benchmark of guesses: decoding with them and without, in turns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "skald/engine.h"

namespace skald {

struct SpecBenchOptions {
  std::vector<TokenId> text = {};    // prompts are its first tokens; empty: random ones
  std::vector<int64_t> depths = {};  // tokens of prompts, > 0; more than `text` has are all of it
  std::vector<int64_t> decode = {};  // tokens of each text
  int repetitions = 5;
  double right = -1;           // guesses are right with this probability, and cost nothing; -1: those of compute.draft
  EngineOptions compute = {};  // the cache gets the room that it needs
};

struct SpecBenchRow {
  int64_t depth = 0, n_tokens = 0;
  double plain_tokens_per_s = 0, tokens_per_s = 0;  // medians of the repetitions
  double speedup = 0;                               // the median of the turns' ratios
  double tokens_per_step = 0;
  DraftUse drafts = {};  // of all repetitions
};

struct SpecBenchResult {
  std::string model, kind;  // "ngram", "right with 0.80"
  int64_t most = 0;         // guesses of a step
  std::vector<SpecBenchRow> rows;
};

/// Greedy texts, to their last token. Throws Error (kBadInput) for a probability outside of 0 to 1.
SpecBenchResult run_spec_bench(const Model& model, const SpecBenchOptions& options,
                               const std::function<void(const std::string&)>& progress = {});

std::string spec_bench_markdown(const SpecBenchResult& result);
std::string spec_bench_csv(const SpecBenchResult& result);
std::string spec_bench_json(const SpecBenchResult& result);  // a list of rows

}  // namespace skald
