#include "text/chat/replies/argument_list.h"

#include <algorithm>

#include "text/chat/replies/json_scanner.h"
#include "text/chat/replies/json_text.h"
#include "text/chat/replies/python_text.h"
#include "text/chat/replies/reply_tools.h"
#include "text/chat/replies/white_space.h"

namespace skald {

std::string argument_json(std::string_view value, uint8_t kinds) {
  if (kinds == kTextKind) return quote_json(value);
  const bool may_be_text = kinds & kTextKind;
  const std::string_view word = trimmed(value);
  if (is_json(word)) {
    const JsonKind kind = json_kind(word);
    // A quoted text where texts are written without quotes means its quotes.
    if (!may_be_text || (kind != kTextKind && (kinds & kind))) return plain_json(word);
  } else if (kinds != kNoKind && !may_be_text) {
    if (const auto python = python_json(word)) return *python;
  }
  return quote_json(value);
}

void ArgumentList::add(std::string key, std::string json) {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const auto& m) { return m.first == key; });
  if (found == members_.end()) {
    members_.emplace_back(std::move(key), std::move(json));
  } else {
    found->second = std::move(json);
  }
}

bool ArgumentList::has(std::string_view key) const {
  return std::any_of(members_.begin(), members_.end(), [&](const auto& m) { return m.first == key; });
}

std::string ArgumentList::json() const {
  std::string out = "{";
  for (const auto& [key, value] : members_) {
    if (out.size() > 1) out += ", ";
    out += quote_json(key) + ": " + value;
  }
  return out += '}';
}

}  // namespace skald
