// ReplyReader: the state of a format's reader, and the small readings that all readers are made of.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/chat/replies/reading.h"
#include "text/chat/replies/reply_input.h"
#include "text/chat/replies/reply_output.h"
#include "text/chat/replies/reply_tools.h"

namespace skald {

struct ReplyReader {
  ReplyInput in;
  ReplyOutput out;
  ReplyTools tools;
  std::string generation_prompt;
  bool truncated = false;  // cut off at the token limit; known at the input's end only

  /// The beginning of the text that is content should the calls that are being read turn out to be none: after the last call
  /// that was given out.
  size_t unread = 0;
  std::vector<ReplyCall>* held = nullptr;  // calls go there instead of out, while it is open whether they are any

  /// A call was read whole, up to here.
  void add(ReplyCall call);
  /// Returns whether the reply ends here and its writer was done.
  bool complete() const { return in.at_end() && !truncated; }
};

// All leave the position alone where they give false, unless they say otherwise.

/// Skips white space. False: the reply ends.
Reading skip_space(ReplyReader& r);
/// Reads `literal`, which outlives the reading.
Reading take(ReplyReader& r, std::string_view literal);
/// Tells whether `literal` is next; does not read it. True for an empty one.
Reading is_next(ReplyReader& r, std::string_view literal);
/// Returns which of the literals is next, the longest if several are; reads it. False: none.
Reading take_any(ReplyReader& r, std::span<const std::string_view> literals, size_t& which);
/// Returns whether a reply was cut off within a marker: the rest is the beginning of one of them. Of words and at one byte
/// this may be chance: a word needs half of its letters, and a byte to begin a line.
bool is_cut_marker(const ReplyReader& r, std::span<const std::string_view> markers, bool begins_line);
/// Reads up to `literal`, which must come within `limit` bytes, and beyond it; the text in front goes to `text`. False: it
/// does not come, and the position is where that was clear.
Reading take_until(ReplyReader& r, std::string_view literal, size_t limit, std::string& text);
/// Reads a JSON value; it begins at `begin`. False: there is none, and the position is where that was clear.
Reading take_json(ReplyReader& r, size_t& begin);
/// The same for Python's brackets.
Reading take_brackets(ReplyReader& r, size_t& begin);
/// Reads white space and the line that begins or ends a block of code, ``` or ```json. False: there is white space only.
Reading skip_fence(ReplyReader& r);

/// Names of functions and parameters are shorter.
inline constexpr size_t kMaxName = 256;
/// Returns whether a function may have this name.
bool is_name(std::string_view text);

}  // namespace skald
