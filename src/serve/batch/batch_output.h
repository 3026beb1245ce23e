// What has come of a batch's requests: a file of lines in OpenAI's form, to which each answer is added when it is there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace skald::serve {

/// A line of the output: the answer to a request, or why a line of the input was none.
struct BatchAnswer {
  int64_t line;                               // of the input
  std::optional<std::string> custom_id;       // of what is no request there may be none
  int status = 0;                             // of an answer
  std::string request_id = {}, body = {};     // of an answer; the body is JSON in one line
  std::string error_code = {}, message = {};  // of what is no request

  bool failed() const { return status != 200; }
  /// The line, with its end.
  std::string text() const;
};

/// What a line of the output says.
struct BatchRecord {
  std::optional<std::string> custom_id;
  int64_t line = 0;  // of the input, where there is no custom_id
  bool failed = false;
};

/// Nothing for what is no such line.
std::optional<BatchRecord> parse_batch_record(std::string_view text);

class BatchFile {
 public:
  /// "-" is standard output. A line that a file ends with and that is not whole is cut off. Nobody else may have the file as
  /// a BatchFile. Throws Error: kBadInput for a file that something else is in, kDevice.
  explicit BatchFile(const std::string& path);
  ~BatchFile();
  BatchFile(const BatchFile&) = delete;
  BatchFile& operator=(const BatchFile&) = delete;

  const std::string& path() const { return path_; }
  /// Adds it; whatever ends the program then, it is there. Throws Error (kDevice).
  void write(const BatchAnswer& answer);

 private:
  void lock() const;
  void repair() const;
  [[noreturn]] void fail_with(const char* what) const;

  std::string path_;
  int fd_;
};

}  // namespace skald::serve
