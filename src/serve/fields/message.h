// Requests of Anthropic's messages API, brought into the words of the chat API.
#pragma once

#include "serve/chat/chat.h"

namespace skald::serve {

/// messages, system, tools, tool_choice, thinking, and output_config, whose format becomes the grammar of `generation`.
/// Throws ApiError naming the field.
Chat read_messages(const Fields& fields, const ServeOptions& options, GenerationRequest& generation);

}  // namespace skald::serve
