#include "serve/fields/response.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "serve/api_error.h"
#include "tools/chat/tool_choice.h"

namespace skald::serve {
namespace {

/// Items one after the other as messages of the chat API: what the assistant thought and called goes into one message.
class Items {
 public:
  explicit Items(Json& messages) : messages_(messages) {}

  void add(const Json& json, const std::string& path) {
    const Fields item = Fields::of(json, path);
    const std::string type = item.text("type").value_or("message");
    if (type == "message") return add_message(json, path);
    if (type == "reasoning") return add_reasoning(item);
    if (type == "function_call") return add_call(item);
    if (type == "function_call_output") return add_output(item);
    refuse_field(item.path("type"), "message, reasoning, function_call or function_call_output");
  }

 private:
  void add_message(const Json& json, const std::string& path) {
    Json message = checked_message(json, path);
    message.erase("type");
    message.erase("id");
    message.erase("status");
    if (is_text(message["role"], "assistant") && !reasoning_.empty())
      message["reasoning_content"] = std::exchange(reasoning_, {});
    messages_.push_back(std::move(message));
  }
  void add_reasoning(const Fields& item) {
    const Json* content = item.list("content");
    for (size_t i = 0; content && i < content->size(); ++i) {
      const Fields part = Fields::of((*content)[i], fmt::format("{}[{}]", item.path("content"), i));
      reasoning_ += part.text("text").value_or("");
    }
  }
  void add_call(const Fields& item) {
    const std::optional<std::string> name = item.text("name");
    if (!name) refuse_field(item.path("name"), "a string");
    const std::string arguments = item.text("arguments").value_or("{}");
    if (!Json::accept(arguments)) refuse_field(item.path("arguments"), "JSON");
    const bool goes_on = !messages_.empty() && is_text(messages_.back()["role"], "assistant");
    if (!goes_on) messages_.push_back({{"role", "assistant"}, {"content", ""}});
    Json& message = messages_.back();
    if (!reasoning_.empty()) message["reasoning_content"] = std::exchange(reasoning_, {});
    message["tool_calls"].push_back({{"id", item.text("call_id").value_or("")},
                                     {"type", "function"},
                                     {"function", {{"name", *name}, {"arguments", arguments}}}});
  }
  void add_output(const Fields& item) {
    const Json* output = item.find("output");
    if (!output) refuse_field(item.path("output"), "a string or a list of text parts");
    messages_.push_back({{"role", "tool"},
                         {"tool_call_id", item.text("call_id").value_or("")},
                         {"content", checked_content(*output, item.path("output"))}});
  }

  Json& messages_;
  std::string reasoning_;
};

Json response_tools(const Json& tools) {
  Json out = Json::array();
  for (size_t i = 0; i < tools.size(); ++i) {
    const std::string path = fmt::format("tools[{}]", i);
    const Fields tool = Fields::of(tools[i], path);
    if (is_of_type(tool, path, "function")) out.push_back(function_tool(tool, "parameters"));
  }
  return out;
}

// {"type": "function", "name": ...}, as the chat API has it.
Json choice_of(const Json& choice) {
  if (!choice.is_object() || !choice.contains("name")) return choice;
  return {{"type", "function"}, {"function", {{"name", choice["name"]}}}};
}

}  // namespace

Chat read_response_request(const Fields& fields, const ServeOptions& options, GenerationRequest& out) {
  Chat chat = chat_defaults(options);
  chat.field = "input";
  if (fields.find("previous_response_id"))
    refuse_field("previous_response_id", "none: responses are not stored; send the whole conversation as input");
  if (fields.find("conversation")) refuse_field("conversation", "none: conversations are not stored");
  if (fields.flag("background").value_or(false)) refuse_field("background", "false: responses are not stored");
  fields.integer("n", 1, 1);
  chat.forgets_turns = fields.word("truncation", {"auto", "disabled"}) == "auto";
  if (fields.flag("store").value_or(false)) fields.not_followed("store");
  fields.object("metadata");
  if (const auto instructions = fields.text("instructions"))
    chat.messages.push_back({{"role", "system"}, {"content", *instructions}});
  const Json* input = fields.find("input");
  if (!input || (!input->is_string() && !input->is_array()) || input->empty())
    refuse_field("input", "a text or a list of items");
  if (input->is_string()) {
    chat.messages.push_back({{"role", "user"}, {"content", *input}});
  } else {
    Items items(chat.messages);
    for (size_t i = 0; i < input->size(); ++i) items.add((*input)[i], fmt::format("input[{}]", i));
  }
  if (const Json* tools = fields.list("tools")) chat.tools = response_tools(*tools);
  if (const Json* choice = fields.find("tool_choice")) chat.tool_choice = choice_of(*choice);
  chat.parallel_calls = fields.flag("parallel_tool_calls");
  if (const std::optional<Fields> text = fields.object("text"))
    read_output_format(*text, "format", {"text", "json_object", "json_schema"}, out);
  if (const std::optional<Fields> reasoning = fields.object("reasoning"))
    if (const auto effort = reasoning->text("effort")) want_effort(*effort, chat);
  read_reasoning(fields, chat);
  return chat;
}

}  // namespace skald::serve
