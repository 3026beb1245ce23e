#include "base/cgroup_cpus.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

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

}  // namespace

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

}  // namespace skald
