// The server's log: a line on stderr for each request and event, in words or as JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/log.h"
#include "serve/json.h"

namespace skald::serve {

class RequestLog {
 public:
  /// With `json`, lines of the library's log take the same form from now on. Without `all`, lines are written that SKALD_LOG
  /// asks for.
  explicit RequestLog(bool json, bool all = true);
  ~RequestLog();
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;

  /// `fields` is an object. Clients' texts in it are escaped.
  void line(LogLevel level, std::string_view message, const Json& fields = Json::object()) const;
  /// Writes a line only where SKALD_LOG asks for debugging.
  void detail(std::string_view message, const Json& fields) const;

 private:
  void write(LogLevel level, std::string_view message, const Json& fields) const;

  bool json_, all_;
};

}  // namespace skald::serve
