// Benchmark of the attention operation alone: dense against sparse, decode and prefill, at several lengths.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/compute.h"

namespace skald {

struct AttentionBenchOptions {
  int64_t n_heads = 32, n_kv_heads = 32, d_head = 128;
  std::vector<int64_t> lengths = {1024, 2048, 4096, 8192, 16384};  // keys
  std::vector<int64_t> prefill = {};                               // prompts whose attention is timed as a whole
  int repetitions = 5;
  SparqParams sparq = {.ratio = 8, .mean = {}};  // compared with dense decoding; off(): dense only
  ComputeOptions compute = {};
};

/// One length. Times are medians of one layer's call, in seconds.
struct AttentionBenchRow {
  std::string test;  // "decode" or "prefill"
  int64_t length = 0;
  int64_t k1 = 0, k2 = 0;
  double dense_seconds = 0, sparse_seconds = 0;
  double dense_bytes = 0, sparse_bytes = 0;  // keys and values that must be read
  double dense_share = 0;                    // decode: of the read bandwidth; prefill: of the f32 peak
  double speedup = 0, theoretical_speedup = 0;
  double score_share = 0, select_share = 0, attend_share = 0;  // step one, choice of keys, step two: of their sum
  Roofline roofline = {};                                      // mean of right before and right after
};

struct AttentionBenchResult {
  AttentionBenchOptions options;
  BackendInfo backend;
  std::vector<AttentionBenchRow> rows;
};

/// Throws kBadInput for shapes that attention cannot have, kNoMemory when the caches do not fit.
AttentionBenchResult run_attention_bench(const AttentionBenchOptions& options,
                                         const std::function<void(const std::string&)>& progress = {});

std::string attention_bench_markdown(const AttentionBenchResult& result);
std::string attention_bench_csv(const AttentionBenchResult& result);
std::string attention_bench_json(const AttentionBenchResult& result);

}  // namespace skald
