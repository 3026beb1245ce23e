#include "text/chat/adapted_chat.h"

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "text/chat/call_messages.h"
#include "text/chat/messages.h"
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

bool is_of(const Json& message, const char* role) {
  return message.is_object() && message.contains("role") && message["role"] == role;
}

std::optional<std::string> text_of(Json message) {
  if (has_text_parts(message)) join_text_parts(message);
  if (!message.contains("content") || !message["content"].is_string()) return {};
  return message["content"].get<std::string>();
}

/// The system's text in front of the user's; none where there are no such messages.
std::optional<Json> with_merged_system(const Json& messages) {
  if (!messages.is_array() || messages.size() < 2 || !is_of(messages[0], "system") || !is_of(messages[1], "user")) return {};
  const std::optional<std::string> system = text_of(messages[0]), user = text_of(messages[1]);
  if (!system || !user) return {};
  Json out = messages;
  out[1]["content"] = *system + "\n\n" + *user;
  out.erase(out.begin());
  return out;
}

}  // namespace

MarkedText render_adapted(const ChatTemplate& by, ChatRequest request) {
  if (detect_reply_format(by.source()).single_calls) request.messages = with_single_calls(request.messages);
  try {
    return by.render(request);
  } catch (const Error&) {
    std::optional<Json> merged = with_merged_system(request.messages);
    if (!merged) throw;
    const std::exception_ptr refusal = std::current_exception();
    request.messages = std::move(*merged);
    try {
      return by.render(request);
    } catch (const Error&) {
      std::rethrow_exception(refusal);
    }
  }
}

}  // namespace skald
