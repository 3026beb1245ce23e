// A strict first look at a request's head: limits, line ends, and the request line. Only a head that passes is parsed.
#pragma once

#include <string>
#include <string_view>

#include "serve/http.h"

namespace skald::serve {

class HeadScan {
 public:
  enum class State { kMore, kDone, kRefused };

  explicit HeadScan(const HttpOptions& options)
      : max_line_(options.max_line), max_header_(options.max_header), max_fields_(options.max_fields) {}

  /// `bytes`: all that came of the request so far; bytes that an earlier call has seen are not looked at again.
  State look(std::string_view bytes);

  size_t size() const { return at_; }  // bytes of the head, if it is done
  /// Of the request line, as soon as it is there.
  const std::string& method() const { return method_; }
  const std::string& target() const { return target_; }
  /// If it is refused.
  int status() const { return status_; }
  const std::string& message() const { return message_; }

 private:
  State refuse(int status, std::string message);
  State end_line(std::string_view line);
  State read_request_line(std::string_view line);
  State check_size();

  int64_t max_line_, max_header_, max_fields_;
  size_t at_ = 0, line_start_ = 0, fields_start_ = 0;  // fields_start_ 0: within the request line
  int64_t fields_ = 0;
  bool after_cr_ = false;
  std::string method_ = {}, target_ = {};
  int status_ = 0;
  std::string message_ = {};
};

}  // namespace skald::serve
