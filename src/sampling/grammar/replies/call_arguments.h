// The arguments of a call, in the notation of a format.
#pragma once

#include "sampling/grammar/grammar.h"
#include "sampling/grammar/marker_spelling.h"
#include "sampling/grammar/replies/call_writer.h"
#include "text/chat/replies/reply_format.h"

namespace skald {

/// Adds a rule of the arguments that fit the tool's schema: keys that the schema lists, and others if it speaks of them.
/// Throws Error (kBadInput, kUnsupported) naming the keyword that is wrong or cannot be enforced.
RuleId add_call_arguments(Grammar& grammar, const MarkerSpelling& markers, const CallShape& shape, const ToolSchema& tool,
                          const ReplyTools& kinds, const CallOptions& options);

}  // namespace skald
