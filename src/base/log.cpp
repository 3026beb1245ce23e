// The log over spdlog: one logger on stderr, built at the first use.
#include "base/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/terminal_text.h"

namespace skald {
namespace {

constexpr const char* kVariable = "SKALD_LOG";
constexpr LogLevel kDefault = LogLevel::kWarn;

struct Named {
  std::string_view name;
  LogLevel level;
};
constexpr std::array<Named, 4> kLevels = {
    {{"error", LogLevel::kError}, {"warn", LogLevel::kWarn}, {"info", LogLevel::kInfo}, {"debug", LogLevel::kDebug}}};

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// Everything passes the logger; `threshold` decides, so that deciding needs no spdlog.
struct Log {
  spdlog::logger logger{"skald", std::make_shared<spdlog::sinks::stderr_color_sink_mt>()};
  LogLevel threshold = kDefault;
  std::mutex mutex;
  std::function<void(LogLevel, std::string_view)> writer;

  Log() {
    logger.set_level(spdlog::level::trace);
    logger.set_pattern("[%T.%e %^%l%$] %v");
    const char* wanted = std::getenv(kVariable);  // NOLINT(concurrency-mt-unsafe): nothing here writes the environment
    if (wanted == nullptr || *wanted == '\0') return;
    if (const auto level = log_level_named(wanted))
      threshold = *level;
    else
      logger.warn("{}={} is not a log level (error, warn, info, debug): using warn", kVariable, wanted);
  }
};

Log& instance() {
  static Log the_log;
  return the_log;
}

}  // namespace

std::optional<LogLevel> log_level_named(std::string_view name) {
  for (const Named& named : kLevels)
    if (named.name == name) return named.level;
  return std::nullopt;
}

bool log_enabled(LogLevel level) { return level >= instance().threshold; }

void log_line(LogLevel level, std::string_view text) {
  const std::string line = terminal_text(text);  // names in it may come from files
  const std::lock_guard lock(instance().mutex);
  if (instance().writer) return instance().writer(level, line);
  instance().logger.log(to_spdlog(level), spdlog::string_view_t(line));
}

void set_log_writer(std::function<void(LogLevel level, std::string_view text)> write) {
  const std::lock_guard lock(instance().mutex);
  instance().writer = std::move(write);
}

}  // namespace skald
