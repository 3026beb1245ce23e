// Reads chats of requests.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "io/json.h"
#include "serve/api_error.h"
#include "serve/chat/chat.h"
#include "text/chat/thinking.h"

namespace skald::serve {
namespace {

constexpr std::array<std::string_view, 6> kRoles = {"system", "developer", "user", "assistant", "tool", "function"};

void check_part(const Json& part, const std::string& path) {
  const Fields fields = Fields::of(part, path);
  const std::string type = fields.text("type").value_or("");
  if (type != "text" && type != "input_text" && type != "output_text" && type != "refusal")
    refuse_field(fields.path("type"), "text: other parts are not supported");
  if (!fields.text(type == "refusal" ? "refusal" : "text")) refuse_field(fields.path("text"), "a string");
}

// Parts as the templates know them.
Json text_part(const Json& part) {
  const std::string type = part["type"].get<std::string>();
  return {{"type", "text"}, {"text", part[type == "refusal" ? "refusal" : "text"]}};
}

Json content_of(const Fields& message, bool may_lack) {
  const Json* content = message.find("content");
  if (!content && may_lack) return "";
  return checked_content(content ? *content : Json(), message.path("content"));
}

bool is_json(const std::string& text) {
  try {
    parse_json(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void check_call(const Json& call, const std::string& path) {
  const std::optional<Fields> function = Fields::of(call, path).object("function");
  if (!function) refuse_field(path + ".function", "an object");
  if (!function->text("name")) refuse_field(function->path("name"), "a string");
  const Json* arguments = function->find("arguments");
  if (!arguments || arguments->is_object()) return;
  if (!arguments->is_string() ||
      !(arguments->get_ref<const std::string&>().empty() || is_json(arguments->get<std::string>())))
    refuse_field(function->path("arguments"), "JSON");
}

}  // namespace

std::string check_name(const Fields& function) {
  std::string name = function.text("name").value_or("");
  if (name.empty()) refuse_field(function.path("name"), "a name, which is not empty");
  return name;
}

Json checked_content(const Json& content, const std::string& path) {
  if (content.is_string()) return content;
  if (!content.is_array()) refuse_field(path, "a string or a list of text parts");
  Json out = Json::array();
  for (size_t i = 0; i < content.size(); ++i) {
    check_part(content[i], fmt::format("{}[{}]", path, i));
    out.push_back(text_part(content[i]));
  }
  return out;
}

Json checked_message(const Json& json, const std::string& path) {
  const Fields message = Fields::of(json, path);
  const std::string role = message.text("role").value_or("");
  if (std::ranges::find(kRoles, role) == kRoles.end())
    refuse_field(message.path("role"), "system, developer, user, assistant or tool");
  const Json* calls = message.list("tool_calls");
  for (size_t i = 0; calls && i < calls->size(); ++i)
    check_call((*calls)[i], fmt::format("{}[{}]", message.path("tool_calls"), i));
  Json out = json;
  out["content"] = content_of(message, role == "assistant");
  if (role == "function") out["role"] = "tool";
  if (calls && calls->empty()) out.erase("tool_calls");
  for (const char* key : {"reasoning_content", "reasoning", "thinking", "name", "tool_call_id"})
    if (const Json* value = message.find(key); value && !value->is_string()) refuse_field(message.path(key), "a string");
  return out;
}

// A budget that was said before counts no more where it says the opposite.
void Chat::want_thinking(bool wanted) {
  thinking = wanted;
  if (!wanted)
    reasoning_budget = 0;
  else if (reasoning_budget == 0)
    reasoning_budget = -1;
}

Chat chat_defaults(const ServeOptions& options) {
  Chat out;
  if (!options.chat_template_kwargs.empty()) out.kwargs = Json::parse(options.chat_template_kwargs);
  out.separate_reasoning = options.separate_reasoning;
  out.reasoning_budget = options.reasoning_budget;
  out.reasoning_effort = options.reasoning_effort;
  if (const auto wanted = wanted_thinking(out.reasoning_budget, out.reasoning_effort)) out.want_thinking(*wanted);
  return out;
}

Json checked_messages(const Json& messages, const std::string& path) {
  if (!messages.is_array() || messages.empty()) refuse_field(path, "a list of messages, not an empty one");
  Json out = Json::array();
  for (size_t i = 0; i < messages.size(); ++i) out.push_back(checked_message(messages[i], fmt::format("{}[{}]", path, i)));
  return out;
}

Json checked_tools(const Json& tools, const std::string& path) {
  Json out = Json::array();
  for (size_t i = 0; i < tools.size(); ++i) {
    const std::string at = fmt::format("{}[{}]", path, i);
    const Fields tool = Fields::of(tools[i], at);
    if (!is_of_type(tool, at, "function")) continue;
    const std::optional<Fields> function = tool.object("function");
    if (!function) refuse_field(tool.path("function"), "an object");
    check_name(*function);
    function->text("description");
    if (const Json* schema = function->find("parameters"); schema && !schema->is_object())
      refuse_field(function->path("parameters"), "a JSON schema");
    out.push_back(tools[i]);
  }
  return out;
}

bool is_of_type(const Fields& tool, const std::string& path, std::string_view functions) {
  const std::string type = tool.text("type").value_or(std::string(functions));
  if (type != functions)
    log(LogLevel::kWarn, "serve: {}: a tool of the type {} is left out; functions alone are known", path, type);
  return type == functions;
}

Json function_tool(const Fields& tool, std::string_view schema_key) {
  Json function = {{"name", check_name(tool)}};
  if (const auto description = tool.text("description")) function["description"] = *description;
  if (const Json* schema = tool.find(schema_key)) {
    if (!schema->is_object()) refuse_field(tool.path(schema_key), "a JSON schema");
    function["parameters"] = *schema;
  }
  return {{"type", "function"}, {"function", std::move(function)}};
}

void want_effort(const std::string& effort, Chat& chat) {
  chat.reasoning_effort = effort;
  if (const auto wanted = wanted_thinking(-1, effort)) chat.want_thinking(*wanted);
}

void read_reasoning(const Fields& fields, Chat& chat) {
  if (const auto format = fields.word("reasoning_format", {"none", "auto", "deepseek", "deepseek-legacy"}))
    chat.separate_reasoning = *format != "none";
  const auto budget = fields.integer("reasoning_budget", -1, std::numeric_limits<int32_t>::max());
  const auto effort = fields.text("reasoning_effort");
  if (budget) chat.reasoning_budget = *budget;
  if (effort) chat.reasoning_effort = *effort;
  if (const auto wanted = wanted_thinking(budget.value_or(-1), effort.value_or(""))) chat.want_thinking(*wanted);
}

Chat read_chat(const Fields& fields, const ServeOptions& options) {
  Chat out = chat_defaults(options);
  if (fields.find("chat_template")) refuse_field("chat_template", "none: the server's operator chooses the template");
  const Json* messages = fields.find("messages");
  out.messages = checked_messages(messages ? *messages : Json(), "messages");
  if (const Json* tools = fields.list("tools")) out.tools = checked_tools(*tools, "tools");
  if (const Json* documents = fields.list("documents")) out.documents = *documents;
  if (fields.object("chat_template_kwargs")) {
    if (out.kwargs.is_null()) out.kwargs = Json::object();
    out.kwargs.update(*fields.find("chat_template_kwargs"));
  }
  if (const Json* choice = fields.find("tool_choice")) out.tool_choice = *choice;
  out.parallel_calls = fields.flag("parallel_tool_calls");
  out.continue_final_message = fields.flag("continue_final_message");
  out.add_generation_prompt = fields.flag("add_generation_prompt");
  read_reasoning(fields, out);
  return out;
}

}  // namespace skald::serve
