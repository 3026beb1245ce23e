// Log lines on stderr; the level comes from SKALD_LOG (error, warn, info, debug; default warn).
#pragma once

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace skald {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

/// Returns the level that a value of SKALD_LOG names; nullopt when it names none.
std::optional<LogLevel> log_level_named(std::string_view name);

/// Returns whether lines of this level are written. SKALD_LOG is read once, at the first use.
bool log_enabled(LogLevel level);

/// Writes one line of any level: "[12:00:00.000 warning] text". Safe from any thread.
void log_line(LogLevel level, std::string_view text);

/// From now on, lines go to `write` instead, one at a time; empty: to stderr again.
void set_log_writer(std::function<void(LogLevel level, std::string_view text)> write);

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(level)) log_line(level, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace skald
