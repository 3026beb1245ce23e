#include "text/chat/adapted_chat.h"

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <utility>

#include "base/error.h"
#include "text/chat/call_messages.h"
#include "text/chat/json_text.h"
#include "text/chat/messages.h"
#include "text/chat/replies/open_reasoning.h"
#include "text/chat/replies/white_space.h"
#include "text/chat/thinking.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

bool is_of(const Json& message, const char* role) {
  return message.is_object() && message.contains("role") && is_text(message["role"], role);
}

std::optional<std::string> text_of(Json message) {
  if (has_text_parts(message)) join_text_parts(message);
  if (!message.contains("content") || !message["content"].is_string()) return {};
  return message["content"].get<std::string>();
}

bool has_text(const Json& message, const char* key) {
  return message.contains(key) && message[key].is_string() && !message[key].get_ref<const std::string&>().empty();
}

bool has_reasoning(const Json& message) {
  return std::ranges::any_of(std::array{"reasoning_content", "thinking", "reasoning"},
                             [&](const char* key) { return has_text(message, key); });
}

/// Returns the system's text in front of the user's; none where there are no such messages.
std::optional<Json> with_merged_system(const Json& messages) {
  if (!messages.is_array() || messages.size() < 2 || !is_of(messages[0], "system") || !is_of(messages[1], "user")) return {};
  const std::optional<std::string> system = text_of(messages[0]), user = text_of(messages[1]);
  if (!system || !user) return {};
  Json out = messages;
  out[1]["content"] = *system + "\n\n" + *user;
  out.erase(out.begin());
  return out;
}

MarkedText render_merged(const ChatTemplate& by, ChatRequest request) {
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

AdaptedChat with_generation_prompt(const ChatTemplate& by, ChatRequest request) {
  AdaptedChat out{.text = render_merged(by, request)};
  if (!request.add_generation_prompt) return out;
  request.add_generation_prompt = false;
  out.ending = generation_prompt(out.text.bytes(), render_merged(by, request).bytes());
  return out;
}

/// The text at the prompt's end, as templates may strip it, is the answer's content; `answer` the whole of it as they show
/// it.
void split_begun(const std::string& answer, const std::string& said, AdaptedChat& out) {
  const std::string_view all = said, stripped = trimmed(all);
  for (const std::string_view text : {all, all.substr(0, all.find_last_not_of(kWhiteSpace) + 1), stripped})
    if (out.begun.empty() && out.text.bytes().ends_with(text)) out.begun = text;
  if (answer.ends_with(out.begun)) out.ending = answer.substr(0, answer.size() - out.begun.size());
}

/// Reasoning that the client wrote into the content is no part of it.
void take_reasoning_out(const ReplyFormat& format, AdaptedChat& chat) {
  const std::span<const ReasoningMarks> all = reasoning_marks(format);
  size_t end = 0;
  if (open_reasoning(all, chat.ending + chat.begun)) end = chat.begun.size();
  for (const ReasoningMarks& marks : all)
    if (const size_t at = chat.begun.rfind(marks.close); at != std::string::npos)
      end = std::max(end, std::min(chat.begun.find_first_not_of(kWhiteSpace, at + marks.close.size()), chat.begun.size()));
  chat.ending += chat.begun.substr(0, end);
  chat.begun.erase(0, end);
}

/// Returns the prompt without the last message, whose text then stands after the generation prompt.
AdaptedChat after_generation_prompt(const ChatTemplate& by, ChatRequest request, const std::string& said) {
  request.messages.erase(request.messages.size() - 1);
  request.continue_final_message = false;
  request.add_generation_prompt = true;
  AdaptedChat out = with_generation_prompt(by, std::move(request));
  if (said.empty()) return out;
  end_thinking(detect_reply_format(by.source()), out);
  out.text.append(said, /*trusted=*/false);
  out.begun = said;
  return out;
}

/// Returns the text that the prompt adds to that of the messages before; nothing where that is not its beginning.
std::string added_to_messages_before(const ChatTemplate& by, ChatRequest request, const MarkedText& prompt) {
  request.messages.erase(request.messages.size() - 1);
  request.continue_final_message = request.add_generation_prompt = false;
  try {
    return generation_prompt(prompt.bytes(), render_merged(by, std::move(request)).bytes());
  } catch (const Error&) {
    return {};  // some templates refuse other ends
  }
}

AdaptedChat within_message(const ChatTemplate& by, const ChatRequest& request, const std::string& said) {
  AdaptedChat out{.text = render_merged(by, request)};
  split_begun(added_to_messages_before(by, request, out.text), said, out);
  return out;
}

AdaptedChat continued(const ChatTemplate& by, const ReplyFormat& format, ChatRequest request) {
  if (!request.messages.is_array() || request.messages.empty() || !is_of(request.messages.back(), "assistant"))
    return {.text = by.render(request)};
  const std::string said = text_of(request.messages.back()).value_or("");
  if (said.empty() && !has_reasoning(request.messages.back())) return after_generation_prompt(by, std::move(request), said);
  if (said.empty()) request.messages.back()["content"] = "";
  std::exception_ptr refusal;
  try {
    AdaptedChat out = within_message(by, request, said);
    // Some templates show the text as thinking.
    const bool thinks = open_reasoning(reasoning_marks(format), std::string(format.content.before) + out.ending);
    if (said.empty() || !thinks) return out;
  } catch (const Error&) {
    refusal = std::current_exception();
  }
  try {
    return after_generation_prompt(by, std::move(request), said);
  } catch (const Error&) {
    if (refusal) std::rethrow_exception(refusal);
    throw;
  }
}

}  // namespace

AdaptedChat adapted_chat(const ChatTemplate& by, ChatRequest request) {
  const ReplyFormat& format = detect_reply_format(by.source());
  if (format.single_calls) request.messages = with_single_calls(request.messages);
  if (!request.continue_final_message) return with_generation_prompt(by, std::move(request));
  AdaptedChat out = continued(by, format, std::move(request));
  take_reasoning_out(format, out);
  return out;
}

bool ends_with_answer(const Json& messages) {
  if (!messages.is_array() || messages.empty() || !is_of(messages.back(), "assistant")) return false;
  return !messages.back().contains("tool_calls") || messages.back()["tool_calls"].empty();
}

void end_thinking(const ReplyFormat& format, AdaptedChat& chat) {
  const std::string end = end_of_unwanted_thinking(format, chat.ending);
  chat.text.append(end, /*trusted=*/true);
  chat.ending += end;
}

}  // namespace skald
