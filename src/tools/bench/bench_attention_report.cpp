#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tools/bench/bench_attention.h"
#include "tools/bench/sparq_words.h"
#include "tools/report/plot.h"
#include "tools/report/table.h"

namespace skald {
namespace {

Table table_of(const AttentionBenchResult& result) {
  Table table{{"test", "keys", "dense us", "of peak", "k1", "k2", "sparse us", "speed-up", "in theory", "step one",
               "selection", "step two"},
              {}};
  if (result.options.unfused) table.header.insert(table.header.begin() + 4, {"unfused us", "fused gains"});
  const auto us = [](double s) { return s > 0 ? fmt::format("{:.1f}", s * 1e6) : "-"; };
  const auto times = [](double x) { return x > 0 ? fmt::format("{:.2f}", x) : "-"; };
  const auto share = [](double x) { return x > 0 ? fmt::format("{:.0f}%", 100 * x) : "-"; };
  for (const AttentionBenchRow& r : result.rows) {
    std::vector<std::string> row = {r.test, std::to_string(r.length), us(r.dense_seconds),
                                    fmt::format("{:.1f}%", 100 * r.dense_share)};
    if (result.options.unfused) row.insert(row.end(), {us(r.unfused_seconds), times(r.fused_speedup)});
    row.insert(row.end(),
               {std::to_string(r.k1), std::to_string(r.k2), us(r.sparse_seconds), times(r.speedup),
                times(r.theoretical_speedup), share(r.score_share), share(r.select_share), share(r.attend_share)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string machine(const BackendInfo& info) {
  return fmt::format("{}, {}, {} threads", info.device, info.isa, info.threads);
}

std::string shape(const AttentionBenchOptions& o) {
  return fmt::format("{} query heads on {} KV heads of {}; K {}, V {}", o.n_heads, o.n_kv_heads, o.d_head,
                     o.compute.cache.type_k, o.compute.cache.type_v);
}

}  // namespace

std::string attention_bench_markdown(const AttentionBenchResult& result) {
  const AttentionBenchOptions& o = result.options;
  std::string out = table_of(result).markdown();
  out += fmt::format("\n{}; {}, index {}\n", machine(result.backend), shape(o), o.sparq.index_type());
  if (!result.rows.empty())
    out += fmt::format("reads {:.1f} GB/s; f32 peak {:.0f} GFLOP/s\n", result.rows.back().roofline.read_gb_per_s,
                       result.rows.back().roofline.f32_gflop_per_s);
  return out;
}

std::string attention_bench_csv(const AttentionBenchResult& result) { return table_of(result).csv(); }

std::string attention_bench_json(const AttentionBenchResult& result) {
  nlohmann::json rows = nlohmann::json::array();
  for (const AttentionBenchRow& r : result.rows)
    rows.push_back({{"test", r.test},
                    {"length", r.length},
                    {"k1", r.k1},
                    {"k2", r.k2},
                    {"dense_seconds", r.dense_seconds},
                    {"sparse_seconds", r.sparse_seconds},
                    {"unfused_seconds", r.unfused_seconds},
                    {"fused_speedup", r.fused_speedup},
                    {"dense_bytes", r.dense_bytes},
                    {"sparse_bytes", r.sparse_bytes},
                    {"dense_share", r.dense_share},
                    {"speedup", r.speedup},
                    {"theoretical_speedup", r.theoretical_speedup},
                    {"score_share", r.score_share},
                    {"select_share", r.select_share},
                    {"attend_share", r.attend_share},
                    {"read_gb_per_s", r.roofline.read_gb_per_s},
                    {"f32_gflop_per_s", r.roofline.f32_gflop_per_s}});
  return rows.dump(2) + "\n";
}

std::string attention_bench_svg(const AttentionBenchResult& result) {
  std::vector<AttentionBenchRow> rows;
  std::ranges::copy_if(result.rows, std::back_inserter(rows), [](const AttentionBenchRow& r) { return r.speedup > 0; });
  if (rows.empty()) fail(Errc::kBadInput, "nothing to plot: no sparse decoding was measured");
  std::ranges::sort(rows, {}, &AttentionBenchRow::length);
  PlotSeries measured{.name = "measured"}, theory{.name = "by bytes moved", .dashed = true};
  std::vector<SparqParams::Choice> choices;
  for (const AttentionBenchRow& r : rows) {
    choices.push_back({r.k1, r.k2, 0});
    measured.points.push_back({static_cast<double>(r.length), r.speedup});
    theory.points.push_back({static_cast<double>(r.length), r.theoretical_speedup});
  }
  return Plot{.title = "SparQ: how many times faster than dense attention",
              .notes = {fmt::format("decode step; {}; {}", shape(result.options), describe(result.options.sparq, choices)),
                        machine(result.backend)},
              .x = {"keys in the cache", Scale::kLog2},
              .y = {"speed-up over dense attention"},
              .series = {std::move(measured), std::move(theory)}}
      .svg();
}

}  // namespace skald
