// Chats with tools for models whose template knows none: tools are described in the system message, and what was called and
// given is shown in the messages' texts.
#pragma once

#include <string_view>

#include "serve/json.h"

namespace skald::serve {

/// Calls are asked for in the form that is read as "hermes" or as "json".
Json with_tools_in_words(Json messages, const Json& tools, std::string_view format);

}  // namespace skald::serve
