#include "tools/report/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace skald {
namespace {

// Those for tests come last.
std::vector<const BackendDef*> in_order() {
  std::vector<const BackendDef*> all(backends().begin(), backends().end());
  std::ranges::stable_sort(all, {}, &BackendDef::for_tests);
  return all;
}

}  // namespace

std::vector<DeviceLine> device_lines() {
  std::vector<DeviceLine> out;
  for (const BackendDef* def : in_order()) {
    const size_t n = def->devices();
    for (size_t i = 0; i < n; ++i)
      out.push_back({.device = def->count ? fmt::format("{}{}", def->name, i) : std::string(def->name),
                     .summary = def->describe(i),
                     .for_tests = def->for_tests});
    if (n == 0) out.push_back({.device = std::string(def->name), .missing = def->missing(), .for_tests = def->for_tests});
  }
  return out;
}

Table devices_report() {
  Table table{.header = {"device", "name", "MiB", "free MiB"}, .rows = {}};
  for (const auto& [device, d, missing, for_tests] : device_lines()) {
    if (missing.empty())
      table.rows.push_back({device, d.name, std::to_string(d.total_bytes >> 20), std::to_string(d.free_bytes >> 20)});
    else
      table.rows.push_back({device, "none: " + missing, "", ""});
  }
  return table;
}

std::string devices_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& [device, d, missing, for_tests] : device_lines()) {
    if (missing.empty())
      all.push_back({{"device", device}, {"name", d.name}, {"bytes", d.total_bytes}, {"free_bytes", d.free_bytes}});
    else
      all.push_back({{"device", device}, {"missing", missing}});
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
