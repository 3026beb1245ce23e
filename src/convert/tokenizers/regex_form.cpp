#include "convert/tokenizers/regex_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "text/utf8.h"

namespace skald {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A character that means itself.
std::string spelled(uint32_t code, bool in_class) {
  const std::string_view meanings = in_class ? R"(\[]^-&)" : R"(\[]^$.|?*+(){})";
  const bool plain = code >= ' ' && code < 0x7F && meanings.find(static_cast<char>(code)) == meanings.npos;
  if (plain) return {static_cast<char>(code)};
  return fmt::format(R"(\x{{{:x}}})", code);
}

class Rewriter {
 public:
  explicit Rewriter(std::string_view rest) : rest_(rest) {}

  std::string run() {
    std::string out;
    while (!rest_.empty()) out += rest_[0] == '[' ? take_class() : outside();
    return out;
  }

 private:
  // One thing outside of brackets.
  std::string outside() {
    if (rest_[0] == '\\') return escape(false).text;
    constexpr std::string_view kOperators = "^$.|?*+(){}";
    if (kOperators.find(rest_[0]) != kOperators.npos) return take(1);
    return spelled(take_char(), false);
  }

  struct Item {
    std::string text;
    bool is_char = false;  // may be the end of a range
  };

  Item escape(bool in_class) {
    rest_.remove_prefix(1);
    if (rest_.empty()) return {"\\"};
    const char kind = rest_[0];
    if (kind == 'x' || kind == 'u') {
      if (const auto code = hex_code(kind)) return {spelled(*code, in_class), true};
    }
    constexpr std::string_view kControls = "nrtfv", kCodes = "\n\r\t\f\v";
    if (const size_t i = kControls.find(kind); i != kControls.npos) {
      rest_.remove_prefix(1);
      return {spelled(static_cast<uint8_t>(kCodes[i]), in_class), true};
    }
    if (kind == 'p' || kind == 'P') return {property()};
    if (is_letter(kind) || (kind >= '0' && kind <= '9')) return {"\\" + take(1)};
    return {spelled(take_char(), in_class), true};
  }

  // \x{41}, \x41 and \u0041; nullopt, with nothing taken, for other texts.
  std::optional<uint32_t> hex_code(char kind) {
    const bool braces = kind == 'x' && rest_.substr(1).starts_with('{');
    const size_t begin = braces ? 2 : 1;
    const size_t end = braces ? rest_.find('}') : begin + (kind == 'x' ? 2 : 4);
    if (end == rest_.npos || end > rest_.size() || end == begin) return std::nullopt;
    uint32_t code = 0;
    const auto [stop, error] = std::from_chars(rest_.data() + begin, rest_.data() + end, code, 16);
    if (error != std::errc() || stop != rest_.data() + end) return std::nullopt;
    rest_.remove_prefix(end + (braces ? 1 : 0));
    return code;
  }

  // \p{L}, which may be written \pL.
  std::string property() {
    const std::string out = "\\" + take(1);
    if (!rest_.starts_with('{')) return out + "{" + take(1) + "}";
    return out + take(std::min(rest_.find('}'), rest_.size() - 1) + 1);
  }

  std::string take_class() {
    const std::string_view all = rest_;
    rest_.remove_prefix(1);
    std::string out = "[";
    if (rest_.starts_with('^')) out += take(1);
    std::vector<std::string> items;
    while (!rest_.empty() && (rest_[0] != ']' || items.empty())) {
      // Classes in classes and their intersections stay as they are.
      if (rest_[0] == '[' || rest_.starts_with("&&")) return raw_class(all);
      items.push_back(class_item());
    }
    const bool closed = !rest_.empty();
    if (closed) {
      rest_.remove_prefix(1);
      std::ranges::sort(items);
      items.erase(std::unique(items.begin(), items.end()), items.end());
    }
    for (const std::string& item : items) out += item;
    return closed ? out + "]" : out;
  }

  // A character, a range or an escape for many.
  std::string class_item() {
    Item first = class_char();
    if (!first.is_char || rest_.size() < 2 || rest_[0] != '-' || rest_[1] == ']') return first.text;
    rest_.remove_prefix(1);
    return first.text + "-" + class_char().text;
  }

  Item class_char() {
    if (rest_[0] == '\\') return escape(true);
    return {spelled(take_char(), true), true};
  }

  std::string raw_class(std::string_view from) {
    rest_ = from;
    std::string out;
    int depth = 0;
    do {
      if (rest_[0] == '\\') {
        out += escape(true).text;
        continue;
      }
      depth += rest_[0] == '[' ? 1 : rest_[0] == ']' ? -1 : 0;
      constexpr std::string_view kOperators = "[]^&-";
      out += kOperators.find(rest_[0]) != kOperators.npos ? take(1) : spelled(take_char(), true);
    } while (depth > 0 && !rest_.empty());
    return out;
  }

  std::string take(size_t bytes) {
    std::string out(rest_.substr(0, bytes));
    rest_.remove_prefix(out.size());
    return out;
  }

  uint32_t take_char() {
    const Utf8Step step = utf8_step(rest_, 0);
    const uint32_t code = step.kind == Utf8Kind::kChar ? utf8_code(rest_, 0, step.length) : 0xFFFD;
    rest_.remove_prefix(static_cast<size_t>(step.length));
    return code;
  }

  std::string_view rest_;
};

}  // namespace

std::string regex_form(std::string_view pattern) { return Rewriter(pattern).run(); }

std::string regex_form_of_text(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    out += spelled(step.kind == Utf8Kind::kChar ? utf8_code(text, at, step.length) : 0xFFFD, false);
    at += static_cast<size_t>(step.length);
  }
  return out;
}

}  // namespace skald
