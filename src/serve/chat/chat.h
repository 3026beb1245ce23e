// Chat: a conversation in the words of OpenAI's chat API, which the other APIs are brought into; and the prompt it becomes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/fields/fields.h"
#include "serve/fields/generation_request.h"
#include "serve/json.h"
#include "serve/models/served_model.h"
#include "serve/options.h"
#include "serve/request_context.h"

namespace skald::serve {

struct Chat {
  std::string field = "messages";  // of the request, that has them
  Json messages = Json::array();
  Json tools = nullptr;   // a list of functions
  Json kwargs = nullptr;  // an object: variables for the template
  Json documents = nullptr;
  Json tool_choice = nullptr;               // as the API's
  std::optional<bool> parallel_calls = {};  // several in one answer; nothing: where the model has a form for them
  // Nothing: an answer at the messages' end is continued, else another one begins.
  std::optional<bool> add_generation_prompt = {}, continue_final_message = {};
  bool forgets_turns = false;  // the oldest, where the context has no room for them; else that is an error
  bool separate_reasoning = true;
  int64_t reasoning_budget = -1;
  std::string reasoning_effort = {};
  std::optional<bool> thinking = {};  // whether it is asked for; nothing: as the template likes

  /// Whether thinking is wanted: the last call counts.
  void want_thinking(bool wanted);
};

/// Makes a chat of the options' defaults.
Chat chat_defaults(const ServeOptions& options);

/// Throws ApiError naming the fault by its path below `path`: roles, contents, arguments of calls that are no JSON. Contents
/// that are lists of text parts stay so; roles that a template may not know become those that it does.
Json checked_messages(const Json& messages, const std::string& path);
Json checked_message(const Json& message, const std::string& path);
/// Returns a message's content: a text, or a list of text parts as templates know them. Throws ApiError.
Json checked_content(const Json& content, const std::string& path);
/// Tools that are no functions are left out with a line in the log.
Json checked_tools(const Json& tools, const std::string& path);

/// Returns whether a tool is a function, for which the API's word is `functions`; a line in the log tells of others, which
/// are left out.
bool is_of_type(const Fields& tool, const std::string& path, std::string_view functions);
/// Gives the `name` of a function. Throws ApiError where it is no text or an empty one.
std::string check_name(const Fields& function);
/// Makes the chat API's form of another API's tool, whose field `schema_key` is the schema.
Json function_tool(const Fields& tool, std::string_view schema_key);

/// Reads the fields of the chat API: messages, tools and their use.
Chat read_chat(const Fields& fields, const ServeOptions& options);
/// `reasoning_format`, `reasoning_budget`, `reasoning_effort`.
void read_reasoning(const Fields& fields, Chat& chat);
/// An effort of thinking in other APIs' words.
void want_effort(const std::string& effort, Chat& chat);

/// The prompt's text, and the reading of the answer.
struct RenderedChat {
  MarkedText text;
  ChatReading reading;
  bool continues = false;  // the answer goes on with the last message
};
/// Throws ApiError for a chat that the template rejects.
RenderedChat render(Chat chat, ServedModel& model);

/// Leaves out, and notes, text that clients put in front of the system text for other readers.
void leave_out_volatile(Chat& chat, RequestContext& context);

/// Makes the chat the one prompt of `out`, whose grammar is then about the answer's content, after the reasoning.
void set_chat(Chat chat, ServedModel& model, GenerationRequest& out);

}  // namespace skald::serve
