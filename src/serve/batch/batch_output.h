// The results of a batch's requests: a file of lines in OpenAI's form, to which each answer is added when it is there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace skald::serve {

/// Longer lines are no answers.
inline constexpr int64_t kLongestBatchAnswer = int64_t{1} << 30;

/// A line of the output: the answer to a request, or why a line of the input was none.
struct BatchAnswer {
  int64_t line;                               // of the input
  std::optional<std::string> custom_id;       // may be missing where the line is no request
  std::string sum = {};                       // of the line of the input: batch_sum()
  int status = 0;                             // of an answer
  std::string request_id = {}, body = {};     // of an answer; the body is JSON in one line
  std::string error_code = {}, message = {};  // where the line is no request

  bool failed() const { return status != 200; }
  /// Returns the line, with its end.
  std::string text() const;
};

/// A line of the output.
struct BatchRecord {
  std::optional<std::string> custom_id = {};
  std::string sum = {};  // of the line of the input
  int64_t line = 0;      // of the input, where there is no custom_id
  bool failed = false;
};

/// Returns nothing for a text that is no such line.
std::optional<BatchRecord> parse_batch_record(std::string_view text);

/// Returns whether it may be the beginning of such a line.
bool is_torn_record(std::string_view text);

class BatchFile {
 public:
  /// "-" is standard output. A line that a file ends with and that is not whole is cut off. No other process may have the
  /// file as a BatchFile. Throws Error: kBadInput for a file with other content, kDevice.
  explicit BatchFile(const std::string& path);
  ~BatchFile();
  BatchFile(const BatchFile&) = delete;
  BatchFile& operator=(const BatchFile&) = delete;

  const std::string& path() const { return path_; }
  /// Adds it; it stays however the program ends then. Throws Error (kDevice).
  void write(const BatchAnswer& answer);

 private:
  void lock() const;
  void repair() const;
  [[noreturn]] void fail_with(const char* what) const;

  std::string path_;
  int fd_;
};

}  // namespace skald::serve
