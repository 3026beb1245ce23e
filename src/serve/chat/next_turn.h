// The next turn of a chat: the beginning of its prompt.
#pragma once

#include <vector>

#include "serve/chat/chat.h"
#include "skald/reply.h"

namespace skald::serve {

/// Returns the first tokens of a chat's prompt after `reply`, up to where the next message's text can make a difference.
/// That message is a tool's result if the reply called any, else a user's. Empty where the template rejects such a chat.
std::vector<TokenId> next_turn(const Chat& chat, const Reply& reply, ServedModel& model);

}  // namespace skald::serve
