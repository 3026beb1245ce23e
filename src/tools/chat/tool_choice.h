// A request's fields about calls of tools, and about the form of the answer.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/chat/chat_session.h"

namespace skald {

/// "auto", "none", "required", or a tool's name. Throws kBadInput for a name that none of the tools has.
void set_tool_choice(ChatOptions& options, const std::string& choice);

/// The chat API's `tool_choice`: the same words, {"type": "function", "function": {"name": ...}}, or {"type":
/// "allowed_tools"} with a mode and the tools that may be called. Throws kBadInput.
void set_tool_choice(ChatOptions& options, const nlohmann::ordered_json& choice);

/// Returns the chat API's `response_format`: {"type": "text"}, {"type": "json_object"}, or {"type": "json_schema"} with the
/// schema in `json_schema.schema` or in `schema`. Throws kBadInput.
GrammarParams response_grammar(const nlohmann::ordered_json& format);

}  // namespace skald
