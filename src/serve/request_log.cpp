#include "serve/request_log.h"

#include <fmt/format.h>

#include <cstdio>

#include "serve/wall_clock.h"

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

RequestLog::RequestLog(bool json, bool all) : json_(json), all_(all) {
  if (json_) set_log_writer([](LogLevel level, std::string_view text) { write_json(level, text, Json::object()); });
}

RequestLog::~RequestLog() {
  if (json_) set_log_writer({});
}

void RequestLog::detail(std::string_view message, const Json& fields) const {
  if (log_enabled(LogLevel::kDebug)) write(LogLevel::kDebug, message, fields);
}

void RequestLog::line(LogLevel level, std::string_view message, const Json& fields) const {
  if (all_ || log_enabled(level)) write(level, message, fields);
}

void RequestLog::write(LogLevel level, std::string_view message, const Json& fields) const {
  if (json_) return write_json(level, message, fields);
  log_line(level, words(message, fields));
}

}  // namespace skald::serve
