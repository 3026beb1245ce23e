// Chats with tools for models whose template does not show them: the system message describes the tools, and the messages'
// texts show calls and results.
#pragma once

#include "serve/json.h"
#include "text/chat/replies/reply_format.h"

namespace skald::serve {

/// Describes the tools in the system message, and how to call them where the format has calls as JSON or none of its own.
Json with_tools_in_words(Json messages, const Json& tools, const ReplyFormat& format);
/// Calls as the format has them as JSON, in the contents.
Json with_calls_in_words(Json messages, const ReplyFormat& format);
/// Writes results of tools as messages of the user.
Json with_results_in_words(Json messages);

}  // namespace skald::serve
