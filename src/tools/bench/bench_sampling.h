// Benchmark of the sampler chain: the time to choose a token from a row of logits, beside one softmax over the same row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "skald/sampling_params.h"

namespace skald {

struct SamplingBenchOptions {
  /// A chain to be timed; samplers that it names and `params` switches off are switched on with usual values.
  struct Chain {
    std::string name;
    SamplingParams params;
  };
  std::vector<Chain> chains;
  int64_t n_vocab = 262144;
  float spread = 3;        // standard deviation of the logits, which are normally distributed
  int64_t history = 1000;  // tokens that the penalties and DRY know
  int repetitions = 50;
};

struct SamplingBenchRow {
  std::string name;
  double chain_us = 0, softmax_us = 0;  // of processor time; medians of the repetitions, which take turns
  int64_t left = 0;                     // tokens from which the last one was drawn
  double ratio() const { return chain_us / softmax_us; }
};

struct SamplingBenchResult {
  int64_t n_vocab = 0;
  float spread = 0;
  std::vector<SamplingBenchRow> rows;
};

/// `params` with each sampler that they name doing something.
SamplingParams switched_on(SamplingParams params);

/// On one thread. Throws kBadInput for options out of range.
SamplingBenchResult run_sampling_bench(const SamplingBenchOptions& options);

std::string sampling_bench_markdown(const SamplingBenchResult& result);
std::string sampling_bench_csv(const SamplingBenchResult& result);
std::string sampling_bench_json(const SamplingBenchResult& result);

}  // namespace skald
