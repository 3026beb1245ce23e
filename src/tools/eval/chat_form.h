// ChatForm: tasks as a user of a chat sets them, and answers as the user reads them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "text/chat/chat_template.h"
#include "text/chat/replies/reply_format.h"
#include "tools/eval/eval_suite.h"

namespace skald {

struct ChatFormOptions {
  std::string chat_template;      // Jinja
  std::string system = {};        // message; empty: none
  nlohmann::ordered_json kwargs;  // more variables for the template
  int64_t n_predict = 256;        // most tokens of an answer, with the thinking before it
};

class ChatForm {
 public:
  /// Throws Error (kBadInput) for a template that is wrong. `model` must outlive it.
  ChatForm(const LoadedModel& model, ChatFormOptions options);

  /// Makes a case of the suite whose prompt, with the template's own text, has at most `length` tokens. Throws kBadInput
  /// where that is too short, and as the template.
  EvalCase make(const EvalSuite& suite, const EvalText& text, int64_t length, uint64_t seed) const;
  /// Returns the text that the user reads of a reply: neither thinking nor markers.
  std::string content(std::span<const TokenId> reply, bool truncated) const;
  int64_t n_predict() const { return o_.n_predict; }
  /// Template, system message and the rest, for keys of answers.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  MarkedText render(std::string_view user, bool generation_prompt) const;

  const Tokenizer& tokenizer_;
  ChatFormOptions o_;
  ChatTemplate template_;
  const ReplyFormat& format_;
  std::string ending_;  // of a prompt: it begins an answer
  std::string fingerprint_;
};

}  // namespace skald
