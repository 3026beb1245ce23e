// Where the reader of a format begins to read calls: what text without calls must not have.
#pragma once

#include <span>
#include <string>

#include "sampling/grammar/regex_set.h"
#include "text/chat/replies/reply_format.h"

namespace skald {

/// Texts at which calls begin, or other parts that content does not have.
RegexId call_marks(RegexSet& regexes, const ReplyFormat& format);

/// Contents that are taken for calls of these tools without a mark; more than really are.
RegexId bare_calls(RegexSet& regexes, const ReplyFormat& format, std::span<const std::string> names);

}  // namespace skald
