#include "base/cpu_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

#include "base/system_files.h"

namespace skald {
namespace {

// The list in a file of /sys; empty when there is none.
CpuList list_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) && !line.empty() ? parse_cpu_list(line) : CpuList{};
}

// Of a folder "node12"; -1 for others.
int node_number(const std::string& name) {
  constexpr std::string_view kPrefix = "node";
  if (!name.starts_with(kPrefix) || name.size() == kPrefix.size()) return -1;
  const std::string digits = name.substr(kPrefix.size());
  return digits.size() < 7 && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }) ? std::stoi(digits)
                                                                                                       : -1;
}

// The kernel's figures: sysconf() multiplies the caches of a whole socket, which no core can use. In order of levels; 0
// after the last one.
int64_t cache_property(int index, const char* property) {
  std::istringstream text(first_line_of(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/{}", index, property)));
  int64_t value = 0;  // of "32768K"
  return text >> value ? value : 0;
}

}  // namespace

CpuList present_cpus() { return list_in("/sys/devices/system/cpu/present"); }

std::vector<CpuList> numa_nodes(const std::string& folder) {
  std::map<int, CpuList> nodes;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (const int number = node_number(entry.path().filename()); number >= 0)
      if (CpuList cpus = list_in(entry.path() / "cpulist"); !cpus.empty()) nodes[number] = std::move(cpus);
  std::vector<CpuList> out;
  out.reserve(nodes.size());
  for (auto& [number, cpus] : nodes) out.push_back(std::move(cpus));
  return out;
}

int64_t second_level_cache_bytes() {
  for (int index = 0; cache_property(index, "size"); ++index)
    if (cache_property(index, "level") == 2) return cache_property(index, "size") * 1024;
  return 0;
}

int64_t last_level_cache_bytes() {
  int64_t last = 0;
  for (int index = 0; const int64_t kib = cache_property(index, "size"); ++index) last = kib;
  return last * 1024;
}

}  // namespace skald
