// Requests of OpenAI's responses API, brought into the words of the chat API.
#pragma once

#include "serve/chat/chat.h"

namespace skald::serve {

/// input, instructions, tools, tool_choice, text.format and reasoning. Sets the grammar of `out` by text.format. Throws
/// ApiError naming the field.
Chat read_response_request(const Fields& fields, const ServeOptions& options, GenerationRequest& out);

}  // namespace skald::serve
