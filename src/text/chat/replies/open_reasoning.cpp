#include "text/chat/replies/open_reasoning.h"

namespace skald {

std::span<const ReasoningMarks> reasoning_marks(const ReplyFormat& format) {
  return format.content.reasoning.empty() && !format.read ? format.marked.reasoning : format.content.reasoning;
}

const ReasoningMarks* open_reasoning(std::span<const ReasoningMarks> all, std::string_view prompt) {
  const ReasoningMarks* out = nullptr;
  size_t latest = 0;
  for (const ReasoningMarks& marks : all) {
    const size_t open = prompt.rfind(marks.open), end = prompt.rfind(marks.close);
    if (open == std::string_view::npos || (end != std::string_view::npos && end > open) || open + 1 <= latest) continue;
    latest = open + 1;
    out = &marks;
  }
  return out;
}

// Where the prompt stands after an end of messages, as it were, another message begins.
std::string reasoning_end(const ReplyFormat& format, const ReasoningMarks& marks, std::string_view prompt_end) {
  const std::string close(marks.close);
  if (!format.content.before.empty()) return close + std::string(prompt_end);
  return marks.anywhere ? close : "\n" + close + "\n\n";
}

}  // namespace skald
