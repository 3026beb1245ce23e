// BatchKnown: which lines of a batch's input have been answered before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "serve/batch/batch_ids.h"

namespace skald::serve {

/// A line is known by its custom_id, or by its number where it has none.
class BatchKnown {
 public:
  /// Reads a file of answers. Throws Error (kBadInput) naming a line of it that is none.
  void read(const std::string& path);

  enum class State : uint8_t { kNew, kAnswered, kFailed };
  State of(const std::optional<std::string>& custom_id, int64_t line) const;

 private:
  BatchIds ids_;
};

/// Looks at the input as a whole before any request runs, and returns how many lines that are not empty it has. Throws Error
/// (kBadInput) naming a line whose custom_id an earlier one has too.
int64_t survey_batch(const std::string& in, int64_t longest_line);

/// Throws the error of a custom_id that is there twice.
[[noreturn]] void refuse_same_id(const std::string& in, int64_t line, const std::string& custom_id, int64_t first);

}  // namespace skald::serve
