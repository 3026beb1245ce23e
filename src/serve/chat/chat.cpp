#include "serve/chat/chat.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "loading/loaded_model.h"
#include "serve/api_error.h"
#include "serve/chat/next_turn.h"
#include "serve/chat/tool_words.h"
#include "serve/service.h"
#include "text/chat/adapted_chat.h"
#include "text/chat/chat_request.h"
#include "text/chat/thinking.h"
#include "text/tokenizer.h"
#include "tools/chat/chat_turns.h"
#include "tools/chat/tool_choice.h"

namespace skald::serve {
namespace {

bool has_calls(const Json& messages) {
  return std::ranges::any_of(messages, [](const Json& m) { return m.contains("tool_calls") || is_text(m["role"], "tool"); });
}

// Few templates know the role; for the others it is the system's.
Json with_known_roles(Json messages, const std::string& source) {
  if (source.find("developer") != std::string::npos) return messages;
  for (Json& message : messages)
    if (is_text(message["role"], "developer")) message["role"] = "system";
  return messages;
}

ChatOptions options_of(const Chat& chat) {
  ChatOptions out;
  out.tools = chat.tools;
  out.separate_reasoning = chat.separate_reasoning;
  out.reasoning_budget = chat.reasoning_budget > 0 ? chat.reasoning_budget : -1;
  out.parallel_calls = chat.parallel_calls.value_or(true);
  out.kwargs = chat.kwargs.is_object() ? chat.kwargs : Json::object();
  if (chat.thinking) ask_for_thinking(out.kwargs, *chat.thinking, chat.reasoning_budget);
  if (!chat.reasoning_effort.empty() && !out.kwargs.contains("reasoning_effort"))
    out.kwargs["reasoning_effort"] = chat.reasoning_effort;
  if (chat.tool_choice.is_null()) return out;
  const bool any = has_tools(chat.tools);
  if (!any && !is_text(chat.tool_choice, "none") && !is_text(chat.tool_choice, "auto"))
    throw ApiError(400, "tool_choice: there are no tools to call", "tool_choice");
  try {
    set_tool_choice(out, chat.tool_choice);
  } catch (const Error& e) {
    throw ApiError(400, e.what(), "tool_choice");
  }
  return out;
}

AdaptedChat rendered(const ChatTemplate& by, ChatRequest request, const std::string& field) {
  try {
    return adapted_chat(by, std::move(request));
  } catch (const Error& e) {
    throw ApiError(400, e.what(), field, "template");
  }
}

bool goes_on(const Chat& chat) {
  if (chat.continue_final_message) return *chat.continue_final_message;
  return !chat.add_generation_prompt && ends_with_answer(chat.messages);
}

// Parts of a chat that the template cannot show are put into words, and replies are read as those ask for.
void put_in_words(Chat& chat, const ServedModel& model, const std::string& source, ChatReading& reading) {
  const std::string_view format = reading.format->name;
  const bool unknown = format == "none" || format == "json";
  const bool shows_tools = !unknown && (uses_tools(source) || has(source, "functions"));  // Firefunction's name for them
  if (unknown) {
    reading.format = &find_reply_format(format == "none" ? "hermes" : "json");
    reading.options.parallel_calls = chat.parallel_calls.value_or(false);
    chat.messages = with_results_in_words(std::move(chat.messages));
  }
  if (unknown || !has(source, "tool_calls")) chat.messages = with_calls_in_words(std::move(chat.messages), *reading.format);
  if (shows_tools) return;
  log(LogLevel::kInfo, "serve: {}: its template knows no tools: they are described in the system message", model.id());
  chat.messages = with_tools_in_words(std::move(chat.messages), chat.tools, *reading.format);
  chat.tools = nullptr;
}

struct ChatPrompt {
  RenderedChat chat;
  std::vector<TokenId> tokens;
};

ChatPrompt prompt_of(const Chat& chat, ServedModel& model) {
  ChatPrompt out{render(chat, model), {}};
  out.tokens = prompt_tokens(model.tokenizer(), out.chat.text);
  return out;
}

// Leaves out the fewest turns that bring the prompt to `most` tokens: all that may go where that is not enough.
void forget_turns(Chat& chat, ServedModel& model, int64_t most) {
  const auto length_without = [&](size_t n) {
    Chat shorter = chat;
    shorter.messages = without_turns(chat.messages, n);
    return std::ssize(prompt_of(shorter, model).tokens);
  };
  size_t low = 0, high = turns_to_forget(chat.messages);
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    (length_without(middle) <= most ? high : low) = middle;
  }
  log(LogLevel::kInfo, "serve: {} of a chat's turns are left out, for which the context has no room", high);
  chat.messages = without_turns(std::move(chat.messages), high);
}

}  // namespace

