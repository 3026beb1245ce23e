#include "tools/chat/answer_reader.h"

#include <utility>

#include "text/chat/replies/open_reasoning.h"
#include "tools/chat/chat_session.h"

namespace skald {
namespace {

// What is content whatever it looks like is not looked for.
ReplyFormat adapted(ReplyFormat format, const ChatOptions& options) {
  if (!options.separate_reasoning) format.marked.reasoning = {};
  if (options.tool_choice == ReplyParams::ToolChoice::kNone) {
    format.marked.calls = {};
    format.marked.section_open = format.marked.section_close = {};
    format.marked.bare = MarkedReply::Bare::kNone;
  }
  // Where a constraint says what the content is, JSON is that.
  if (options.tool_choice == ReplyParams::ToolChoice::kNone || options.grammar.kind != GrammarParams::Kind::kNone)
    format.marked.loose = false;
  return format;
}

const ReasoningMarks* usual_marks(const ReplyFormat& format, const ReasoningMarks* open) {
  const std::span<const ReasoningMarks> all = reasoning_marks(format);
  return open || all.empty() ? open : &all.front();
}

}  // namespace

AnswerReader::AnswerReader(const ReplyFormat& format, const ReplyOptions& how, const ChatOptions& options,
                           const OnDelta& on_delta)
    : format_(adapted(format, options)),
      parser_(format_, how),
      begins_(how.generation_prompt),
      reasoning_marks_(open_reasoning(reasoning_marks(format), std::string(format.content.before) + begins_)),
      on_delta_(on_delta),
      parses_(options.separate_reasoning || how.tools.known()),
      separate_(options.separate_reasoning),
      budget_(options.reasoning_budget),
      reasoning_(reasoning_marks_ != nullptr) {
  reasoning_marks_ = usual_marks(format, reasoning_marks_);
}

bool AnswerReader::push(const Event& event) {
  if (reasoning_ && event.token >= 0) ++n_reasoning_;
  take_text(event.text);
  over_budget_ = over_budget_ || (reasoning_ && budget_ >= 0 && n_reasoning_ >= budget_ && event.token >= 0);
  return over_budget_;
}

std::string AnswerReader::end_reasoning() {
  over_budget_ = false;
  budget_ = -1;
  if (!reasoning_marks_) return {};
  std::string text = reasoning_end(format_, *reasoning_marks_, begins_);
  take_text(text);
  return text;
}

void AnswerReader::take_text(std::string_view text) {
  if (parses_) return take(parser_.push(text));
  if (!text.empty()) take({{.kind = ReplyDelta::Kind::kContent, .text = std::string(text)}});
}

Reply AnswerReader::finish(bool truncated) {
  if (parses_) take(parser_.finish(truncated));
  return std::move(reply_);
}

void AnswerReader::take(std::vector<ReplyDelta> deltas) {
  for (ReplyDelta& delta : deltas) {
    reasoning_ = delta.kind == ReplyDelta::Kind::kReasoning;
    if (reasoning_ && !separate_) delta.kind = ReplyDelta::Kind::kContent;
    if (on_delta_) on_delta_(delta);
  }
  reply_.add(deltas);
}

}  // namespace skald
