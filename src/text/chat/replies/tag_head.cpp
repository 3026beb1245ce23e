#include "text/chat/replies/tag_head.h"

#include <array>
#include <utility>

#include "text/chat/replies/reply_tools.h"
#include "text/chat/replies/white_space.h"

namespace skald {
namespace {

std::string without_references(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kReferences = {
      {{"&amp;", '&'}, {"&quot;", '"'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&apos;", '\''}}};
  std::string out;
  while (!text.empty()) {
    size_t used = 1;
    char c = text.front();
    for (const auto& [reference, meant] : kReferences) {
      if (c != '&' || !text.starts_with(reference)) continue;
      c = meant;
      used = reference.size();
      break;
    }
    out += c;
    text.remove_prefix(used);
  }
  return out;
}

}  // namespace

Reading take_head(ReplyReader& r, std::string_view end, bool quoted, TagHead& head) {
  const bool named = co_await take_until(r, quoted ? std::string_view("\"") : end, kMaxName, head.name);
  if (!named || head.name.empty()) co_return false;
  if (!quoted) {
    head.name = trimmed(head.name);
    co_return !head.name.empty();
  }
  head.name = without_references(head.name);
  const bool ended = co_await take_until(r, end, kMaxName, head.attributes);
  co_return ended;
}

std::optional<uint8_t> told_kinds(std::string_view attributes) {
  constexpr uint8_t kOthers = kNumberKind | kBoolKind | kNullKind | kObjectKind | kArrayKind;
  for (std::string_view text : {"string=\"true\"", "type=\"string\""}) {
    if (attributes.find(text) != std::string_view::npos) return kTextKind;
  }
  for (std::string_view other : {"string=\"false\"", "type=\""}) {
    if (attributes.find(other) != std::string_view::npos) return kOthers;
  }
  return std::nullopt;
}

}  // namespace skald
