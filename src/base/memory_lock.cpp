#include "base/memory_lock.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

#include "base/log.h"
#include "base/memory.h"

namespace skald {
namespace {

std::string in_mib(int64_t bytes) { return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20)); }

std::string limit_text(rlim_t limit) { return limit == RLIM_INFINITY ? "unlimited" : in_mib(static_cast<int64_t>(limit)); }

// The system's error, and the limit that would do.
std::string refusal(int error, int64_t bytes) {
  std::string text = std::generic_category().message(error);
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const int64_t locked = locked_memory(), needed = locked + bytes;
  text += fmt::format(": RLIMIT_MEMLOCK is {}, and this takes up to {}", limit_text(limit.rlim_cur), in_mib(bytes));
  if (locked) text += fmt::format(" beside {} that are locked", in_mib(locked));
  if (limit.rlim_cur == RLIM_INFINITY || static_cast<int64_t>(limit.rlim_cur) >= needed) return text;
  return text + fmt::format("; raise it to {} KiB or more (ulimit -l, memlock in /etc/security/limits.conf)",
                            (needed + 1023) / 1024);
}

}  // namespace

bool MemoryLock::lock(std::span<const std::byte> memory) {
  if (refused_ || memory.empty()) return !refused_;
  // A process that may lock any number of bytes would otherwise take the memory of all others. Memory that it has already,
  // it need not get.
  const auto bytes = static_cast<int64_t>(memory.size());
  if (const int64_t available = available_memory() + anonymous_memory(); bytes > available) {
    log(LogLevel::kWarn, "mlock: {} stay unlocked: {} are more than the {} that are available", what_, in_mib(bytes),
        in_mib(available));
    refused_ = true;
  } else if (mlock(memory.data(), memory.size()) != 0) {
    log(LogLevel::kWarn, "mlock: cannot lock {} in memory: {}. Going on without", what_, refusal(errno, bytes_));
    refused_ = true;
  }
  return !refused_;
}

}  // namespace skald
