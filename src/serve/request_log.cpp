#include "serve/request_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>

#include "base/terminal_text.h"

namespace skald::serve {
namespace {

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      break;
  }
  return "error";
}

// One write: lines of several threads do not mix.
void write_json(LogLevel level, std::string_view message, const Json& fields) {
  Json line = {{"ts", rfc3339_now()}, {"level", name_of(level)}, {"msg", message}};
  for (const auto& [key, value] : fields.items()) line[key] = value;
  const std::string text = dump(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string words(std::string_view message, const Json& fields) {
  std::string out(message);
  for (const auto& [key, value] : fields.items())
    out += fmt::format(" {}={}", key, value.is_string() ? value.get<std::string>() : dump(value));
  return out;
}

}  // namespace

std::string rfc3339_now() {
  const auto now = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms);
}

RequestLog::RequestLog(bool json) : json_(json) {
  if (json_) set_log_writer([](LogLevel level, std::string_view text) { write_json(level, text, Json::object()); });
}

RequestLog::~RequestLog() {
  if (json_) set_log_writer({});
}

void RequestLog::line(LogLevel level, std::string_view message, const Json& fields) const {
  if (json_) return write_json(level, message, fields);
  log_line(level, words(message, fields));
}

}  // namespace skald::serve
