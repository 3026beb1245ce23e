#include "tools/chat/chat_turns.h"

#include <algorithm>
#include <string_view>

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

bool is_user(const Json& message) { return has_role(message, "user"); }
bool is_system(const Json& message) { return has_role(message, "system") || has_role(message, "developer"); }

}  // namespace

bool has_role(const Json& message, std::string_view role) {
  return message.is_object() && message.contains("role") && message["role"] == role;
}

size_t turns_to_forget(const Json& messages) {
  const auto users = std::ranges::count_if(messages, is_user);
  return users > 0 ? static_cast<size_t>(users) - 1 : 0;
}

Json without_turns(Json messages, size_t n) {
  if (n == 0) return messages;
  const auto first = std::ranges::find_if_not(messages, is_system);
  auto next = std::ranges::find_if(first, messages.end(), is_user);
  for (; n > 0 && next != messages.end(); --n) next = std::ranges::find_if(std::next(next), messages.end(), is_user);
  messages.erase(first, next);
  return messages;
}

}  // namespace skald
