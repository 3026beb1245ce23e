#include "tools/doctor/cpu_facts.h"

#include <numeric>
#include <sstream>

#include "base/cpu_placement.h"
#include "base/cpu_topology.h"
#include "base/system_files.h"
#include "skald/version.h"

namespace skald {
namespace {

// "cpu  user nice system idle iowait irq softirq steal guest guest_nice", of which user holds the last two.
double stolen_share(const std::string& line) {
  constexpr size_t kSteal = 7, kColumns = 8;
  std::istringstream in(line);
  std::string name;
  std::vector<double> times;
  in >> name;
  for (double time = 0; times.size() < kColumns && in >> time;) times.push_back(time);
  if (name != "cpu" || times.size() < kColumns) return 0;
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  return sum > 0 ? times[kSteal] / sum : 0;
}

std::optional<double> number_of(const std::string& line) {
  std::istringstream in(line);
  double value = 0;
  return in >> value && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

void add_clock_and_load(CpuFacts& facts, const std::string& root) {
  const std::string clock = root + "/sys/devices/system/cpu/cpu0/cpufreq/";
  facts.governor = first_line_of(clock + "scaling_governor");
  facts.driver = first_line_of(clock + "scaling_driver");
  facts.load = number_of(first_line_of(root + "/proc/loadavg"));
  facts.stolen = stolen_share(first_line_of(root + "/proc/stat"));
}

CpuFacts cpu_facts(const BackendInfo& cpu) {
  const Machine machine = this_machine();
  CpuFacts out{.name = cpu.device,
               .present = machine.present,
               .usable = machine.usable,
               .quota = machine.quota,
               .nodes = static_cast<int64_t>(machine.nodes.size()),
               .second_level_bytes = second_level_cache_bytes(),
               .last_level_bytes = last_level_cache_bytes(),
               .tiers = build_info().usable_tiers,
               .tier = cpu.isa};
  add_clock_and_load(out);
  return out;
}

}  // namespace skald
