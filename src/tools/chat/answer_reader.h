// AnswerReader: the events of an answer, as they come, into content, reasoning and tool calls; counts the reasoning.
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

  /// Whether the text is to end: the reasoning is longer than its budget.
  bool push(const Event& event);
  bool over_budget() const { return over_budget_; }
  /// Whether the next token goes on with the reasoning, as far as can be told.
  bool in_reasoning() const { return reasoning_; }
  /// The text that ends the reasoning, which the reader takes as if the model had written it.
  std::string end_reasoning();
  /// The reply, once.
  Reply finish(bool truncated);

 private:
  void take(std::vector<ReplyDelta> deltas);
  void take_text(std::string_view text);

  const ReplyFormat format_;  // with the reasoning that is told apart
  ReplyParser parser_;
  const std::string begins_;               // the end of the prompt
  const ReasoningMarks* reasoning_marks_;  // those that are open, or that the format mostly has; null: none
  const OnDelta& on_delta_;
  bool parses_, separate_;
  int64_t budget_, n_reasoning_ = 0;
  bool reasoning_, over_budget_ = false;  // the last thing that came was reasoning
  Reply reply_;
};

}  // namespace skald
