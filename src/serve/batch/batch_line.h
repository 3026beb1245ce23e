// A line of a batch: a request in OpenAI's batch form, {"custom_id", "method", "url", "body"}.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "io/line_reader.h"

namespace skald::serve {

struct BatchRequest {
  int64_t line;  // of the input
  std::string custom_id;
  std::string sum = {};     // batch_sum()
  std::string url = {};     // the path of an endpoint
  std::string body = {};    // JSON
  std::string prefix = {};  // the parts of its prompt, in order: requests with alike ones share keys
  bool streams = false;

  int64_t bytes() const { return static_cast<int64_t>(custom_id.size() + body.size() + prefix.size()); }
};

/// Sums up a line in 32 hexadecimal digits, by which its answer tells the request that it answers. Lines without a custom_id
/// may be alike: their numbers count too.
std::string batch_sum(const LineReader::Line& line, const std::optional<std::string>& custom_id);

/// Why a line is no request.
class BatchLineError : public std::exception {
 public:
  BatchLineError(std::string_view code, std::string message, std::optional<std::string> custom_id = {})
      : code_(code), message_(std::move(message)), custom_id_(std::move(custom_id)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& code() const { return code_; }
  /// Where the line has one.
  const std::optional<std::string>& custom_id() const { return custom_id_; }

 private:
  std::string code_, message_;
  std::optional<std::string> custom_id_;
};

/// `url` is one of /v1/chat/completions, /v1/completions, /v1/responses and /v1/embeddings. Throws BatchLineError.
BatchRequest parse_batch_line(const LineReader::Line& line);

/// Returns the custom_id alone, whatever else is wrong; nothing where there is none.
std::optional<std::string> custom_id_of(const LineReader::Line& line);

}  // namespace skald::serve
