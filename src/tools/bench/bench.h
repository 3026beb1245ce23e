// Benchmark of whole models: prefill and decode rates at several depths, beside the machine's peaks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stepping/compute.h"

namespace skald {

struct BenchOptions {
  std::vector<int64_t> prefill = {512};  // tokens of each prefill test; 0 is left out
  std::vector<int64_t> decode = {128};   // tokens of each decode test; 0 is left out
  std::vector<int64_t> depths = {0};     // tokens already in the cache, filled with random keys and values
  std::vector<int64_t> batches = {1};    // of each decode test: sequences that decode together, each with its own cache
  int repetitions = 5;
  bool warmup = true;
  bool adapter_each = false;    // each sequence has one of the adapters, in turn, instead of all
  double roofline_seconds = 2;  // how long the machine's limits are measured around each test; 0: not, and no shares
  // Room in the cache is made as needed. Where cache.sparq is on, decoding is timed both dense and sparse, in turns.
  EngineOptions compute = {};
};

struct BenchRow {
  std::string test = {};                       // "pp" (prefill) or "tg" (decode)
  int64_t n_tokens = 0, depth = 0, batch = 1;  // of each sequence; the number of sequences
  int64_t ubatch = 512;                        // most tokens of a step
  int threads = 1;
  double tokens_per_s = 0, stddev = 0;            // of all sequences together, without sampling; over the repetitions
  double sampling_ms = 0;                         // that default samplers take per step, beside the step itself
  double gb_per_s = 0, gflop_per_s = 0;           // by the operations' own costs
  Roofline roofline = {};                         // mean of right before and right after
  double bandwidth_share = 0, compute_share = 0;  // of the measured read bandwidth; of the peaks of the arithmetic used
  int64_t peak_bytes = 0;                         // resident memory of the process, at most up to here
  // Sparse decoding, compared with the dense row before it.
  bool sparse = false;
  int64_t k1 = 0, k2 = 0;                    // at the test's end
  double speedup = 0, transfer_speedup = 0;  // as measured, and as the bytes moved predict
};

struct BenchResult {
  std::string model, type;
  BenchOptions options = {};
  BackendInfo backend;
  Roofline roofline;  // the last one measured
  std::vector<BenchRow> rows;
};

BenchResult run_bench(const LoadedModel& model, const BenchOptions& options,
                      const std::function<void(const std::string&)>& progress = {});

std::string bench_markdown(const BenchResult& result);
std::string bench_csv(const BenchResult& result);
std::string bench_json(const BenchResult& result);  // a list of rows
/// Returns the tokens per second against depth, a curve for each test. Throws kBadInput without any.
std::string bench_svg(const BenchResult& result);

}  // namespace skald
