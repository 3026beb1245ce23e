#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "serve/json.h"
#include "serve/load/load.h"
#include "tools/report/plot.h"
#include "tools/report/table.h"

namespace skald::serve {
namespace {

LoadSummary summary(const LoadResult& r, const LoadRow& row) { return summary_of(row, r.percentiles, r.goals); }

std::string number(double x) {
  if (std::isnan(x)) return "-";
  return fmt::format("{:.{}f}", x, x >= 100 ? 0 : x >= 10 ? 1 : 2);
}

std::string percent(double share) { return share < 0 ? "-" : fmt::format("{:.1f}%", 100 * share); }

// "p50/p90/p99"
std::string percentile_names(const std::vector<float>& percentiles) {
  std::string out;
  for (const float p : percentiles) out += (out.empty() ? "p" : "/p") + fmt::to_string(p);
  return out;
}

std::string cells(const Spread& spread) {
  std::string out;
  for (const double x : spread.percentiles) out += (out.empty() ? "" : " / ") + number(x);
  return out;
}

constexpr const char* kTimes[] = {"ttft", "itl", "tpot", "e2e"};

const Spread& spread_of(const LoadSummary& s, size_t which) {
  const Spread* const all[] = {&s.ttft, &s.itl, &s.tpot, &s.e2e};
  return *all[which];
}

// Numbers for programs; those that are not finite are null.
Json json_number(double x) { return std::isfinite(x) ? Json(x) : Json(); }

Json row_json(const LoadResult& r, const LoadRow& row) {
  const LoadSummary s = summary(r, row);
  Json out = {{"url", r.url},
              {"model", r.model},
              {"clients", row.open ? Json() : Json(static_cast<int64_t>(row.load))},
              {"rate", !row.open              ? Json()
                       : std::isinf(row.load) ? Json("inf")
                                              : Json(row.load)},
              {"requests", s.requests},
              {"failed", s.failed},
              {"seconds", row.seconds},
              {"requests_per_s", s.requests_per_s},
              {"output_tokens_per_s", s.output_per_s},
              {"total_tokens_per_s", s.tokens_per_s},
              {"prompt_tokens", s.prompt_tokens < 0 ? Json() : Json(s.prompt_tokens)},
              {"output_tokens", s.output_tokens},
              {"cached_share", s.cached_share < 0 ? Json() : Json(s.cached_share)},
              {"goodput", r.goals.given() ? Json(s.goodput) : Json()}};
  for (size_t i = 0; i < std::size(kTimes); ++i) {
    const Spread& spread = spread_of(s, i);
    out[fmt::format("{}_mean_ms", kTimes[i])] = json_number(spread.mean);
    for (size_t k = 0; k < r.percentiles.size(); ++k)
      out[fmt::format("{}_p{}_ms", kTimes[i], r.percentiles[k])] = json_number(spread.percentiles[k]);
  }
  out["errors"] = s.errors;
  return out;
}

std::string errors_text(const LoadResult& r) {
  std::string out;
  for (const LoadRow& row : r.rows)
    for (const auto& [error, count] : summary(r, row).errors)
      out += fmt::format("- {}: {} failed: {}\n", row.name(), count, error);
  return out.empty() ? out : "\n" + out;
}

PlotSeries::Point point(const LoadRow& row, const LoadSummary& s, double y) {
  return {row.open && std::isinf(row.load) ? s.requests_per_s : row.load, y};
}

}  // namespace

std::string load_markdown(const LoadResult& r) {
  const std::string p = percentile_names(r.percentiles);
  Table table{{"load", "requests", "failed", "requests/s", "output tokens/s", "tokens/s", "prompt", "output", "cached"}, {}};
  if (r.goals.given()) table.header.emplace_back("goodput");
  for (const char* name : {"TTFT", "ITL", "TPOT", "E2E"}) table.header.push_back(fmt::format("{} {} (ms)", name, p));
  for (const LoadRow& row : r.rows) {
    const LoadSummary s = summary(r, row);
    std::vector<std::string> line = {row.name(),
                                     std::to_string(s.requests),
                                     std::to_string(s.failed),
                                     number(s.requests_per_s),
                                     number(s.output_per_s),
                                     number(s.tokens_per_s),
                                     s.prompt_tokens < 0 ? "-" : number(s.prompt_tokens),
                                     number(s.output_tokens),
                                     percent(s.cached_share)};
    if (r.goals.given()) line.push_back(percent(s.goodput));
    for (size_t i = 0; i < std::size(kTimes); ++i) line.push_back(cells(spread_of(s, i)));
    table.rows.push_back(std::move(line));
  }
  std::string out = table.markdown() + fmt::format("\n{}, {}\n", r.url, r.model);
  for (const std::string& note : r.notes) out += note + "\n";
  return out + errors_text(r);
}

std::string load_json(const LoadResult& r) {
  Json rows = Json::array();
  for (const LoadRow& row : r.rows) rows.push_back(row_json(r, row));
  return rows.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string load_csv(const LoadResult& r) {
  Table table;
  for (const LoadRow& row : r.rows) {
    Json json = row_json(r, row);
    json.erase("errors");
    table.header.clear();
    std::vector<std::string> line;
    for (const auto& [key, value] : json.items()) {
      table.header.push_back(key);
      line.push_back(value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump());
    }
    table.rows.push_back(std::move(line));
  }
  return table.csv();
}

// Tokens a second and milliseconds share an axis, which is logarithmic.
std::string load_svg(const LoadResult& r) {
  PlotSeries speed{.name = "output tokens/s"};
  std::vector<PlotSeries> times;
  for (size_t i = 0; i < 2; ++i)
    for (const float p : r.percentiles)
      times.push_back({.name = fmt::format("{} p{} (ms)", i ? "ITL" : "TTFT", p), .dashed = i > 0});
  bool open = false;
  for (const LoadRow& row : r.rows) {
    const LoadSummary s = summary(r, row);
    open |= row.open;
    if (s.output_per_s > 0) speed.points.push_back(point(row, s, s.output_per_s));
    for (size_t i = 0; i < times.size(); ++i) {
      const double y = spread_of(s, i / r.percentiles.size()).percentiles[i % r.percentiles.size()];
      if (y > 0) times[i].points.push_back(point(row, s, y));
    }
  }
  if (speed.points.empty()) fail(Errc::kBadInput, "nothing to plot: no request went well");
  std::erase_if(times, [](const PlotSeries& s) { return s.points.empty(); });
  Plot plot{.title = "Throughput and latency against load",
            .notes = {fmt::format("{}, {}", r.url, r.model)},
            .x = open ? PlotAxis{"requests/s", Scale::kLinear} : PlotAxis{"clients", Scale::kLog2},
            .y = {"tokens/s, milliseconds", Scale::kLog10},
            .series = {speed}};
  plot.series.insert(plot.series.end(), times.begin(), times.end());
  return plot.svg();
}

}  // namespace skald::serve
