// Calls that a model writes as plain JSON, in a fence or not: what text without calls must not begin with, and what does.
#pragma once

#include <span>
#include <string>

#include "sampling/grammar/replies/call_writer.h"

namespace skald {

/// Replies that begin as such calls of these tools do.
RegexId loose_beginnings(RegexSet& regexes, std::span<const std::string> names);

/// Whole replies that are such calls, with arguments that fit the tools' schemas, or that go on with other text. `free`:
/// text without marks of calls.
ExprId loose_calls(Grammar& grammar, const MarkerSpelling& markers, std::span<const ToolSchema> tools,
                   const ReplyTools& kinds, const CallOptions& options, RegexId free);

}  // namespace skald
