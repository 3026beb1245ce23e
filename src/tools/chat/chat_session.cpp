#include "tools/chat/chat_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "loading/loaded_model.h"
#include "text/chat/adapted_chat.h"
#include "text/chat/chat_request.h"
#include "text/chat/message_json.h"
#include "text/chat/thinking.h"
#include "text/tokenizer.h"
#include "tools/chat/answer_reader.h"
#include "tools/chat/chat_turns.h"
#include "tools/chat/reasoning_budget.h"

namespace skald {
namespace {

using Json = ChatSession::Json;

constexpr ConversationId kConversation = 1;
constexpr int64_t kSlot = 0;  // a chat has one answer at a time
constexpr const char* kOwner = "";
// An answer should have an eighth of the context, if it is not to be shorter.
constexpr int64_t kShareForAnswer = 8;

size_t last_of(const Json& messages, std::string_view role) {
  for (size_t i = messages.size(); i > 0; --i)
    if (has_role(messages[i - 1], role)) return i - 1;
  return messages.size();
}

void cut(Json& messages, size_t from) {
  messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(from), messages.end());
}

std::string text_of(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string out;
  if (content.is_array())
    for (const Json& part : content)
      if (part.is_object() && part.contains("text") && part["text"].is_string())
        out += (out.empty() ? "" : "\n") + part["text"].get<std::string>();
  return out;
}

bool is_told_not_to_think(const ChatOptions& options) {
  return options.reasoning_budget == 0 || thinking_is_off(options.kwargs);
}

void check_messages(const Json& messages) {
  if (!messages.is_array()) fail(Errc::kBadInput, "want a list of messages");
  for (size_t i = 0; i < messages.size(); ++i)
    if (!messages[i].is_object() || !messages[i].contains("role") || !messages[i]["role"].is_string())
      fail(Errc::kBadInput, "message {}: want an object with a role", i);
}

}  // namespace

Json with_system(Json messages, std::string_view text) {
  if (!messages.empty() && has_role(messages[0], "system")) messages.erase(messages.begin());
  if (!text.empty()) messages.insert(messages.begin(), Json{{"role", "system"}, {"content", text}});
  return messages;
}

AdaptedChat rendered_chat(const ChatTemplate& chat_template, const ChatOptions& options, const Json& messages) {
  const bool continues = options.continues.value_or(ends_with_answer(messages));
  AdaptedChat out = adapted_chat(chat_template, {.messages = messages,
                                                 .tools = options.tools,
                                                 .documents = options.documents,
                                                 .kwargs = options.kwargs,
                                                 .add_generation_prompt = !continues,
                                                 .continue_final_message = continues,
                                                 .now = {}});
  if (is_told_not_to_think(options)) end_thinking(detect_reply_format(chat_template.source()), out);
  return out;
}

Json callable_tools(const ChatOptions& options) {
  if (options.callable.empty() || !options.tools.is_array()) return options.tools;
  Json out = Json::array();
  for (const Json& tool : options.tools) {
    const Json& function = tool.is_object() && tool.contains("function") ? tool["function"] : tool;
    if (std::ranges::find(options.callable, function.value("name", "")) != options.callable.end()) out.push_back(tool);
  }
  return out;
}

ChatSession::ChatSession(const Model& model, Engine& engine, ChatTemplate chat_template, ChatOptions options)
    : model_(model),
      engine_(engine),
      template_(std::move(chat_template)),
      format_(detect_reply_format(template_.source())),
      options_(std::move(options)),
      tools_(options_.tools.is_array() ? ReplyTools::parse(callable_tools(options_).dump()) : ReplyTools()),
      thinks_(!is_told_not_to_think(options_) &&
              can_think(format_, template_.source(), model.loaded()->tokenizer().vocab())) {}

ChatSession::~ChatSession() { engine_.forget(kConversation); }

void ChatSession::set_messages(Json messages) {
  check_messages(messages);
  messages_ = std::move(messages);
  attempt_ = 0;
}

void ChatSession::set_system(std::string_view text) { messages_ = with_system(std::move(messages_), text); }

void ChatSession::clear() { cut(messages_, first_turn()); }

void ChatSession::say(std::string_view text) {
  messages_.push_back({{"role", "user"}, {"content", text}});
  attempt_ = 0;
}

std::vector<std::string> ChatSession::open_calls() const {
  std::vector<std::string> names;
  const size_t answer = last_of(messages_, "assistant");
  if (answer == messages_.size() || !messages_[answer].contains("tool_calls")) return names;
  const Json& calls = messages_[answer]["tool_calls"];
  for (size_t i = messages_.size() - answer - 1; i < calls.size(); ++i) names.push_back(calls[i]["function"]["name"]);
  return names;
}

bool ChatSession::give_result(std::string_view text) {
  const std::vector<std::string> open = open_calls();
  if (open.empty()) return false;
  const Json& calls = messages_[last_of(messages_, "assistant")]["tool_calls"];
  const Json& call = calls[calls.size() - open.size()];
  messages_.push_back({{"role", "tool"}, {"tool_call_id", call["id"]}, {"name", open.front()}, {"content", text}});
  attempt_ = 0;
  return true;
}

bool ChatSession::take_back_answer() {
  const size_t user = last_of(messages_, "user");
  if (user == messages_.size()) return false;
  if (user + 1 < messages_.size()) ++attempt_;
  cut(messages_, user + 1);
  return true;
}

std::optional<std::string> ChatSession::take_back_message() {
  const size_t user = last_of(messages_, "user");
  if (user == messages_.size()) return {};
  std::string text = text_of(messages_[user].value("content", Json()));
  cut(messages_, user);
  return text;
}

