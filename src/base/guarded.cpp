#include "base/guarded.h"

#include <unistd.h>

#include <exception>

#include "base/log.h"

namespace skald {
namespace {

void write_raw(std::string_view text) noexcept {
  [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

// Without memory of its own.
void tell_raw(std::string_view who, std::string_view why) noexcept {
  for (const std::string_view part : {who, std::string_view(": "), why, std::string_view("\n")}) write_raw(part);
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
