// Chats as servers and users have them, for templates that do not take all of it.
#pragma once

#include "text/chat/chat_template.h"

namespace skald {

/// As ChatTemplate::render(), which refuses what transformers refuses. Where the template's format has one call in a
/// message, calls are shown one by one; where the template refuses a system message, its text goes in front of the user's
/// first.
MarkedText render_adapted(const ChatTemplate& by, ChatRequest request);

}  // namespace skald
