// Turns of a chat: a user's message and all up to the next one. The oldest are left out where a chat is too long.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

namespace skald {

/// Returns whether the message has this role; false for anything that is no message.
bool has_role(const nlohmann::ordered_json& message, std::string_view role);

/// Gives how many turns may be left out: all but the last one.
size_t turns_to_forget(const nlohmann::ordered_json& messages);

/// Returns the messages without the `n` oldest turns, which may be left out. System messages in front stay; others before
/// the first turn go with it.
nlohmann::ordered_json without_turns(nlohmann::ordered_json messages, size_t n);

}  // namespace skald
