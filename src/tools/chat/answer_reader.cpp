#include "tools/chat/answer_reader.h"

#include <utility>

#include "text/chat/replies/open_reasoning.h"
#include "tools/chat/chat_session.h"

namespace skald {
namespace {

// Parts that count as content in any form are not looked for.
ReplyFormat adapted(ReplyFormat format, const ChatOptions& options) {
  if (!options.separate_reasoning) format.marked.reasoning = {};
  if (options.tool_choice == ReplyParams::ToolChoice::kNone) {
    format.marked.calls = {};
    format.marked.section_open = format.marked.section_close = {};
    format.marked.bare = MarkedReply::Bare::kNone;
  }
  // Where a constraint decides the content, JSON is content.
  if (options.tool_choice == ReplyParams::ToolChoice::kNone || options.grammar.kind != GrammarParams::Kind::kNone)
    format.marked.loose = false;
  return format;
}

}  // namespace

AnswerReader::AnswerReader(const ReplyFormat& format, const ReplyOptions& how, const ChatOptions& options,
                           const OnDelta& on_delta)
    : format_(adapted(format, options)),
      parser_(format_, how),
      on_delta_(on_delta),
      parses_(options.separate_reasoning || how.tools.known()),
      separate_(options.separate_reasoning),
      reasoning_(open_reasoning(reasoning_marks(format), std::string(format.content.before) + how.generation_prompt)) {}

void AnswerReader::push(const Event& event) {
  if (parses_) return take(parser_.push(event.text));
  if (!event.text.empty()) take({{.kind = ReplyDelta::Kind::kContent, .text = std::string(event.text)}});
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