SlotFile ChatSession::save_keys(const std::string& folder, const std::string& name) {
  return answered_ ? engine_.save_slot(kSlot, kOwner, folder, name) : SlotFile();
}

// Keys of the chat before would be taken first.
int64_t ChatSession::load_keys(const std::string& folder, const std::string& name) {
  const SlotFile file = engine_.restore_slot(kSlot, kOwner, folder, name);
  engine_.forget(kConversation);
  answered_ = true;
  return file.tokens;
}

std::vector<TokenId> ChatSession::prompt() const { return prompt_tokens(model_.loaded()->tokenizer(), rendered().text); }

int64_t ChatSession::wanted_room() const {
  const int64_t share = std::max<int64_t>(1, n_ctx() / kShareForAnswer);
  return options_.max_tokens >= 0 ? std::min<int64_t>(share, options_.max_tokens) : share;
}

ChatSession::Prompt ChatSession::fitting_prompt(int64_t& left_out) {
  const Json all = messages_;
  int64_t most = n_ctx() - wanted_room();
  for (;;) {
    Prompt out{.shown = rendered()};
    out.tokens = prompt_tokens(model_.loaded()->tokenizer(), out.shown.text);
    const int64_t n = std::ssize(out.tokens);
    if (n <= most) return out;
    // Where turns are left out, all later ones are read anew: room for several turns is made at once.
    most = n_ctx() / 2;
    if (options_.forgets_turns && forget_oldest_turn()) {
      ++left_out;
      continue;
    }
    if (n <= n_ctx()) return out;
    messages_ = all;
    fail(Errc::kBadInput, "the message takes {} tokens with what the template adds, the context has {}", n, n_ctx());
  }
}

// After the system message, if there is one.
size_t ChatSession::first_turn() const { return !messages_.empty() && has_role(messages_[0], "system") ? 1 : 0; }

std::string ChatSession::system() const { return first_turn() ? text_of(messages_[0].value("content", Json())) : ""; }

bool ChatSession::forget_oldest_turn() {
  if (turns_to_forget(messages_) == 0) return false;
  messages_ = without_turns(std::move(messages_), 1);
  return true;
}

// Where reasoning is not told apart, all is content.
GrammarParams ChatSession::grammar(const AdaptedChat& prompt) const {
  GrammarParams out = options_.grammar;
  out.reply.begun = prompt.begun;
  const bool tools = has_tools(options_.tools);
  if (!tools && !options_.separate_reasoning) return out;
  out.reply = {.format = std::string(format_.name),
               .prompt_end = prompt.ending,
               .begun = prompt.begun,
               .reasoning = thinks_ && prompt.begun.empty() && options_.separate_reasoning,
               .tools = tools ? callable_tools(options_).dump() : "",
               .choice = options_.tool_choice,
               .tool = options_.tool,
               .parallel = options_.parallel_calls};
  return out;
}

Request ChatSession::engine_request(std::vector<TokenId> prompt, const AdaptedChat& shown) const {
  Request out{.prompt = std::move(prompt),
              .max_tokens = options_.max_tokens,
              .ignore_eos = options_.ignore_eos,
              .show_special = true,
              .stop = options_.stop,
              .conversation = kConversation,
              .reuse_generated = options_.reuse_generated,
              .sampling = options_.sampling,
              .grammar = grammar(shown),
              .forcer = reasoning_budget(model_.loaded()->tokenizer(),
                                         {&format_, shown.ending + shown.begun, options_.reasoning_budget}),
              .on_event = {}};
  if (out.sampling.seed != SamplingParams::kRandomSeed) out.sampling.seed += attempt_;
  return out;
}

Result ChatSession::run(Request request, AnswerReader& reader, const ChatHears& hears) {
  request.on_event = [&reader](const Event& e) { reader.push(e); };
  const auto total = static_cast<int64_t>(request.prompt.size());
  if (hears.prompt) request.on_prompt = [&hears, total](int64_t done) { hears.prompt(done, total); };
  Result result = engine_.generate(std::move(request), hears.stop);
  if (result.finish == FinishReason::kError) throw Error(result.code.value_or(Errc::kInternal), result.error);
  return result;
}

ChatAnswer ChatSession::answer(const ChatHears& hears) {
  ChatAnswer out;
  auto [shown, prompt] = fitting_prompt(out.n_left_out);
  if (hears.begin) hears.begin(prompt);
  AnswerReader reader(format_, {.tools = tools_, .generation_prompt = shown.ending + shown.begun}, options_, hears.delta);
  out.result = run(engine_request(std::move(prompt), shown), reader, hears);
  const FinishReason why = out.result.finish;
  out.reply = reader.finish(/*truncated=*/why == FinishReason::kLength || why == FinishReason::kContext);
  answered_ = true;
  out.n_context = out.result.timing.n_prompt + out.result.timing.n_generated;
  add(out.reply);
  return out;
}

// Ids as some templates want them: nine letters and digits. An answer that was continued stays one message.
void ChatSession::add(const Reply& reply) {
  const bool continued = ends_with_answer(messages_) && options_.continues.value_or(true);
  ChatMessage message{.role = "assistant", .content = reply.content, .reasoning = reply.reasoning, .calls = reply.calls};
  for (size_t i = 0; i < message.calls.size(); ++i)
    if (std::string& id = message.calls[i].id; id.empty()) id = fmt::format("call{:05}", messages_.size() * 8 + i);
  if (continued) {
    message.content = text_of(messages_.back().value("content", Json(""))) + message.content;
    if (message.reasoning.empty()) message.reasoning = text_of(messages_.back().value("reasoning_content", Json("")));
    cut(messages_, messages_.size() - 1);
  }
  messages_.push_back(message_json(message));
}

}  // namespace skald
