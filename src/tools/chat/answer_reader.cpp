#include "tools/chat/answer_reader.h"

#include <algorithm>
#include <utility>

#include "tools/chat/chat_session.h"

namespace skald {
namespace {

bool begins_in_reasoning(const ReplyFormat& format, std::string_view ending) {
  return std::ranges::any_of(format.marked.reasoning, [&](const ReasoningMarks& marks) {
    const size_t open = ending.rfind(marks.open), close = ending.rfind(marks.close);
    return open != std::string_view::npos && (close == std::string_view::npos || close < open);
  });
}

}  // namespace

AnswerReader::AnswerReader(const ReplyFormat& format, const ReplyOptions& how, const ChatOptions& options,
                           const OnDelta& on_delta)
    : parser_(format, how),
      format_(format),
      on_delta_(on_delta),
      separate_(options.separate_reasoning),
      budget_(options.reasoning_budget),
      reasoning_(begins_in_reasoning(format, how.generation_prompt)) {}

bool AnswerReader::push(const Event& event) {
  if (reasoning_ && event.token >= 0) ++n_reasoning_;
  take_text(event.text);
  over_budget_ = over_budget_ || (reasoning_ && budget_ >= 0 && n_reasoning_ >= budget_ && event.token >= 0);
  return over_budget_;
}

std::string AnswerReader::end_reasoning() {
  over_budget_ = false;
  budget_ = -1;
  const std::string_view close = format_.marked.reasoning.empty() ? "</think>" : format_.marked.reasoning.front().close;
  const std::string text = "\n" + std::string(close) + "\n\n";
  take_text(text);
  return text;
}

void AnswerReader::take_text(std::string_view text) {
  if (separate_) return take(parser_.push(text));
  if (!text.empty()) take({{.kind = ReplyDelta::Kind::kContent, .text = std::string(text)}});
}

Reply AnswerReader::finish(bool truncated) {
  if (separate_) take(parser_.finish(truncated));
  return std::move(reply_);
}

void AnswerReader::take(const std::vector<ReplyDelta>& deltas) {
  for (const ReplyDelta& delta : deltas) {
    reasoning_ = delta.kind == ReplyDelta::Kind::kReasoning;
    if (on_delta_) on_delta_(delta);
  }
  reply_.add(deltas);
}

}  // namespace skald
