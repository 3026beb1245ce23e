#include "base/memory.h"

#include <sys/mman.h>
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

void give_back(std::span<const std::byte> bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)), begin = reinterpret_cast<uintptr_t>(bytes.data()),
             first = (begin + page - 1) / page * page, last = (begin + bytes.size()) / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace skald
