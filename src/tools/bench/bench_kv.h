// Benchmark of the KV cache of a static graph: the cost of appending a token and of shifting the window, by method.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/report/kv_size.h"

namespace skald {

struct KvBenchOptions {
  KvShape shape = {.n_layers = 32, .n_kv_heads = 8, .d_head = 128, .context = 2048, .bits = 16};
  int repetitions = 12;
};

struct KvBenchRow {
  std::string method;       // "memmove": the whole window moves at each token; "reserve 2.0"; "reserve 1.5"
  int64_t bytes = 0;        // of memory
  double ns_per_token = 0;  // median of the repetitions; storing the token's row in every window is part of it
  double copied_bytes_per_token = 0;
  double tokens_per_copy = 0;  // after how many tokens rows are copied
};

struct KvBenchResult {
  KvShape shape;
  int64_t token_bytes = 0, window_bytes = 0;
  int64_t cache_bytes = 0;  // the last level's; 0: unknown
  std::vector<KvBenchRow> rows;
};

/// With full windows, on one thread. Throws kBadInput for shapes or repetitions that cannot be, kNoMemory.
KvBenchResult run_kv_bench(const KvBenchOptions& options);

std::string kv_bench_markdown(const KvBenchResult& result);
std::string kv_bench_csv(const KvBenchResult& result);
std::string kv_bench_json(const KvBenchResult& result);  // a list of rows

}  // namespace skald
