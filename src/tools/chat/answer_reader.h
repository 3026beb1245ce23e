// AnswerReader: the events of an answer, as they come, into content, reasoning and tool calls.
#pragma once

#include <functional>
#include <string>

#include "skald/engine.h"
#include "text/chat/replies/reply_parser.h"

namespace skald {

struct ChatOptions;

class AnswerReader {
 public:
  using OnDelta = std::function<void(const ReplyDelta&)>;

  /// `on_delta` may be empty. Of options that leave the reasoning where it is, calls of tools are read all the same.
  AnswerReader(const ReplyFormat& format, const ReplyOptions& how, const ChatOptions& options, const OnDelta& on_delta);

  void push(const Event& event);
  /// Returns whether the next token goes on with the reasoning, as far as can be told.
  bool in_reasoning() const { return reasoning_; }
  /// Returns the reply, once.
  Reply finish(bool truncated);

 private:
  void take(std::vector<ReplyDelta> deltas);

  const ReplyFormat format_;  // with the reasoning that is told apart
  ReplyParser parser_;
  const OnDelta& on_delta_;
  bool parses_, separate_;
  bool reasoning_;  // the last thing that came was reasoning
  Reply reply_;
};

}  // namespace skald
