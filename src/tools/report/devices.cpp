#include "tools/report/devices.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "backend/backend.h"

namespace skald {
namespace {

// Those for tests come last.
std::vector<const BackendDef*> in_order() {
  std::vector<const BackendDef*> all(backends().begin(), backends().end());
  std::ranges::stable_sort(all, {}, &BackendDef::for_tests);
  return all;
}

}  // namespace

Table devices_report() {
  Table table{.header = {"device", "name", "MiB", "free MiB"}, .rows = {}};
  for (const BackendDef* def : in_order())
    for (const DeviceSummary& d : def->devices())
      table.rows.push_back(
          {std::string(def->name), d.name, std::to_string(d.total_bytes >> 20), std::to_string(d.free_bytes >> 20)});
  return table;
}

std::string devices_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const BackendDef* def : in_order())
    for (const DeviceSummary& d : def->devices())
      all.push_back({{"device", def->name}, {"name", d.name}, {"bytes", d.total_bytes}, {"free_bytes", d.free_bytes}});
  return all.dump(2) + "\n";
}

std::string gpu_device() {
  const auto is_gpu = [](const BackendDef* def) { return def->name != "cpu" && !def->for_tests && !def->devices().empty(); };
  const auto at = std::ranges::find_if(backends(), is_gpu);
  return at == backends().end() ? "" : std::string((*at)->name);
}

}  // namespace skald
