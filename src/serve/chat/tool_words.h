// Chats with tools for models whose template does not show them: tools are described in the system message, and what was
// called and given is shown in the messages' texts.
#pragma once

#include "serve/json.h"
#include "text/chat/replies/reply_format.h"

namespace skald::serve {

/// Describes the tools in the system message, and how to call them where the format has calls as JSON or none of its own.
Json with_tools_in_words(Json messages, const Json& tools, const ReplyFormat& format);
/// Calls as the format has them as JSON, in the contents.
Json with_calls_in_words(Json messages, const ReplyFormat& format);
/// Results of tools as what a user says.
Json with_results_in_words(Json messages);

}  // namespace skald::serve
