// Continuation: a prompt that ends inside its last message, so that the model goes on with it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "text/marked_text.h"

namespace skald {

/// Puts a mark after the last message's text and cuts the prompt there, as transformers' continue_final_message does.
class Continuation {
 public:
  /// Marks the last of the messages. Throws Error (kBadInput) where there is no text to continue, or the template does not
  /// read it.
  Continuation(nlohmann::ordered_json& messages, std::string_view template_source);
  /// Throws Error (kBadInput) where the template left the message out.
  MarkedText cut(const MarkedText& prompt) const;

 private:
  std::string text_;  // of the message
};

}  // namespace skald
