#include "cli/flags/threads.h"

#include <fmt/format.h>

#include "base/cpu_features.h"
#include "base/log.h"
#include "cli/flags/flags.h"

namespace skald {

int allowed_threads(const char* flag, int n) {
  constexpr int kMost = 4096;  // of DeviceOptions
  if (n < 0 || n > kMost) throw UsageError(fmt::format("{}: want 0 (one thread per usable CPU) to {} threads", flag, kMost));
  const int cpus = usable_cpus();
  if (n <= cpus) return n;
  log(LogLevel::kWarn, "{} {}: more threads than the {} CPUs that this process may use: taking {}", flag, n, cpus, cpus);
  return cpus;
}

}  // namespace skald
