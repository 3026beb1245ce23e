#include "serve/chat/volatile_text.h"

#include <algorithm>

#include "base/error.h"

namespace skald::serve {

VolatileText::VolatileText(const std::vector<std::string>& expressions) {
  for (const std::string& e : expressions) patterns_.emplace_back("\\A(?:" + e + ")\\z");
}

// An expression that takes too long for a text does not match it.
bool VolatileText::is_volatile(std::string_view text) const {
  return std::ranges::any_of(patterns_, [&](const NamePattern& pattern) {
    try {
      return pattern.found_in(text);
    } catch (const Error&) {
      return false;
    }
  });
}

int64_t VolatileText::take_line(std::string& text) const {
  const size_t end = text.find('\n');
  if (!is_volatile(std::string_view(text).substr(0, end))) return 0;
  const size_t bytes = end == std::string::npos ? text.size() : end + 1;
  text.erase(0, bytes);
  return static_cast<int64_t>(bytes);
}

int64_t VolatileText::take_from(Json& messages) const {
  if (patterns_.empty() || messages.empty() || messages[0].value("role", "") != "system") return 0;
  Json& content = messages[0]["content"];
  if (content.is_string()) return take_line(content.get_ref<std::string&>());
  int64_t bytes = 0;
  Json kept = Json::array();
  for (Json& part : content) {
    std::string& text = part["text"].get_ref<std::string&>();
    if (is_volatile(text))
      bytes += std::ssize(text);
    else
      kept.push_back(std::move(part));
  }
  content = std::move(kept);
  if (content.empty()) content = "";
  return bytes;
}

}  // namespace skald::serve
