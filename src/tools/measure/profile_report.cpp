#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tools/measure/profile.h"
#include "tools/report/table.h"

namespace skald {
namespace {

using NamedRows = std::vector<std::pair<std::string, ProfileRow>>;

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

NamedRows slowest_first(const Profile& profile) {
  NamedRows rows(profile.rows.begin(), profile.rows.end());
  std::ranges::sort(rows, std::ranges::greater{}, [](const auto& r) { return r.second.seconds; });
  return rows;
}

// Of one or more layers.
struct Spread {
  int64_t experts = 0, min = 0, max = 0;
  double mean = 0;      // tokens
  double per_step = 0;  // experts of a layer that a step reads
  std::string busiest;  // "blk.3 17"

  explicit Spread(std::span<const ExpertLoad> layers) {
    int64_t sum = 0, steps = 0, read = 0;
    for (const ExpertLoad& layer : layers) {
      const auto [least, most] = std::ranges::minmax_element(layer.tokens);
      min = experts ? std::min(min, *least) : *least;
      if (busiest.empty() || *most > max) {
        max = *most;
        busiest = fmt::format("{} {}", layer_of(layer), most - layer.tokens.begin());
      }
      experts += static_cast<int64_t>(layer.tokens.size());
      sum = std::accumulate(layer.tokens.begin(), layer.tokens.end(), sum);
      steps += layer.steps;
      read += layer.read;
    }
    mean = ratio(static_cast<double>(sum), static_cast<double>(experts));
    per_step = ratio(static_cast<double>(read), static_cast<double>(steps));
  }

  static std::string layer_of(const ExpertLoad& layer) { return layer.name.substr(0, layer.name.rfind('.')); }

  std::vector<std::string> cells(const std::string& name) const {
    return {name,
            std::to_string(experts),
            fmt::format("{:.1f}", per_step),
            std::to_string(min),
            fmt::format("{:.1f}", mean),
            std::to_string(max),
            busiest};
  }
};

nlohmann::ordered_json json_of(const Profile& profile) {
  nlohmann::ordered_json operations = nlohmann::ordered_json::array(), experts = nlohmann::ordered_json::array();
  for (const auto& [name, row] : slowest_first(profile))
    operations.push_back({{"operation", name},
                          {"calls", row.calls},
                          {"seconds", row.seconds},
                          {"waiting_share", ratio(row.waited, row.thread_seconds)},
                          {"bytes", row.bytes},
                          {"flops", row.flops}});
  for (const ExpertLoad& layer : profile.experts)
    experts.push_back({{"layer", Spread::layer_of(layer)},
                       {"steps", layer.steps},
                       {"experts_per_step", Spread({&layer, 1}).per_step},
                       {"tokens", layer.tokens}});
  return {{"operations", operations}, {"experts", experts}};
}

}  // namespace

std::string profile_markdown(const Profile& profile) {
  const ProfileRow total = profile.total();
  NamedRows rows = slowest_first(profile);
  rows.emplace_back("total", total);
  Table table{{"operation", "calls", "ms", "share", "waiting", "GB/s", "GFLOP/s"}, {}};
  for (const auto& [name, row] : rows)
    table.rows.push_back({name, std::to_string(row.calls), fmt::format("{:.3f}", row.seconds * 1e3),
                          fmt::format("{:.1f}%", 100 * ratio(row.seconds, total.seconds)),
                          fmt::format("{:.1f}%", 100 * ratio(row.waited, row.thread_seconds)),
                          fmt::format("{:.2f}", ratio(row.bytes, row.seconds) * 1e-9),
                          fmt::format("{:.2f}", ratio(row.flops, row.seconds) * 1e-9)});
  return table.markdown();
}

std::string experts_markdown(const Profile& profile) {
  if (profile.experts.empty()) return {};
  Table table{{"layer", "experts", "read per step", "least tokens", "mean", "most", "busiest"}, {}};
  for (const ExpertLoad& layer : profile.experts) table.rows.push_back(Spread({&layer, 1}).cells(Spread::layer_of(layer)));
  table.rows.push_back(Spread(profile.experts).cells("all"));
  return table.markdown();
}

std::string profile_json(const ProfileResult& result) {
  const nlohmann::ordered_json json = {{"model", result.model},
                                       {"type", result.type},
                                       {"isa", result.backend.isa},
                                       {"cpu", result.backend.device},
                                       {"threads", result.backend.threads},
                                       {"threads_batch", result.backend.threads_batch},
                                       {"prefill", json_of(result.prefill)},
                                       {"decode", json_of(result.decode)}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string profile_csv(const ProfileResult& result) {
  Table table{{"phase", "operation", "calls", "seconds", "waiting_share", "bytes", "flops"}, {}};
  for (const auto& [phase, profile] : {std::pair{"prefill", &result.prefill}, {"decode", &result.decode}})
    for (const auto& [name, row] : slowest_first(*profile))
      table.rows.push_back({phase, name, std::to_string(row.calls), fmt::format("{:.6f}", row.seconds),
                            fmt::format("{:.4f}", ratio(row.waited, row.thread_seconds)), fmt::format("{:.0f}", row.bytes),
                            fmt::format("{:.0f}", row.flops)});
  return table.csv();
}

}  // namespace skald
