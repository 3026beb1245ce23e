// Requests of the chat API, as far as they decide the prompt.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "text/chat/chat_template.h"

namespace skald {

/// Of a list of messages, or of an object with `messages` and maybe `tools`, `documents`, `add_generation_prompt`,
/// `continue_final_message` and `chat_template_kwargs`; `rest`, where it is not null, gets an object of the others. Throws
/// Error (kBadInput) that begins with `what`.
ChatRequest read_chat_request(nlohmann::ordered_json json, const std::string& what, nlohmann::ordered_json* rest = nullptr);

/// Returns whether a request's tools are a list with something in it.
bool has_tools(const nlohmann::ordered_json& tools);

}  // namespace skald
