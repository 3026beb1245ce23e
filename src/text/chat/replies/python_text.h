// Python's literals and calls, as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skald/reply.h"

namespace skald {

/// Returns a literal (text, number, True, False, None, list, tuple, dict with texts for keys; JSON's words too) as JSON.
/// None: it is none, or is nested too deep.
std::optional<std::string> python_json(std::string_view literal);

/// Calls `f(a=1, b='x')`, in a list `[f(), g()]` or one alone, arguments by keyword. None: they are none.
std::optional<std::vector<ReplyCall>> python_calls(std::string_view text);

/// Finds where the brackets that begin a text close, in bytes as they come; brackets in texts do not count.
class PythonScanner {
 public:
  static constexpr size_t kMaxDepth = 64;

  /// As JsonScanner's.
  size_t feed(std::string_view text);
  bool done() const { return done_; }
  bool bad() const { return bad_; }

 private:
  void step(char c);

  std::string open_;
  char quote_ = 0;  // of the text that is read; 0: none
  bool escaped_ = false, done_ = false, bad_ = false;
};

}  // namespace skald
