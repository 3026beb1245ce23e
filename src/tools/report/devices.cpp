#include "tools/report/devices.h"

#include <fmt/format.h>

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

std::string name_of(const BackendDef& def, size_t device) {
  return def.count ? fmt::format("{}{}", def.name, device) : std::string(def.name);
}

}  // namespace

Table devices_report() {
  Table table{.header = {"device", "name", "MiB", "free MiB"}, .rows = {}};
  for (const BackendDef* def : in_order()) {
    const size_t n = def->devices();
    for (size_t i = 0; i < n; ++i) {
      const DeviceSummary d = def->describe(i);
      table.rows.push_back(
          {name_of(*def, i), d.name, std::to_string(d.total_bytes >> 20), std::to_string(d.free_bytes >> 20)});
    }
    if (n == 0) table.rows.push_back({std::string(def->name), "none: " + def->missing(), "", ""});
  }
  return table;
}

std::string devices_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const BackendDef* def : in_order()) {
    const size_t n = def->devices();
    for (size_t i = 0; i < n; ++i) {
      const DeviceSummary d = def->describe(i);
      all.push_back(
          {{"device", name_of(*def, i)}, {"name", d.name}, {"bytes", d.total_bytes}, {"free_bytes", d.free_bytes}});
    }
    if (n == 0) all.push_back({{"device", def->name}, {"missing", def->missing()}});
  }
  return all.dump(2) + "\n";
}

std::string gpu_device() {
  const auto is_gpu = [](const BackendDef* def) { return def->name != "cpu" && !def->for_tests && def->devices() > 0; };
  const auto at = std::ranges::find_if(backends(), is_gpu);
  return at == backends().end() ? "" : std::string((*at)->name);
}

std::string why_no_gpu() {
  std::string out;
  for (const BackendDef* def : backends())
    if (def->devices() == 0) out += fmt::format(" ({}: {})", def->name, def->missing());
  return out;
}

}  // namespace skald
