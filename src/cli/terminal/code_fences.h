// CodeFences: tells the code blocks of a Markdown text from its prose, as the text comes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace skald {

class CodeFences {
 public:
  /// Takes a piece of the text. `code`: it lies in a code block, or is one of the fences around it.
  using Take = std::function<void(std::string_view piece, bool code)>;

  /// Hands on `text`, but for the beginning of a line that may be a fence.
  void push(std::string_view text, const Take& take);
  /// Hands on the rest: the text has ended.
  void finish(const Take& take);
  /// Returns whether the pieces that come lie in a code block.
  bool in_code() const { return length_ > 0; }

 private:
  bool may_be_fence() const;
  void decide(const Take& take);
  void end_line(const Take& take);

  std::string held_;      // of a line that may be a fence
  bool decided_ = false;  // the line is none
  char mark_ = 0;         // of the open block's fence
  size_t length_ = 0;     // its marks; 0: no block is open
};

}  // namespace skald
