#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tools/bench/bench.h"
#include "tools/bench/sparq_words.h"
#include "tools/report/plot.h"
#include "tools/report/table.h"

namespace skald {
namespace {

std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

const char* attention(const BenchRow& row) { return row.sparse ? "sparq" : "dense"; }

bool has_sparse(const BenchResult& r) { return std::ranges::any_of(r.rows, &BenchRow::sparse); }

// Columns that only runs with sparse decoding have.
std::vector<std::string> comparison(const BenchRow& row) {
  if (!row.sparse) return {"dense", "-", "-"};
  return {fmt::format("sparq {}/{}", row.k1, row.k2), fmt::format("{:.2f}", row.speedup),
          fmt::format("{:.2f}", row.transfer_speedup)};
}

std::string test_name(const BenchRow& row) { return fmt::format("{} {}", row.test, row.n_tokens); }

// Columns that only some runs need, before "tokens/s": values that differ from the usual ones.
struct Extras {
  explicit Extras(const BenchResult& r)
      : batch(std::ranges::any_of(r.rows, [](const BenchRow& row) { return row.batch != 1; })),
        ubatch(
            std::ranges::any_of(r.rows, [](const BenchRow& row) { return row.ubatch != ScheduleOptions{}.step_rows(); })) {}

  void add_names(std::vector<std::string>& header) const {
    if (batch) header.emplace_back("batch");
    if (ubatch) header.emplace_back("ubatch");
  }
  void add_values(std::vector<std::string>& cells, const BenchRow& row) const {
    if (batch) cells.push_back(std::to_string(row.batch));
    if (ubatch) cells.push_back(std::to_string(row.ubatch));
  }

  bool batch, ubatch;
};

// "K f16, V f16; SparQ k1 8, k2 128; index int8".
std::string cache(const BenchResult& r) {
  const CacheOptions& cache = r.options.compute.cache;
  std::vector<SparqParams::Choice> choices;
  for (const BenchRow& row : r.rows)
    if (row.sparse) choices.push_back({row.k1, row.k2, 0});
  const std::string types = fmt::format("K {}, V {}", cache.type_k, cache.type_v);
  return choices.empty() ? types : types + "; SparQ " + describe(cache.sparq, choices);
}

std::string machine(const BenchResult& r) {
  std::string out = fmt::format("{}, {}", r.backend.device, r.backend.isa);
  if (r.roofline.read_gb_per_s <= 0) return out;
  out += fmt::format(": reads {:.1f} GB/s; peaks: f32 {:.0f} GFLOP/s, int8 {:.0f} GOP/s", r.roofline.read_gb_per_s,
                     r.roofline.f32_gflop_per_s, r.roofline.int8_gop_per_s);
  if (r.roofline.int16_gop_per_s > 0) out += fmt::format(", int16 {:.0f} GOP/s", r.roofline.int16_gop_per_s);
  if (r.roofline.bf16_gflop_per_s > 0) out += fmt::format(", bf16 {:.0f} GFLOP/s", r.roofline.bf16_gflop_per_s);
  return out;
}

std::string peak(const BenchResult& r) {
  if (r.rows.empty()) return "";
  return fmt::format("; peak memory {:.1f} MiB", static_cast<double>(r.rows.back().peak_bytes) / (1 << 20));
}

}  // namespace

std::string bench_markdown(const BenchResult& r) {
  const Extras extras(r);
  Table table{{"model", "type", "test", "depth"}, {}};
  extras.add_names(table.header);
  table.header.insert(table.header.end(), {"threads", "tokens/s", "GB/s", "of read", "GFLOP/s", "of peak", "sampling"});
  const bool compared = has_sparse(r);
  if (compared) table.header.insert(table.header.end(), {"attention k1/k2", "speed-up", "by transfer"});
  for (const BenchRow& row : r.rows) {
    std::vector<std::string> cells = {r.model, r.type, test_name(row), std::to_string(row.depth)};
    extras.add_values(cells, row);
    cells.insert(cells.end(),
                 {std::to_string(row.threads), fmt::format("{:.2f} ± {:.2f}", row.tokens_per_s, row.stddev),
                  fmt::format("{:.1f}", row.gb_per_s), percent(row.bandwidth_share), fmt::format("{:.0f}", row.gflop_per_s),
                  percent(row.compute_share), fmt::format("{:.2f} ms", row.sampling_ms)});
    if (compared) std::ranges::move(comparison(row), std::back_inserter(cells));
    table.rows.push_back(std::move(cells));
  }
  return table.markdown() + "\n" + machine(r) + peak(r) + "\n";
}

std::string bench_csv(const BenchResult& r) {
  Table table{{"model",
               "type",
               "test",
               "n_tokens",
               "depth",
               "batch",
               "ubatch",
               "threads",
               "tokens_per_s",
               "stddev",
               "gb_per_s",
               "gflop_per_s",
               "bandwidth_share",
               "compute_share",
               "attention",
               "k1",
               "k2",
               "speedup",
               "transfer_speedup",
               "peak_bytes",
               "sampling_ms"},
              {}};
  for (const BenchRow& row : r.rows)
    table.rows.push_back({r.model,
                          r.type,
                          row.test,
                          std::to_string(row.n_tokens),
                          std::to_string(row.depth),
                          std::to_string(row.batch),
                          std::to_string(row.ubatch),
                          std::to_string(row.threads),
                          fmt::format("{:.4f}", row.tokens_per_s),
                          fmt::format("{:.4f}", row.stddev),
                          fmt::format("{:.3f}", row.gb_per_s),
                          fmt::format("{:.2f}", row.gflop_per_s),
                          fmt::format("{:.4f}", row.bandwidth_share),
                          fmt::format("{:.4f}", row.compute_share),
                          attention(row),
                          std::to_string(row.k1),
                          std::to_string(row.k2),
                          fmt::format("{:.4f}", row.speedup),
                          fmt::format("{:.4f}", row.transfer_speedup),
                          std::to_string(row.peak_bytes),
                          fmt::format("{:.4f}", row.sampling_ms)});
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
                    {"ubatch", row.ubatch},
                    {"threads", row.threads},
                    {"tokens_per_s", row.tokens_per_s},
                    {"stddev", row.stddev},
                    {"gb_per_s", row.gb_per_s},
                    {"gflop_per_s", row.gflop_per_s},
                    {"bandwidth_share", row.bandwidth_share},
                    {"compute_share", row.compute_share},
                    {"attention", attention(row)},
                    {"k1", row.k1},
                    {"k2", row.k2},
                    {"speedup", row.speedup},
                    {"transfer_speedup", row.transfer_speedup},
                    {"peak_bytes", row.peak_bytes},
                    {"sampling_ms", row.sampling_ms},
                    {"isa", r.backend.isa},
                    {"cpu", r.backend.device},
                    {"read_gb_per_s", row.roofline.read_gb_per_s},
                    {"f32_gflop_per_s", row.roofline.f32_gflop_per_s},
                    {"bf16_gflop_per_s", row.roofline.bf16_gflop_per_s},
                    {"int8_gop_per_s", row.roofline.int8_gop_per_s},
                    {"int16_gop_per_s", row.roofline.int16_gop_per_s}});
  return rows.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

