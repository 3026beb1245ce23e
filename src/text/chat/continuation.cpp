#include "text/chat/continuation.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "text/chat/jinja/methods/text_parts.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMark = "CONTINUE_FINAL_MESSAGE_TAG ";

// The text that is continued: the content, or its last text part.
Json& continued_text(Json& message) {
  if (!message.contains("content")) fail(Errc::kBadInput, "the last message has no content that could be continued");
  Json& content = message["content"];
  if (content.is_string()) return content;
  if (content.is_array())
    for (auto part = content.rbegin(); part != content.rend(); ++part)
      if (part->is_object() && part->contains("text") && (*part)["text"].is_string()) return (*part)["text"];
  fail(Errc::kBadInput, "the last message has no text that could be continued");
}

std::string_view stripped(std::string_view text) {
  const auto [begin, end] = jinja::stripped(text, nullptr, true, true);
  return text.substr(begin, end - begin);
}

}  // namespace

Continuation::Continuation(Json& messages, std::string_view template_source) {
  if (messages.empty()) fail(Errc::kBadInput, "there is no last message that could be continued");
  if (template_source.find("content") == std::string_view::npos)
    fail(Errc::kBadInput, "the chat template does not read the content of messages, so that none can be continued");
  Json& text = continued_text(messages.back());
  text_ = text.get<std::string>();
  text = text_ + std::string(kMark);
}

MarkedText Continuation::cut(const MarkedText& prompt) const {
  const std::string& bytes = prompt.bytes();
  const size_t at = bytes.rfind(stripped(kMark));
  if (at == std::string::npos || bytes.find(stripped(text_)) == std::string::npos)
    fail(Errc::kBadInput, "the last message cannot be continued: the chat template leaves out some of it");
  const bool keeps_blanks = std::string_view(bytes).substr(at).starts_with(kMark);
  const size_t end = keeps_blanks ? at : jinja::stripped(std::string_view(bytes).substr(0, at), nullptr, false, true).second;
  return prompt.slice(0, end);
}

}  // namespace skald
