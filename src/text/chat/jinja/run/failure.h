// Failure: an exception that Python would raise while a template is read or rendered.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace skald::jinja {

enum class ErrorKind : uint8_t {
  kType,
  kValue,
  kIndex,
  kKey,
  kAttribute,
  kZeroDivision,
  kOverflow,
  kUndefined,
  kSecurity,
  kSyntax,     // the template is wrong
  kAssertion,  // it names a filter or a test that is not there
  kRuntime,    // Jinja's own errors
  kTemplate,   // raise_exception()
  kFilterArgument,
  kRecursion,    // a limit on depth
  kLimit,        // a limit on steps, time, memory or output
  kUnsupported,  // Python could, we do not
};

/// Returns Python's or Jinja's name: "TypeError".
const char* name_of(ErrorKind kind);

class Failure : public std::exception {
 public:
  Failure(ErrorKind kind, std::string message, int line = 0) : kind_(kind), message_(std::move(message)), line_(line) {}
  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& message() const { return message_; }
  ErrorKind kind() const { return kind_; }
  int line() const { return line_; }  // of the template; 0: not known yet
  void set_line(int line) { line_ = line; }
  /// Tells whether Python's `except (TypeError, ValueError)` and its like can catch it: no limits.
  bool is(ErrorKind a) const { return kind_ == a; }

 private:
  ErrorKind kind_;
  std::string message_;
  int line_;
};

template <class... Args>
[[noreturn]] void raise(ErrorKind kind, fmt::format_string<Args...> text, Args&&... args) {
  throw Failure(kind, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace skald::jinja
