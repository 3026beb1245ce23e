// ReplyOutput: makes deltas of the parts of a reply: keeps characters whole and drops the white space between parts.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skald/reply.h"

namespace skald {

class ReplyOutput {
 public:
  void content(std::string_view bytes) { add(content_, ReplyDelta::Kind::kContent, bytes); }
  void reasoning(std::string_view bytes);
  void call(ReplyCall call);
  /// Ends the reply: text that is held back comes out or is dropped.
  void end();
  /// Takes the deltas since the last time.
  std::vector<ReplyDelta> take() { return std::exchange(deltas_, {}); }

  bool has_content() const { return content_.begun; }
  bool has_reasoning() const { return reasoning_.begun; }

 private:
  /// Content or reasoning so far.
  struct Stream {
    std::string space;      // counts only if more follows
    std::string character;  // the beginning of one, after the space
    bool begun = false;     // something other than white space came
  };
  void add(Stream& stream, ReplyDelta::Kind kind, std::string_view bytes);
  void end(Stream& stream, ReplyDelta::Kind kind, bool keeps_space);
  bool drops_space(const Stream& stream, ReplyDelta::Kind kind) const {
    return !stream.begun && (parted_ || kind == ReplyDelta::Kind::kReasoning);
  }
  void emit(ReplyDelta::Kind kind, std::string_view bytes);

  Stream content_, reasoning_;
  bool parted_ = false;  // there is more than content: white space around the content is dropped
  int calls_ = 0;
  std::vector<ReplyDelta> deltas_;
};

}  // namespace skald
