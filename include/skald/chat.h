// Chats: messages become a prompt by the model's chat template, and the model's text becomes content, reasoning and tool
// calls.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "skald/grammar_params.h"
#include "skald/model.h"
#include "skald/reply.h"
#include "skald/types.h"

namespace skald {
class ReplyParser;
}

#pragma GCC visibility push(default)
namespace skald {

/// Holds a message of a chat.
struct ChatMessage {
  std::string role;  // "system", "user", "assistant", "tool", or another one that the template knows
  std::string content = {};
  std::string reasoning = {};         // of an assistant
  std::vector<ReplyCall> calls = {};  // likewise
  std::string call_id = {};           // of a tool's result: the call that it answers
  std::string name = {};              // of a tool
};

/// Holds a chat; JSON texts are those of the chat API, and empty ones say nothing.
struct Chat {
  std::vector<ChatMessage> messages = {};
  std::string tools = {};               // a JSON list of tools that the model may call
  std::string documents = {};           // a JSON list
  std::string kwargs = {};              // a JSON object: more variables for the template, which win over all others
  bool add_generation_prompt = true;    // the prompt ends with the beginning of an answer
  bool continue_final_message = false;  // or inside of the last message
};

struct ChatPrompt {
  std::string text;
  std::vector<TokenId> tokens;  // control tokens are those that the template wrote
  std::string ending;           // of the text: the beginning of the answer
  std::string tools;            // as in Chat
};

/// Reads a reply as it comes. The deltas of a text, put together, do not depend on the pieces in which it came.
class ReplyStream {
 public:
  explicit ReplyStream(std::unique_ptr<ReplyParser> parser);
  ~ReplyStream();
  ReplyStream(ReplyStream&&) noexcept;
  ReplyStream& operator=(ReplyStream&&) noexcept;

  /// Reads text with the names of control tokens (Request::show_special). It may end within a character or a marker.
  std::vector<ReplyDelta> push(std::string_view text);
  /// Ends the reply, once. `truncated`: it was cut off, so that a call that has not ended is none.
  std::vector<ReplyDelta> finish(bool truncated = false);

 private:
  std::unique_ptr<ReplyParser> parser_;
};

/// Knows a model's chat template and the format of its replies. Immutable: several threads may use it at once.
class ChatFormat {
 public:
  /// Takes a template in Jinja, or the name of a built-in one. An empty one means that of the model's file, else that of its
  /// family, else ChatML with a line in the log. Throws Error (kBadInput) naming the line of a template that is wrong.
  explicit ChatFormat(const Model& model, std::string_view chat_template = {});
  ~ChatFormat();
  ChatFormat(ChatFormat&&) noexcept;
  ChatFormat& operator=(ChatFormat&&) noexcept;

  /// Renders as transformers' apply_chat_template does. Throws Error (kBadInput) naming the fault: a part that is no JSON,
  /// or the template's line.
  ChatPrompt prompt(const Chat& chat) const;
  /// Renders JSON: a list of messages, or a request of the chat API with messages, tools, documents, add_generation_prompt,
  /// continue_final_message and chat_template_kwargs. Its other members say nothing here.
  ChatPrompt prompt(std::string_view json) const;
  /// Reads the reply to a prompt.
  ReplyStream reply(const ChatPrompt& prompt) const;

  /// Makes the text a reply to the prompt (GrammarParams::reply). Its tools alone may be called, with arguments that fit
  /// their schemas, and the grammar's own text is about the content after the reasoning.
  ReplyParams reply_params(const ChatPrompt& prompt) const;

  /// Returns the Jinja text; that for chats with tools, where the model has two.
  const std::string& source(bool with_tools = false) const;
  /// Names the format in which the model calls tools; "none" where the template knows no tools.
  std::string reply_format() const;

 private:
  struct [[gnu::visibility("hidden")]] State;
  std::unique_ptr<State> state_;
};

}  // namespace skald
#pragma GCC visibility pop
