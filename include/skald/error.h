// The one error type of the public API and of everything below it.
#pragma once

#include <cstdint>
#include <exception>
#include <source_location>
#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace skald {

enum class Errc : uint8_t {
  kBadInput,     // a flag, request, prompt or argument is wrong
  kBadFile,      // a file's content is wrong or truncated
  kNotFound,     // a file, tensor, key or name does not exist
  kUnsupported,  // valid, but not something this build can do
  kNoMemory,     // not enough memory
  kDevice,       // the operating system or an accelerator failed
  kInternal,     // our own bug: a broken invariant
  kBusy,         // too many requests wait: try again later
};

/// Names the action that failed and its object in its message.
class Error : public std::exception {
 public:
  Error(Errc code, std::string message, std::source_location at = std::source_location::current())
      : code_(code), message_(std::move(message)), at_(at) {}

  /// Puts `doing` in front of the message: "loading model.gguf: <message>".
  Error& add(const std::string& doing) {
    message_.insert(0, doing + ": ");
    return *this;
  }
  const char* what() const noexcept override { return message_.c_str(); }
  Errc code() const noexcept { return code_; }
  std::source_location where() const noexcept { return at_; }

 private:
  Errc code_;
  std::string message_;
  std::source_location at_;
};

}  // namespace skald
#pragma GCC visibility pop
