// ApiError: why a request is refused, and how each family of clients wants to read it.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "serve/http.h"

namespace skald::serve {

class ApiError : public std::exception {
 public:
  /// `param`: the path of the field that is wrong; `code`: a word for programs.
  ApiError(int status, std::string message, std::string param = {}, std::string code = {})
      : status_(status), message_(std::move(message)), param_(std::move(param)), code_(std::move(code)) {}

  const char* what() const noexcept override { return message_.c_str(); }
  int status() const { return status_; }
  const std::string& message() const { return message_; }
  const std::string& param() const { return param_; }
  const std::string& code() const { return code_; }

  /// Of a prompt that is too long.
  struct TooLong {
    int64_t n_prompt_tokens, n_ctx;
    int64_t most = n_ctx;  // tokens that a prompt may have
  };
  std::optional<TooLong> too_long = {};
  bool retry = true;  // of 429 and 503: whether another try may do better

 private:
  int status_;
  std::string message_, param_, code_;
};

/// Makes the 400 of a text in `field` that has more than `most` tokens. Agents know by its words that they must compact
/// their conversation: "prompt is too long: 20030 tokens > 16384 maximum", "maximum context length is".
ApiError too_long(std::string_view field, const ApiError::TooLong& sizes);

/// 400: "FIELD: want WHAT".
[[noreturn]] void refuse_field(const std::string& field, std::string_view want);

/// Makes of an exception the error for a client: an ApiError stays as it is. Of Error, a fault of the request is 400, a full
/// queue 429, and the others are 500, whose text goes into the log.
ApiError as_api_error(const std::exception& e);

/// Which clients a path is for: their errors have shapes of their own.
enum class Dialect : uint8_t { kOpenAi, kAnthropic, kOllama };
Dialect dialect_of(std::string_view path);

/// Returns the error as a body.
std::string error_body(const ApiError& error, Dialect dialect, std::string_view request_id);
/// Returns the error as an answer, with Retry-After where it is due.
HttpAnswer error_answer(const ApiError& error, Dialect dialect, std::string_view request_id);
/// Returns the error as the last event of a stream that has begun.
std::string error_event(const ApiError& error, Dialect dialect, std::string_view request_id);

}  // namespace skald::serve
