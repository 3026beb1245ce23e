// The form that a text must have: a grammar, a regular expression or a JSON schema.
#pragma once

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)
namespace skald {

/// Allows white space between the parts of a JSON value; never around the whole.
enum class JsonWhitespace : uint8_t {
  kFlexible,  // at each place nothing, a space, or a line feed and up to 64 blanks
  kSingle,    // at most one space, after ":" and ","
  kNone,
};

/// Describes a chat model's reply: how the model writes reasoning and calls of tools.
struct ReplyParams {
  enum class ToolChoice : uint8_t { kNone, kAuto, kRequired };  // no call; calls and text, as the model likes; calls

  std::string format = {};      // a name that `skald parse-reply --list` knows; empty: the text is no reply
  std::string prompt_end = {};  // the end of the prompt after the last message
  std::string begun = {};  // after that: content of the reply. The text goes on with a sentence that begins so, if there
                           // is one
  bool reasoning = true;   // the reply may begin with reasoning, and goes on with that in which the prompt ends
  std::string tools = {};  // that may be called: a JSON list as the chat API's; empty: none
  ToolChoice choice = ToolChoice::kAuto;
  std::string tool = {};  // the only one that may be called; empty: any
  bool parallel = true;   // several calls, else at most one

  friend bool operator==(const ReplyParams&, const ReplyParams&) = default;
};

/// Constrains a text. With a reply, `text` is about its content, after the reasoning. Calls of tools, if there are any, have
/// known names and arguments that fit the tools' schemas.
struct GrammarParams {
  enum class Kind : uint8_t { kNone, kGbnf, kRegex, kJsonSchema };

  Kind kind = Kind::kNone;
  std::string text = {};                                // in the kind's notation
  JsonWhitespace whitespace = JsonWhitespace::kSingle;  // of a JSON schema, and of arguments that are JSON
  ReplyParams reply = {};

  /// Returns whether any text will do.
  bool empty() const { return kind == Kind::kNone && (reply.format.empty() || reply.tools.empty()); }
  friend bool operator==(const GrammarParams&, const GrammarParams&) = default;
};

}  // namespace skald
#pragma GCC visibility pop
