#include "tools/doctor/memory_facts.h"

#include <sys/resource.h>

#include <algorithm>

#include "base/cgroup_memory.h"
#include "base/system_files.h"

namespace skald {
namespace {

std::optional<int64_t> lock_limit() {
  struct rlimit limit = {};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur >= RLIM_INFINITY >> 1) return std::nullopt;
  return static_cast<int64_t>(limit.rlim_cur);
}

}  // namespace

MemoryFacts memory_facts(const std::string& root) {
  const auto bytes = [&](const char* name) { return kib_line_of(root + "/proc/meminfo", name); };
  const std::optional<int64_t> swap = bytes("SwapTotal:");
  return {.total = bytes("MemTotal:").value_or(0),
          .available = bytes("MemAvailable:").value_or(0),
          .group_room = cgroup_room(root),
          .swap_total = swap,
          .swap_used = std::max<int64_t>(0, swap.value_or(0) - bytes("SwapFree:").value_or(0)),
          .huge_pages = chosen_word(first_line_of(root + "/sys/kernel/mm/transparent_hugepage/enabled")),
          .lockable = lock_limit()};
}

}  // namespace skald
