// Sizes by sysctlbyname(), which is documented in sysctl(3) of macOS. Memory is of one node.
#include "base/cpu_topology.h"

#include "base/darwin/sysctl.h"

namespace skald {

CpuList present_cpus() {
  CpuList out;
  for (int cpu = 0; cpu < sysctl_number("hw.ncpu"); ++cpu) out.push_back(cpu);
  return out;
}

std::vector<CpuList> numa_nodes(const std::string&) { return {}; }

// Of the fast cores, which share one; processors of one kind of cores have no perflevel0.
int64_t second_level_cache_bytes() {
  const int64_t fast = sysctl_number("hw.perflevel0.l2cachesize");
  return fast ? fast : sysctl_number("hw.l2cachesize");
}

int64_t last_level_cache_bytes() {
  const int64_t third = sysctl_number("hw.l3cachesize");
  return third ? third : second_level_cache_bytes();
}

}  // namespace skald
