// The chat templates of a model: the one for chats with tools may be another.
#pragma once

#include <optional>
#include <string_view>

#include "base/meta.h"
#include "text/chat/chat_template.h"
#include "text/chat/replies/reply_format.h"

namespace skald {

class Tokenizer;

/// Immutable.
class ModelTemplates {
 public:
  /// `wanted`: Jinja, or the name of a built-in template, for all chats; empty: the model's own, else its family's, else
  /// ChatML with a line in the log. Throws Error (kBadInput) naming the line of a template that is wrong.
  ModelTemplates(const Meta& meta, const Tokenizer& tokenizer, std::string_view wanted);

  const ChatTemplate& of(bool tools) const { return tools && with_tools_ ? *with_tools_ : plain_; }
  /// In which the model replies, and calls tools.
  const ReplyFormat& format() const { return format_; }

 private:
  ChatTemplate plain_;
  std::optional<ChatTemplate> with_tools_;  // where it is another one
  const ReplyFormat& format_;
};

}  // namespace skald
