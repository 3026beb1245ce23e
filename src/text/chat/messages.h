// Changes to messages before a template sees them, and the two forms in which they may be shown to it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace skald {

/// As transformers prepares them: keys whose value is null go, reasoning_content, thinking and reasoning fill in for each
/// other. Throws Error (kBadInput) naming the message that is no object.
nlohmann::ordered_json prepared_messages(const nlohmann::ordered_json& messages);

/// Returns whether any message has tool calls with arguments.
bool has_arguments(const nlohmann::ordered_json& messages);
/// With the arguments of tool calls as objects where their JSON text is one; or as JSON text.
nlohmann::ordered_json with_object_arguments(nlohmann::ordered_json messages);
nlohmann::ordered_json with_text_arguments(nlohmann::ordered_json messages);

/// Helps for templates that fail at messages of assistants with calls: without their content where there is reasoning too,
/// and with an empty one where there is none.
nlohmann::ordered_json with_plain_calls(nlohmann::ordered_json messages);

/// Returns whether a message's content is a list of texts.
bool has_text_parts(const nlohmann::ordered_json& message);
/// Such a content joined by line feeds.
void join_text_parts(nlohmann::ordered_json& message);

}  // namespace skald