RenderedChat render(Chat chat, ServedModel& model) {
  const bool tools = has_tools(chat.tools), continues = goes_on(chat);
  const ChatTemplate& by = model.chat_template(tools);
  ChatReading reading{.options = options_of(chat), .ending = {}, .begun = {}, .format = &model.reply_format()};
  if (tools || has_calls(chat.messages)) put_in_words(chat, model, by.source(), reading);
  AdaptedChat made = rendered(by,
                              {.messages = with_known_roles(std::move(chat.messages), by.source()),
                               .tools = std::move(chat.tools),
                               .documents = std::move(chat.documents),
                               .kwargs = reading.options.kwargs,
                               .add_generation_prompt = !continues && chat.add_generation_prompt.value_or(true),
                               .continue_final_message = continues,
                               .now = {}},
                              chat.field);
  const bool off = chat.reasoning_budget == 0 || thinking_is_off(reading.options.kwargs);
  const bool can = can_think(*reading.format, by.source(), model.tokenizer().vocab());
  reading.thinks = can && !off && made.begun.empty();
  if (can && chat.reasoning_budget == 0) reading.options.reasoning_budget = 0;  // a model may think unasked
  if (off) end_thinking(*reading.format, made);
  reading.ending = std::move(made.ending);
  reading.begun = std::move(made.begun);
  return {.text = std::move(made.text), .reading = std::move(reading), .continues = continues};
}

void leave_out_volatile(Chat& chat, RequestContext& context) {
  context.note.volatile_bytes = context.service().volatile_text().take_from(chat.messages);
  if (context.note.volatile_bytes) context.service().tell_volatile(context.owner);
}

void set_chat(Chat chat, ServedModel& model, GenerationRequest& out) {
  ChatPrompt prompt = prompt_of(chat, model);
  const int64_t n_ctx = model.engine().n_ctx();
  if (chat.forgets_turns && std::ssize(prompt.tokens) >= n_ctx && turns_to_forget(chat.messages) > 0) {
    forget_turns(chat, model, n_ctx - answer_room(out.request, n_ctx));
    prompt = prompt_of(chat, model);
  }
  RenderedChat& made = prompt.chat;
  made.reading.options.grammar = out.request.grammar;
  out.prompts = {std::move(prompt.tokens)};
  check_length(std::ssize(out.prompts.front()), model, chat.field);
  const ChatOptions& o = made.reading.options;
  const bool tools = has_tools(o.tools);
  if (tools || o.separate_reasoning)
    out.request.grammar.reply = {.format = std::string(made.reading.format->name),
                                 .prompt_end = made.reading.ending,
                                 .reasoning = o.separate_reasoning && made.reading.thinks,
                                 .tools = tools ? callable_tools(o).dump() : "",
                                 .choice = o.tool_choice,
                                 .tool = o.tool,
                                 .parallel = o.parallel_calls};
  out.request.grammar.reply.begun = made.reading.begun;
  out.request.show_special = true;
  out.chat = std::move(made.reading);
  if (!made.continues)
    out.next_turn = [chat = std::make_shared<Chat>(std::move(chat)), &model](const Reply& reply) {
      return serve::next_turn(*chat, reply, model);
    };
}

}  // namespace skald::serve
