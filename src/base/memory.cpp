#include "base/memory.h"

#include <unistd.h>

#include <fstream>
#include <string>

namespace skald {

int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  int64_t kib = 0;
  for (std::string name, rest; file >> name; std::getline(file, rest))
    if (name == "MemAvailable:" && file >> kib) return kib * 1024;
  return int64_t{sysconf(_SC_AVPHYS_PAGES)} * sysconf(_SC_PAGESIZE);
}

}  // namespace skald