namespace {

// The curve called `name`, added when it is new.
PlotSeries& curve(Plot& plot, const std::string& name, bool dashed) {
  const auto at = std::ranges::find(plot.series, name, &PlotSeries::name);
  if (at != plot.series.end()) return *at;
  return plot.series.emplace_back(PlotSeries{.name = name, .dashed = dashed});
}

// Prefill is many times faster than decoding: an even scale would flatten the latter.
Scale scale_for(const std::vector<BenchRow>& rows) {
  const auto [least, most] = std::ranges::minmax(rows, {}, &BenchRow::tokens_per_s);
  return least.tokens_per_s > 0 && most.tokens_per_s > 8 * least.tokens_per_s ? Scale::kLog10 : Scale::kLinear;
}

}  // namespace

std::string bench_svg(const BenchResult& r) {
  if (r.rows.empty()) fail(Errc::kBadInput, "nothing to plot: no test was run");
  const bool from_zero = std::ranges::any_of(r.rows, [](const BenchRow& row) { return row.depth == 0; });
  Plot plot{.title = fmt::format("{} {}: tokens per second against depth", r.model, r.type),
            .notes = {cache(r), fmt::format("{}, {} threads", machine(r), r.backend.threads)},
            .x = {"keys and values in the cache", from_zero ? Scale::kLinear : Scale::kLog2},
            .y = {"tokens/s", scale_for(r.rows)}};
  std::vector<BenchRow> rows = r.rows;
  std::ranges::stable_sort(rows, {}, &BenchRow::depth);
  for (const BenchRow& row : rows) {
    const std::string name = row.batch == 1 ? test_name(row) : fmt::format("{}, {} sequences", test_name(row), row.batch);
    const auto x = static_cast<double>(row.depth);
    curve(plot, has_sparse(r) ? name + ", " + attention(row) : name, false).points.push_back({x, row.tokens_per_s});
    if (row.sparse)
      curve(plot, name + ", sparq by bytes moved", true)
          .points.push_back({x, row.tokens_per_s / row.speedup * row.transfer_speedup});
  }
  return plot.svg();
}

}  // namespace skald
