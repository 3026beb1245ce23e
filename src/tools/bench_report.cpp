#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tools/bench.h"
#include "tools/table.h"

namespace skald {
namespace {

std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

}  // namespace

std::string bench_markdown(const BenchResult& r) {
  Table table{{"model", "type", "test", "depth", "threads", "tokens/s", "GB/s", "of read", "GFLOP/s", "of peak"}, {}};
  for (const BenchRow& row : r.rows)
    table.rows.push_back({r.model, r.type, fmt::format("{} {}", row.test, row.n_tokens), std::to_string(row.depth),
                          std::to_string(row.threads), fmt::format("{:.2f} ± {:.2f}", row.tokens_per_s, row.stddev),
                          fmt::format("{:.1f}", row.gb_per_s), percent(row.bandwidth_share),
                          fmt::format("{:.0f}", row.gflop_per_s), percent(row.compute_share)});
  std::string out = table.markdown();
  out += fmt::format("\n{}, {}: reads {:.1f} GB/s; peaks: f32 {:.0f} GFLOP/s, int8 {:.0f} GOP/s", r.backend.device,
                     r.backend.isa, r.roofline.read_gb_per_s, r.roofline.f32_gflop_per_s, r.roofline.int8_gop_per_s);
  if (r.roofline.bf16_gflop_per_s > 0) out += fmt::format(", bf16 {:.0f} GFLOP/s", r.roofline.bf16_gflop_per_s);
  return out + "\n";
}

std::string bench_csv(const BenchResult& r) {
  Table table{{"model", "type", "test", "n_tokens", "depth", "batch", "threads", "tokens_per_s", "stddev", "gb_per_s",
               "gflop_per_s", "bandwidth_share", "compute_share"},
              {}};
  for (const BenchRow& row : r.rows)
    table.rows.push_back({r.model, r.type, row.test, std::to_string(row.n_tokens), std::to_string(row.depth),
                          std::to_string(row.batch), std::to_string(row.threads), fmt::format("{:.4f}", row.tokens_per_s),
                          fmt::format("{:.4f}", row.stddev), fmt::format("{:.3f}", row.gb_per_s),
                          fmt::format("{:.2f}", row.gflop_per_s), fmt::format("{:.4f}", row.bandwidth_share),
                          fmt::format("{:.4f}", row.compute_share)});
  return table.csv();
}

std::string bench_json(const BenchResult& r) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const BenchRow& row : r.rows)
    rows.push_back({{"model", r.model},
                    {"type", r.type},
                    {"test", row.test},
                    {"n_tokens", row.n_tokens},
                    {"depth", row.depth},
                    {"batch", row.batch},
                    {"threads", row.threads},
                    {"tokens_per_s", row.tokens_per_s},
                    {"stddev", row.stddev},
                    {"gb_per_s", row.gb_per_s},
                    {"gflop_per_s", row.gflop_per_s},
                    {"bandwidth_share", row.bandwidth_share},
                    {"compute_share", row.compute_share},
                    {"isa", r.backend.isa},
                    {"cpu", r.backend.device},
                    {"read_gb_per_s", row.roofline.read_gb_per_s},
                    {"f32_gflop_per_s", row.roofline.f32_gflop_per_s},
                    {"bf16_gflop_per_s", row.roofline.bf16_gflop_per_s},
                    {"int8_gop_per_s", row.roofline.int8_gop_per_s}});
  return rows.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace skald
