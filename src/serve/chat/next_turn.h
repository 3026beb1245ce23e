// The next turn of a chat: what its prompt will begin with.
#pragma once

#include <vector>

#include "serve/chat/chat.h"
#include "skald/reply.h"

namespace skald::serve {

/// The tokens of the prompt that a chat becomes when it goes on behind `reply`, with a tool's result if that called any,
/// else with a user's message, up to where what this message says can make a difference. Empty where the template refuses
/// such a chat.
std::vector<TokenId> next_turn(const Chat& chat, const Reply& reply, ServedModel& model);

}  // namespace skald::serve
