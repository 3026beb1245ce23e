// The reasoning in which a prompt ends.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "text/chat/replies/reply_format.h"

namespace skald {

/// Returns how replies of a format mark reasoning, with all up to where the rest begins.
std::span<const ReasoningMarks> reasoning_marks(const ReplyFormat& format);

/// Returns the marks of the reasoning in which the prompt left the reply; null: it is in none.
const ReasoningMarks* open_reasoning(std::span<const ReasoningMarks> all, std::string_view prompt);

/// Returns the text by which a model of the format ends its reasoning and begins with the rest. `prompt_end`: the text that
/// begins an answer.
std::string reasoning_end(const ReplyFormat& format, const ReasoningMarks& marks, std::string_view prompt_end);

}  // namespace skald
