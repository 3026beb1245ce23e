// usage: skald_gpu_trials has-card | words | cuts [FILE for JSON]
#include <fmt/format.h>

#include <string_view>

#include "backend/cuda/cuda_device.h"
#include "base/error.h"
#include "bench/gpu/commands.h"

namespace {

int run(std::string_view command, const char* file) {
  if (command == "has-card") return 0;
  if (command == "words") return skald::gpu::try_words() ? 1 : 0;
  if (command != "cuts") {
    fmt::print(stderr, "usage: skald_gpu_trials has-card | words | cuts [FILE for JSON]\n");
    return 2;
  }
  skald::gpu::measure_cuts(file);
  return 0;
}

}  // namespace

// Without a card it says why, and fails if asked for one.
int main(int n, char** arguments) {
  const std::string_view command = n > 1 ? arguments[1] : "";
  if (const std::string& missing = skald::gpu::cards().missing; skald::gpu::cards().numbers.empty()) {
    fmt::print("skipped: no card: {}\n", missing);
    return command == "has-card" ? 1 : 0;
  }
  try {
    return run(command, n > 2 ? arguments[2] : nullptr);
  } catch (const skald::Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
}
