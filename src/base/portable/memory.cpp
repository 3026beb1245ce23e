// The size by sysconf(), which POSIX has without this name; how much of it is free, POSIX does not say.
#include "base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace skald {

int64_t system_memory() { return std::max<int64_t>(0, int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE)); }

int64_t available_memory() { return std::max<int64_t>(0, system_memory() - peak_memory()); }

int64_t peak_memory() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

int64_t anonymous_memory() { return 0; }

int64_t locked_memory() { return 0; }

}  // namespace skald
