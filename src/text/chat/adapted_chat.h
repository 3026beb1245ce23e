// Chats as servers and users have them: for templates that do not take all of it, and with answers that were begun.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "text/chat/chat_template.h"
#include "text/chat/replies/reply_format.h"

namespace skald {

struct AdaptedChat {
  MarkedText text;
  std::string ending = {};  // the text's last part, which begins the answer
  std::string begun = {};   // after that: the content of an answer that is continued, as far as it is there
};

/// Renders as ChatTemplate::render(), which rejects the chats that transformers rejects. Where the template's format has one
/// call in a message, calls are shown one by one. Where the template rejects a system message, its text goes in front of the
/// user's first. An answer that the template cannot leave open stands after its generation prompt.
AdaptedChat adapted_chat(const ChatTemplate& by, ChatRequest request);

/// Returns whether the last message is an answer that calls nothing: the model goes on with it, unless something else is
/// asked for.
bool ends_with_answer(const nlohmann::ordered_json& messages);

/// Ends the thinking in which a prompt leaves an answer that is to have none: templates may do so with any variables.
void end_thinking(const ReplyFormat& format, AdaptedChat& chat);

}  // namespace skald
