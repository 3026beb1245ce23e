#include "base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "base/cgroup_memory.h"
#include "base/system_files.h"

namespace skald {

int64_t system_memory() { return int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE); }

int64_t available_memory() {
  const int64_t free = int64_t{sysconf(_SC_AVPHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const int64_t system = kib_line_of("/proc/meminfo", "MemAvailable:").value_or(free);
  return std::min(system, cgroup_room().value_or(system));
}

int64_t peak_memory() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

int64_t anonymous_memory() { return kib_line_of("/proc/self/status", "RssAnon:").value_or(0); }

int64_t locked_memory() { return kib_line_of("/proc/self/status", "VmLck:").value_or(0); }

}  // namespace skald
