#include "serve/wall_clock.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>

namespace skald::serve {
namespace {

using Clock = std::chrono::system_clock;

int64_t now_in_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
}

std::string to_seconds(int64_t unix_time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(static_cast<std::time_t>(unix_time)));
}

}  // namespace

int64_t unix_now() { return now_in_ms() / 1000; }

std::string rfc3339(int64_t unix_time) { return to_seconds(unix_time) + "Z"; }

std::string rfc3339_now() {
  const int64_t ms = now_in_ms();
  return fmt::format("{}.{:03}Z", to_seconds(ms / 1000), ms % 1000);
}

}  // namespace skald::serve
