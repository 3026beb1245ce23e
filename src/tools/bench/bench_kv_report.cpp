#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/bench/bench_kv.h"
#include "tools/report/table.h"

namespace skald {
namespace {

std::string rounded(double x) { return in_thousands(std::llround(x)); }

}  // namespace

std::string kv_bench_markdown(const KvBenchResult& r) {
  Table table{{"method", "memory (bytes)", "ns/token", "copied (bytes/token)", "tokens/copy"}, {}};
  for (const KvBenchRow& row : r.rows)
    table.rows.push_back({row.method, in_thousands(row.bytes), rounded(row.ns_per_token),
                          rounded(row.copied_bytes_per_token), fmt::format("{:.0f}", row.tokens_per_copy)});
  std::string out = table.markdown();
  out += fmt::format("\nlayers {}, KV heads {} of {}, context {}, {} bits: {} bytes per token, {} in the windows\n",
                     r.shape.n_layers, r.shape.n_kv_heads, r.shape.d_head, r.shape.context, r.shape.bits,
                     in_thousands(r.token_bytes), in_thousands(r.window_bytes));
  if (r.window_bytes < r.cache_bytes)
    out +=
        fmt::format("The windows fit into the last-level cache ({} bytes): copies are cheaper here than beside a model.\n",
                    in_thousands(r.cache_bytes));
  return out;
}

std::string kv_bench_csv(const KvBenchResult& r) {
  Table table{{"method", "n_layers", "n_kv_heads", "d_head", "context", "bits", "bytes", "ns_per_token",
               "copied_bytes_per_token", "tokens_per_copy"},
              {}};
  for (const KvBenchRow& row : r.rows)
    table.rows.push_back({row.method, std::to_string(r.shape.n_layers), std::to_string(r.shape.n_kv_heads),
                          std::to_string(r.shape.d_head), std::to_string(r.shape.context), std::to_string(r.shape.bits),
                          std::to_string(row.bytes), fmt::format("{:.1f}", row.ns_per_token),
                          fmt::format("{:.1f}", row.copied_bytes_per_token), fmt::format("{:.1f}", row.tokens_per_copy)});
  return table.csv();
}

std::string kv_bench_json(const KvBenchResult& r) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const KvBenchRow& row : r.rows)
    rows.push_back({{"method", row.method},
                    {"n_layers", r.shape.n_layers},
                    {"n_kv_heads", r.shape.n_kv_heads},
                    {"d_head", r.shape.d_head},
                    {"context", r.shape.context},
                    {"bits", r.shape.bits},
                    {"bytes", row.bytes},
                    {"ns_per_token", row.ns_per_token},
                    {"copied_bytes_per_token", row.copied_bytes_per_token},
                    {"tokens_per_copy", row.tokens_per_copy},
                    {"token_bytes", r.token_bytes},
                    {"window_bytes", r.window_bytes},
                    {"last_level_cache_bytes", r.cache_bytes}});
  return rows.dump(2) + "\n";
}

}  // namespace skald
