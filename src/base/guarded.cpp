#include "base/guarded.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <exception>

#include "base/log.h"

namespace skald {
namespace {

// One write, without memory of its own.
void tell_raw(std::string_view who, const char* why) noexcept {
  std::array<char, 512> line;
  const auto end = fmt::format_to_n(line.data(), line.size() - 1, "{}: {}", who, why).out;
  *end = '\n';
  [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, line.data(), static_cast<size_t>(end + 1 - line.data()));
}

void tell(std::string_view who, const char* why) noexcept {
  try {
    log(LogLevel::kError, "{}: {}", who, why);
  } catch (...) {
    tell_raw(who, why);
  }
}

}  // namespace

void log_failure(std::string_view who) noexcept {
  try {
    throw;
  } catch (const std::exception& e) {
    tell(who, e.what());
  } catch (...) {
    tell(who, "an unknown exception");
  }
}

}  // namespace skald
