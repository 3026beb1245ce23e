#include "serve/chat/next_turn.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "serve/api_error.h"
#include "text/chat/message_json.h"

namespace skald::serve {
namespace {

// As a client sends it back.
Json answer_message(const Reply& reply) {
  const ChatMessage message{
      .role = "assistant", .content = reply.content, .reasoning = reply.reasoning, .calls = reply.calls};
  return message_json(message);
}

std::vector<TokenId> tokens_with(Chat chat, const Json& last, ServedModel& model) {
  chat.messages.push_back(last);
  return prompt_tokens(model.tokenizer(), render(std::move(chat), model).text);
}

}  // namespace

std::vector<TokenId> next_turn(const Chat& chat, const Reply& reply, ServedModel& model) {
  Chat next = chat;
  next.add_generation_prompt = next.continue_final_message = {};
  next.tool_choice = nullptr;
  next.messages.push_back(answer_message(reply));
  Json last = reply.calls.empty()
                  ? Json{{"role", "user"}}
                  : Json{{"role", "tool"}, {"tool_call_id", reply.calls.front().id}, {"name", reply.calls.front().name}};
  try {
    last["content"] = "Yes.";
    std::vector<TokenId> one = tokens_with(next, last, model);
    last["content"] = "0";
    const std::vector<TokenId> other = tokens_with(next, last, model);
    one.erase(std::ranges::mismatch(one, other).in1, one.end());
    return one;
  } catch (const Error&) {
    return {};
  } catch (const ApiError&) {
    return {};
  }
}

}  // namespace skald::serve
