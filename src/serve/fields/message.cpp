#include "serve/fields/message.h"

#include <fmt/format.h>

#include <utility>

#include "serve/api_error.h"

namespace skald::serve {
namespace {

Json text_part(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

// A string, or blocks of which all are text.
Json text_content(const Json& content, const std::string& path) {
  if (content.is_string()) return content;
  if (!content.is_array()) refuse_field(path, "a string or a list of text blocks");
  Json out = Json::array();
  for (size_t i = 0; i < content.size(); ++i) {
    const Fields block = Fields::of(content[i], fmt::format("{}[{}]", path, i));
    if (block.text("type").value_or("") != "text") refuse_field(block.path("type"), "text: other blocks are not supported");
    const std::optional<std::string> text = block.text("text");
    if (!text) refuse_field(block.path("text"), "a string");
    out.push_back(text_part(*text));
  }
  return out;
}

/// A message's blocks as messages of the chat API: results of tools are messages of their own.
class Turn {
 public:
  Turn(std::string role, std::string path) : role_(std::move(role)), path_(std::move(path)) {}

  void add(const Json& json, size_t i) {
    const Fields block = Fields::of(json, fmt::format("{}.content[{}]", path_, i));
    const std::string type = block.text("type").value_or("");
    if (type == "text") {
      const std::optional<std::string> text = block.text("text");
      if (!text) refuse_field(block.path("text"), "a string");
      return parts_.push_back(text_part(*text));
    }
    if (type == "thinking") return add_thinking(block);
    if (type == "redacted_thinking") return;
    if (type == "tool_use") return add_call(block);
    if (type == "tool_result") return add_result(block);
    refuse_field(block.path("type"), "text, thinking, tool_use or tool_result");
  }

  // Results come first: they answer the calls before.
  void move_to(Json& messages) {
    for (Json& result : results_) messages.push_back(std::move(result));
    if (parts_.empty() && calls_.empty() && reasoning_.empty() && !results_.empty()) return;
    Json out = {{"role", role_}, {"content", parts_.empty() ? Json("") : std::move(parts_)}};
    if (!reasoning_.empty()) out["reasoning_content"] = reasoning_;
    if (!calls_.empty()) out["tool_calls"] = std::move(calls_);
    messages.push_back(std::move(out));
  }

 private:
  void add_thinking(const Fields& block) {
    const std::optional<std::string> text = block.text("thinking");
    if (!text) refuse_field(block.path("thinking"), "a string");
    reasoning_ += *text;
  }
  void add_call(const Fields& block) {
    const std::optional<std::string> name = block.text("name");
    if (!name) refuse_field(block.path("name"), "a string");
    const Json* input = block.find("input");
    if (input && !input->is_object()) refuse_field(block.path("input"), "an object");
    calls_.push_back({{"id", block.text("id").value_or("")},
                      {"type", "function"},
                      {"function", {{"name", *name}, {"arguments", input ? *input : Json::object()}}}});
  }
  void add_result(const Fields& block) {
    const Json* content = block.find("content");
    results_.push_back({{"role", "tool"},
                        {"tool_call_id", block.text("tool_use_id").value_or("")},
                        {"content", content ? text_content(*content, block.path("content")) : Json("")}});
  }

  std::string role_, path_, reasoning_;
  Json parts_ = Json::array(), calls_ = Json::array();
  std::vector<Json> results_;
};

void add_message(const Json& json, const std::string& path, Json& out) {
  const Fields message = Fields::of(json, path);
  const std::string role = message.word("role", {"user", "assistant", "system"}).value_or("");
  if (role.empty()) refuse_field(message.path("role"), "user or assistant");
  const Json* content = message.find("content");
  if (content && content->is_string()) return out.push_back({{"role", role}, {"content", *content}});
  if (!content || !content->is_array()) refuse_field(message.path("content"), "a string or a list of blocks");
  Turn turn(role, path);
  for (size_t i = 0; i < content->size(); ++i) turn.add((*content)[i], i);
  turn.move_to(out);
}

Json message_tools(const Json& tools) {
  Json out = Json::array();
  for (size_t i = 0; i < tools.size(); ++i) {
    const std::string path = fmt::format("tools[{}]", i);
    const Fields tool = Fields::of(tools[i], path);
    check_name(tool);
    if (!is_of_type(tool, path, "custom")) continue;
    out.push_back(function_tool(tool, "input_schema"));
    Json& function = out.back()["function"];
    if (!function.contains("parameters")) function["parameters"] = {{"type", "object"}};
  }
  return out;
}

void read_choice(const Fields& choice, Chat& chat) {
  const std::string type = choice.word("type", {"auto", "any", "tool", "none"}).value_or("");
  if (type.empty()) refuse_field(choice.path("type"), "auto, any, tool or none");
  if (const auto disable = choice.flag("disable_parallel_tool_use")) chat.parallel_calls = !*disable;
  if (type != "tool") {
    chat.tool_choice = type == "any" ? "required" : type;
    return;
  }
  const std::optional<std::string> name = choice.text("name");
  if (!name) refuse_field(choice.path("name"), "the name of a tool");
  chat.tool_choice = {{"type", "function"}, {"function", {{"name", *name}}}};
}

void read_thinking(const Fields& thinking, Chat& chat) {
  const std::string type = thinking.word("type", {"enabled", "disabled", "adaptive"}).value_or("");
  if (type.empty()) refuse_field(thinking.path("type"), "enabled, disabled or adaptive");
  chat.want_thinking(type != "disabled");
  if (const auto budget = thinking.integer("budget_tokens", 1, std::numeric_limits<int32_t>::max());
      budget && type == "enabled")
    chat.reasoning_budget = *budget;
}

void read_output(const Fields& config, Chat& chat, GenerationRequest& out) {
  read_output_format(config, "format", {"json_schema"}, out);
  if (const auto effort = config.word("effort", {"low", "medium", "high", "xhigh", "max"})) chat.reasoning_effort = *effort;
}

}  // namespace

Chat read_messages(const Fields& fields, const ServeOptions& options, GenerationRequest& generation) {
  Chat out = chat_defaults(options);
  const Json* messages = fields.find("messages");
  if (!messages || !messages->is_array() || messages->empty())
    refuse_field("messages", "a list of messages, not an empty one");
  if (const Json* system = fields.find("system"))
    out.messages.push_back({{"role", "system"}, {"content", text_content(*system, "system")}});
  for (size_t i = 0; i < messages->size(); ++i) add_message((*messages)[i], fmt::format("messages[{}]", i), out.messages);
  if (const Json* tools = fields.list("tools")) out.tools = message_tools(*tools);
  if (const std::optional<Fields> choice = fields.object("tool_choice")) read_choice(*choice, out);
  if (const std::optional<Fields> thinking = fields.object("thinking")) read_thinking(*thinking, out);
  if (const std::optional<Fields> config = fields.object("output_config")) read_output(*config, out, generation);
  read_output_format(fields, "output_format", {"json_schema"}, generation);  // its name before
  fields.object("metadata");
  fields.not_followed("metadata");
  return out;
}

}  // namespace skald::serve
