// Benchmark of the attention operation alone: dense against sparse, decode and prefill, at several lengths.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stepping/compute.h"

namespace skald {

struct AttentionBenchOptions {
  int64_t n_heads = 32, n_kv_heads = 32, d_head = 128;
  std::vector<int64_t> lengths = {1024, 2048, 4096, 8192, 16384};  // keys; 0 is left out
  std::vector<int64_t> prefill = {};                               // prompts whose attention is timed as a whole; likewise
  bool unfused = false;                                            // prompts as separate operations too, for comparison
  std::optional<uint64_t> churn = {};  // decode in a cache that other sequences came to and went from, drawn from this seed
  int repetitions = 5;
  double roofline_seconds = 2;  // how long the machine's limits are measured around each test; 0: not, and no shares
  SparqParams sparq = {.ratio = 8, .mean = {}};  // compared with dense decoding; off(): dense only
  EngineOptions compute = {};
};

/// One length. Times are medians of one layer's call, in seconds.
struct AttentionBenchRow {
  std::string test;  // "decode" or "prefill"
  int64_t length = 0;
  int64_t k1 = 0, k2 = 0;
  double dense_seconds = 0, sparse_seconds = 0;
  double unfused_seconds = 0, fused_speedup = 0;  // prefill as separate operations, and the gain of fusing
  double dense_bytes = 0, sparse_bytes = 0;       // that must be moved, by the operation's own cost
  double dense_share = 0;                         // decode: of the read bandwidth; prefill: of the f32 peak
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
/// Returns the decode tests' speed-up over dense attention against the number of keys, as measured and by bytes moved.
/// Throws kBadInput when nothing sparse was measured.
std::string attention_bench_svg(const AttentionBenchResult& result);

}  // namespace skald
