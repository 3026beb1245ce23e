// ChatTemplate: the prompt that a chat becomes, as transformers' apply_chat_template makes it.
#pragma once

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skald/types.h"
#include "text/chat/jinja/run/budget.h"
#include "text/marked_text.h"

namespace skald {

class Tokenizer;

namespace jinja {
class Template;
}

/// The parts of one prompt, as in the chat API. JSON that is null counts as not given.
struct ChatRequest {
  nlohmann::ordered_json messages;   // a list of objects
  nlohmann::ordered_json tools;      // a list of objects
  nlohmann::ordered_json documents;  // a list of objects
  nlohmann::ordered_json kwargs;     // an object: more variables for the template, which win over all others
  bool add_generation_prompt = true;
  bool continue_final_message = false;  // the prompt ends inside the last message
  std::optional<std::tm> now;           // the time of strftime_now(); without: the local time
};

/// Texts of special tokens by the names that templates know: ("bos_token", "<s>").
using SpecialTexts = std::vector<std::pair<std::string, std::string>>;
SpecialTexts special_texts(const Tokenizer& tokenizer);

/// Immutable after creation: several threads may render at once.
class ChatTemplate {
 public:
  /// Throws Error (kBadInput) naming the line of a template that is wrong.
  explicit ChatTemplate(std::string source, SpecialTexts special = {}, const jinja::Limits& limits = {});
  ChatTemplate(ChatTemplate&&) noexcept;
  ~ChatTemplate();

  /// Renders the prompt, with the author of each byte: the template, or messages, tools, documents and kwargs. Unlike
  /// transformers, it shows arguments of tool calls that are JSON text as objects, and as text where the template fails so.
  /// Contents that are lists of texts are joined by line feeds where the template does not read such lists. Ids of calls
  /// have the form that the template's format wants. A template that fails is helped: messages with calls, reasoning and
  /// content go without the content, and tools that are not there are none. Throws Error (kBadInput) naming the template's
  /// line, or the request's fault.
  MarkedText render(const ChatRequest& request) const;

  const std::string& source() const { return source_; }

 private:
  std::string source_;
  SpecialTexts special_;
  jinja::Limits limits_;
  std::unique_ptr<jinja::Template> template_;
  bool short_ids_;  // of calls
};

/// Returns the tokens of a prompt: control tokens are those that the template wrote. BOS is there once: where the template
/// writes it, else in front if the vocabulary asks for one.
std::vector<TokenId> prompt_tokens(const Tokenizer& tokenizer, const MarkedText& prompt);

/// Returns the generation prompt: the end of a prompt with it, where the one without it is its beginning, else nothing.
std::string generation_prompt(std::string_view with, std::string_view without);

}  // namespace skald
