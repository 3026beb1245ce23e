// Reports of an evaluation.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tools/eval/evaluate.h"
#include "tools/report/plot.h"
#include "tools/report/table.h"

namespace skald {

static Table table_of(const EvalResult& r) {
  Table table{{"suite", "length", "cache", "attention", "cases", "right, %", "+/-", "tokens/s", "KV MB/token"}, {}};
  for (const EvalRow& row : r.rows)
    table.rows.push_back({row.suite, std::to_string(row.length), row.cache, row.method, std::to_string(row.score.count()),
                          fmt::format("{:.1f}", 100 * row.score.mean()), fmt::format("{:.1f}", 100 * row.score.error()),
                          fmt::format("{:.2f}", row.tokens_per_s()), fmt::format("{:.3f}", row.bytes_per_token() * 1e-6)});
  return table;
}

std::string eval_markdown(const EvalResult& r) { return table_of(r).markdown(); }
std::string eval_csv(const EvalResult& r) { return table_of(r).csv(); }

std::string eval_json(const EvalResult& r) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const EvalRow& row : r.rows)
    rows.push_back({{"suite", row.suite},
                    {"length", row.length},
                    {"cache", row.cache},
                    {"attention", row.method},
                    {"cases", row.score.count()},
                    {"score", row.score.mean()},
                    {"score_error", row.score.error()},
                    {"tokens", row.tokens},
                    {"tokens_per_s", row.tokens_per_s()},
                    {"kv_bytes_per_token", row.bytes_per_token()}});
  return nlohmann::ordered_json{{"model", r.model}, {"type", r.type}, {"seed", r.seed}, {"rows", rows}}.dump(2) + "\n";
}

std::string eval_svg(const EvalResult& r) {
  if (r.rows.empty()) fail(Errc::kBadInput, "nothing to plot: nothing was asked");
  std::map<std::pair<std::string, double>, MeanError> means;  // by line and length
  std::vector<std::string> lines;
  for (const EvalRow& row : r.rows) {
    const std::string line = fmt::format("{}, {}", row.method, row.cache);
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    means[{line, static_cast<double>(row.length)}].add(100 * row.score.mean());
  }
  Plot plot{.title = fmt::format("{} {}: right answers against length", r.model, r.type),
            .notes = {fmt::format("the mean of the suites; seed {}", r.seed)},
            .x = {"tokens of the prompt", Scale::kLog2},
            .y = {"right, %"}};
  for (const std::string& line : lines) {
    plot.series.push_back({.name = line});
    for (const auto& [at, mean] : means)
      if (at.first == line) plot.series.back().points.push_back({at.second, mean.mean()});
  }
  return plot.svg();
}

}  // namespace skald
