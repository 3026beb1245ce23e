// The instruction sets, asked for once; the affinity mask and the cgroup quota for the number of processors, sysfs for the
// cache.
#include "base/cpu_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

#include "base/cpu_affinity.h"
#include "base/processor.h"
#include "base/system_files.h"

namespace skald {
namespace {

// Whole processors' worth of a quota, rounded up: half a processor still runs one thread. Infinite when there is no quota.
double quota_cpus(const std::string& quota, const std::string& period) {
  std::istringstream q(quota), p(period);
  double time = 0, per = 0;
  if (!(q >> time) || !(p >> per) || time <= 0 || per <= 0) return INFINITY;  // "max", "-1", or no such file
  return std::ceil(time / per);
}

// The tightest quota on the way from this process's control group to the root (all ancestors bind).
double cgroup_cpus() {
  double least = INFINITY;
  std::ifstream file("/proc/self/cgroup");  // lines "0::/path" (v2) or "3:cpu,cpuacct:/path" (v1)
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool v2 = controllers == ",,";
    if (!v2 && controllers.find(",cpu,") == std::string::npos) continue;
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      if (path == "/") path.clear();
      if (v2) {
        std::istringstream max(first_line_of("/sys/fs/cgroup" + path + "/cpu.max"));  // "<quota or max> <period>"
        std::string quota, period;
        max >> quota >> period;
        least = std::min(least, quota_cpus(quota, period));
      } else {
        const std::string base = "/sys/fs/cgroup/cpu" + path + "/cpu.cfs_";
        least = std::min(least, quota_cpus(first_line_of(base + "quota_us"), first_line_of(base + "period_us")));
      }
      if (path.find('/') == std::string::npos) break;
    }
  }
  return least;
}

}  // namespace

// Hypervisors trap the instruction: asking takes as long as a small step.
CpuFeatures cpu_features() {
  static const CpuFeatures features = detect_cpu_features();
  return features;
}

std::string cpu_name() {
  const std::string name = detect_cpu_name();
  const size_t first = name.find_first_not_of(' ');
  if (first == std::string::npos) return "unknown";
  return name.substr(first, name.find_last_not_of(' ') - first + 1);
}

int usable_cpus() {
  auto cpus = static_cast<int>(thread_affinity().size());
  if (cpus <= 0) cpus = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, static_cast<int>(std::min(static_cast<double>(cpus), cgroup_cpus())));
}

// The kernel's figures: sysconf() multiplies the caches of a whole socket, which no core can use. In order of levels; 0
// after the last one.
static int64_t cache_property(int index, const char* property) {
  std::istringstream text(first_line_of(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/{}", index, property)));
  int64_t value = 0;  // of "32768K"
  return text >> value ? value : 0;
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
