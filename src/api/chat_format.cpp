#include <optional>
#include <utility>

#include "loading/loaded_model.h"
#include "skald/chat.h"
#include "text/chat/chat_json.h"
#include "text/chat/chat_request.h"
#include "text/chat/chat_template.h"
#include "text/chat/message_json.h"
#include "text/chat/model_templates.h"
#include "text/chat/replies/reply_parser.h"
#include "text/chat/thinking.h"
#include "text/tokenizer.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::string& text, const char* what) { return text.empty() ? Json() : parse_chat_json(text, what); }

ChatRequest request_of(const Chat& chat) {
  ChatRequest out{.messages = Json::array(),
                  .tools = json_of(chat.tools, "tools"),
                  .documents = json_of(chat.documents, "documents"),
                  .kwargs = json_of(chat.kwargs, "kwargs"),
                  .add_generation_prompt = chat.add_generation_prompt && !chat.continue_final_message,
                  .continue_final_message = chat.continue_final_message,
                  .now = {}};
  for (const ChatMessage& message : chat.messages) out.messages.push_back(message_json(message));
  return out;
}

}  // namespace

ReplyStream::ReplyStream(std::unique_ptr<ReplyParser> parser) : parser_(std::move(parser)) {}
ReplyStream::~ReplyStream() = default;
ReplyStream::ReplyStream(ReplyStream&&) noexcept = default;
ReplyStream& ReplyStream::operator=(ReplyStream&&) noexcept = default;
std::vector<ReplyDelta> ReplyStream::push(std::string_view text) { return parser_->push(text); }
std::vector<ReplyDelta> ReplyStream::finish(bool truncated) { return parser_->finish(truncated); }

struct ChatFormat::State {
  State(const Model& of, std::string_view wanted)
      : model(of.loaded()), tokenizer(model->tokenizer()), templates(model->meta(), tokenizer, wanted) {}

  ChatPrompt prompt(ChatRequest request) const;

  std::shared_ptr<const LoadedModel> model;
  const Tokenizer& tokenizer;
  ModelTemplates templates;
};

ChatPrompt ChatFormat::State::prompt(ChatRequest request) const {
  const bool tools = has_tools(request.tools);
  const ChatTemplate& made_by = templates.of(tools);
  const MarkedText text = made_by.render(request);
  ChatPrompt out{.text = text.bytes(), .tokens = prompt_tokens(tokenizer, text), .ending = {}, .tools = {}};
  if (tools) out.tools = request.tools.dump();
  if (request.add_generation_prompt) {
    request.add_generation_prompt = false;
    out.ending = generation_prompt(out.text, made_by.render(request).bytes());
  }
  return out;
}

ChatFormat::ChatFormat(const Model& model, std::string_view chat_template)
    : state_(std::make_unique<State>(model, chat_template)) {}
ChatFormat::~ChatFormat() = default;
ChatFormat::ChatFormat(ChatFormat&&) noexcept = default;
ChatFormat& ChatFormat::operator=(ChatFormat&&) noexcept = default;

ChatPrompt ChatFormat::prompt(const Chat& chat) const { return state_->prompt(request_of(chat)); }
ChatPrompt ChatFormat::prompt(std::string_view json) const {
  return state_->prompt(read_chat_request(parse_chat_json(json, "chat"), "chat"));
}

ReplyStream ChatFormat::reply(const ChatPrompt& prompt) const {
  ReplyOptions options{.generation_prompt = prompt.ending};
  if (!prompt.tools.empty()) options.tools = ReplyTools::parse(prompt.tools);
  return ReplyStream(std::make_unique<ReplyParser>(state_->templates.format(), std::move(options)));
}

ReplyParams ChatFormat::reply_params(const ChatPrompt& prompt) const {
  const std::string& source = state_->templates.of(!prompt.tools.empty()).source();
  return {.format = reply_format(),
          .prompt_end = prompt.ending,
          .reasoning = can_think(state_->templates.format(), source, state_->tokenizer.vocab()),
          .tools = prompt.tools};
}

const std::string& ChatFormat::source(bool with_tools) const { return state_->templates.of(with_tools).source(); }
std::string ChatFormat::reply_format() const { return std::string(state_->templates.format().name); }

}  // namespace skald
