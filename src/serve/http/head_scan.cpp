#include "serve/http/head_scan.h"

#include <fmt/format.h>

namespace skald::serve {
namespace {

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "HTTP/1.1"
bool is_version(std::string_view text) {
  return text.size() == 8 && text.starts_with("HTTP/") && is_digit(text[5]) && text[6] == '.' && is_digit(text[7]);
}

}  // namespace

HeadScan::State HeadScan::refuse(int status, std::string message) {
  status_ = status;
  message_ = std::move(message);
  return State::kRefused;
}

HeadScan::State HeadScan::look(std::string_view bytes) {
  for (; at_ < bytes.size(); ++at_) {
    const char c = bytes[at_];
    if (after_cr_ != (c == '\n')) return refuse(400, "lines of an HTTP request end with CR LF");
    if (c == '\n') {
      after_cr_ = false;
      const std::string_view line = bytes.substr(line_start_, at_ - 1 - line_start_);
      line_start_ = at_ + 1;
      if (const State state = end_line(line); state != State::kMore) {
        at_ += state == State::kDone ? 1 : 0;
        return state;
      }
    } else if (c == '\r') {
      after_cr_ = true;
    } else if (is_control(c)) {
      return refuse(400, fmt::format("control character 0x{:02x} in the head of a request", static_cast<unsigned char>(c)));
    }
    if (const State state = check_size(); state != State::kMore) return state;
  }
  return State::kMore;
}

HeadScan::State HeadScan::check_size() {
  const auto size = static_cast<int64_t>(at_ + 1);
  if (fields_start_ == 0) {
    if (size - (after_cr_ ? 1 : 0) > max_line_) return refuse(414, fmt::format("request line over {} bytes", max_line_));
  } else if (size - static_cast<int64_t>(fields_start_) > max_header_) {
    return refuse(431, fmt::format("header over {} bytes", max_header_));
  }
  return State::kMore;
}

HeadScan::State HeadScan::end_line(std::string_view line) {
  if (fields_start_ == 0) {
    fields_start_ = line_start_;
    return read_request_line(line);
  }
  if (line.empty()) return State::kDone;
  if (line[0] == ' ' || line[0] == '\t') return refuse(400, "a field of the header goes on in a second line");
  if (++fields_ > max_fields_) return refuse(431, fmt::format("over {} fields in the header", max_fields_));
  return State::kMore;
}

HeadScan::State HeadScan::read_request_line(std::string_view line) {
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == 0 || last == first)
    return refuse(400, "want a request line: method, target and HTTP version");
  const std::string_view target = line.substr(first + 1, last - first - 1), version = line.substr(last + 1);
  if (target.empty() || target.find_first_of(" \t") != std::string_view::npos || !is_version(version))
    return refuse(400, "want a request line: method, target and HTTP version");
  method_ = line.substr(0, first);
  target_ = target;
  if (version[5] == '1') return State::kMore;  // RFC 9110, 2.5: with any minor version
  for (const std::string_view other : {"HTTP/0.9", "HTTP/2.0", "HTTP/3.0"})
    if (version == other) return refuse(505, fmt::format("{} is not served, but HTTP/1.1 and HTTP/1.0 are", version));
  return refuse(400, fmt::format("{} is no version of HTTP", version));
}

}  // namespace skald::serve
