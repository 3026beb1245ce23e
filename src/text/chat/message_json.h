// Messages as the chat API writes them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "skald/chat.h"

namespace skald {

/// Parts that are empty are left out, but for the content.
nlohmann::ordered_json message_json(const ChatMessage& message);

}  // namespace skald
