// The instruction sets, asked for once; the affinity mask and the cgroup quota for the number of processors.
#include "base/cpu_features.h"

#include <algorithm>
#include <thread>

#include "base/cgroup_cpus.h"
#include "base/cpu_affinity.h"
#include "base/processor.h"

namespace skald {

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

}  // namespace skald
